//! The work of bench/stores.py, done by krabka-log. A command a line comes in, its words between tabs; a JSON line goes
//! out, with the CPU seconds of the work alone: of this process, all threads counted. Records are made before.
//!
//! * `append FOLDER CALLS RECORDS SYNC`: to a new log; as many records per call, in batches of 132. SYNC is 1 or 0.
//! * `fill FOLDER RECORDS START_MS`: make the log that the next two read, with a record a millisecond.
//! * `read COUNT`: records at offsets that look random, each from its batch, whose checksum the crate verifies; records
//!   after it are not decoded.
//! * `times COUNT START_MS`: the offsets of times that look random.

use bytes::Bytes;
use krabka_ids::Offset;
use krabka_log::{Log, LogConfig, epoch_ms};
use krabka_protocol::DecodeBorrow;
use krabka_protocol::records::{Record, RecordBatch, RecordBatchBorrowed};
use krabka_units::prelude::{bytes};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::SystemTime;

type Row = (Bytes, Bytes);
type Answer<T> = Result<T, Box<dyn Error>>;

const BATCH_RECORDS: usize = 132;
const STEP: i64 = 2_654_435_761;

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

fn rows(first: usize, count: usize) -> Vec<Row> {
    let value = Bytes::from(vec![b'v'; 100]);
    let key = |offset: usize| Bytes::from(format!("key-{:06}", offset % 1_000_000));
    (first..first + count).map(|offset| (key(offset), value.clone())).collect()
}

/// A batch of the rows; of their times, each is a step after the one before.
fn batch(rows: &[Row], first_ms: i64, step_ms: i64) -> RecordBatch {
    let record = |(number, (key, value)): (usize, &Row)| Record {
        offset_delta: number as i32,
        timestamp_delta: number as i64 * step_ms,
        key: Some(key.clone()),
        value: Some(value.clone()),
        ..Record::default()
    };
    RecordBatch {
        last_offset_delta: rows.len() as i32 - 1,
        base_timestamp: first_ms,
        max_timestamp: first_ms + (rows.len() as i64 - 1) * step_ms,
        records: rows.iter().enumerate().map(record).collect(),
        ..RecordBatch::default()
    }
}

/// Seconds, and the next offset.
fn append(folder: &str, calls: usize, at_once: usize, is_synced: bool) -> Answer<(f64, i64)> {
    let at_each_append = is_synced && at_once <= BATCH_RECORDS;
    let config = LogConfig { flush_on_append: at_each_append, ..LogConfig::default() };
    let mut log = Log::open(folder, config)?;
    let groups: Vec<Vec<Row>> = (0..calls).map(|call| rows(call * at_once, at_once)).collect();
    let before = cpu_seconds();
    for group in &groups {
        for some in group.chunks(BATCH_RECORDS) {
            log.append(&mut batch(some, epoch_ms(SystemTime::now()), 0))?;
        }
        if is_synced && !at_each_append {
            log.sync()?;
        }
    }
    let seconds = cpu_seconds() - before;
    let end = log.log_end_offset().0;
    log.close();
    Ok((seconds, end))
}

fn fill(folder: &str, count: usize, start_ms: i64) -> Answer<Log> {
    let config = LogConfig { segment_size: bytes(i32::MAX as u32), ..LogConfig::default() };
    let mut log = Log::open(folder, config)?;
    for first in (0..count).step_by(BATCH_RECORDS) {
        let some = rows(first, BATCH_RECORDS.min(count - first));
        log.append(&mut batch(&some, start_ms + first as i64, 1))?;
    }
    Ok(log)
}

/// Seconds, and the sum of the numbers in the keys and of the lengths of the values.
fn read(log: &Log, count: i64) -> Answer<(f64, i64)> {
    let end = log.log_end_offset().0;
    let mut found: Vec<Row> = Vec::with_capacity(count as usize);
    let before = cpu_seconds();
    for number in 0..count {
        let offset = number * STEP % end;
        let read = log.read_raw(Offset(offset), Offset(offset + 1), bytes(1))?;
        let batch = RecordBatchBorrowed::decode_borrow(&mut &read.bytes[..], 2)?;
        let record = batch.iter().nth((offset - read.start_offset.0) as usize).ok_or("no record")??;
        let copy = |field: Option<&[u8]>| field.map(Bytes::copy_from_slice);
        found.push((copy(record.key).ok_or("no key")?, copy(record.value).ok_or("no value")?));
    }
    let seconds = cpu_seconds() - before;
    let mut total = 0;
    for (key, value) in found {
        total += std::str::from_utf8(&key[4..])?.parse::<i64>()? + value.len() as i64;
    }
    Ok((seconds, total))
}

/// Seconds, and the sum of the offsets.
fn times(log: &Log, count: i64, start_ms: i64) -> Answer<(f64, i64)> {
    let end = log.log_end_offset().0;
    let mut total = 0;
    let before = cpu_seconds();
    for number in 0..count {
        total += log.offset_for_timestamp(start_ms + number * STEP % end).ok_or("no offset")?.0.0;
    }
    Ok((cpu_seconds() - before, total))
}

fn main() -> Answer<()> {
    let mut filled: Option<Log> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('\t').collect();
        let (seconds, answer) = match words[..] {
            ["append", folder, calls, at_once, sync] => append(folder, calls.parse()?, at_once.parse()?, sync == "1")?,
            ["fill", folder, count, start_ms] => {
                let log = fill(folder, count.parse()?, start_ms.parse()?)?;
                let end = log.log_end_offset().0;
                filled = Some(log);
                (0.0, end)
            }
            ["read", count] => read(filled.as_ref().ok_or("not filled")?, count.parse()?)?,
            ["times", count, start_ms] => times(filled.as_ref().ok_or("not filled")?, count.parse()?, start_ms.parse()?)?,
            _ => return Err(format!("no such work: {line}").into()),
        };
        println!("{{\"cpu_s\": {seconds:.9}, \"answer\": {answer}}}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
