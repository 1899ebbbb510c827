//! Writes batches with the Kafka client in Rust: rskafka.
//!
//! Standard input is the request that samples/clients.py describes. Each batch is one call and one batch on disk.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::DateTime;
use rskafka::client::ClientBuilder;
use rskafka::client::partition::{Compression, UnknownTopicHandling};
use rskafka::record::Record;
use serde_json::Value;

fn bytes(field: &Value) -> Option<Vec<u8>> {
    field
        .as_str()
        .map(|text| STANDARD.decode(text).expect("base64"))
}

fn list(field: &Value) -> &Vec<Value> {
    field.as_array().expect("a list")
}

fn text(field: &Value) -> &str {
    field.as_str().expect("text")
}

fn record(fields: &Value) -> Record {
    let headers = list(&fields["headers"]).iter();
    Record {
        key: bytes(&fields["key"]),
        value: bytes(&fields["value"]),
        headers: headers
            .map(|header| {
                (
                    text(&header["name"]).to_owned(),
                    bytes(&header["value"]).expect("a value"),
                )
            })
            .collect::<BTreeMap<_, _>>(),
        timestamp: DateTime::from_timestamp_millis(
            fields["timestamp_ms"].as_i64().expect("a number"),
        )
        .expect("a time"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request: Value = serde_json::from_reader(std::io::stdin())?;
    let client = ClientBuilder::new(vec![text(&request["bootstrap"]).to_owned()])
        .build()
        .await?;
    for run in list(&request["runs"]) {
        let compression = match text(&run["codec"]) {
            "gzip" => Compression::Gzip,
            "snappy" => Compression::Snappy,
            "lz4" => Compression::Lz4,
            "zstd" => Compression::Zstd,
            _ => Compression::NoCompression,
        };
        let partition = client
            .partition_client(text(&run["topic"]), 0, UnknownTopicHandling::Error)
            .await?;
        for batch in list(&run["batches"]) {
            partition
                .produce(list(batch).iter().map(record).collect(), compression)
                .await?;
        }
    }
    Ok(())
}
