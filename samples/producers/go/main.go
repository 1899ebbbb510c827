// Writes batches with the Kafka clients in Go: franz-go, sarama and kafka-go.
//
// Standard input is the request that samples/clients.py describes. Each batch is one call and one batch on disk.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/compress/snappy"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Bytes are base64 in JSON, and null stays nil.
type header struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

type record struct {
	Key         []byte   `json:"key"`
	Value       []byte   `json:"value"`
	TimestampMs int64    `json:"timestamp_ms"`
	Headers     []header `json:"headers"`
}

// run is what one producer sends to one partition.
type run struct {
	Topic      string     `json:"topic"`
	Partition  int32      `json:"partition"`
	Codec      string     `json:"codec"`
	Variant    string     `json:"variant"`
	Idempotent bool       `json:"idempotent"`
	Batches    [][]record `json:"batches"`
}

type request struct {
	Bootstrap string `json:"bootstrap"`
	Client    string `json:"client"`
	Runs      []run  `json:"runs"`
}

func franz(bootstrap string, to run) error {
	codecs := map[string]kgo.CompressionCodec{
		"none":   kgo.NoCompression(),
		"gzip":   kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(),
		"lz4":    kgo.Lz4Compression(),
		"zstd":   kgo.ZstdCompression(),
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(bootstrap),
		kgo.DefaultProduceTopic(to.Topic),
		kgo.ProducerBatchCompression(codecs[to.Codec]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ManualFlushing(),
	}
	if !to.Idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	defer client.Close()
	for _, batch := range to.Batches {
		failures := make(chan error, len(batch))
		for _, one := range batch {
			headers := make([]kgo.RecordHeader, len(one.Headers))
			for at, header := range one.Headers {
				headers[at] = kgo.RecordHeader{Key: header.Name, Value: header.Value}
			}
			record := &kgo.Record{
				Key: one.Key, Value: one.Value, Headers: headers, Timestamp: time.UnixMilli(one.TimestampMs),
				Partition: to.Partition,
			}
			client.Produce(context.Background(), record, func(_ *kgo.Record, err error) { failures <- err })
		}
		if err := client.Flush(context.Background()); err != nil {
			return err
		}
		for range batch {
			if err := <-failures; err != nil {
				return err
			}
		}
	}
	return nil
}

// encoder gives sarama nil for null; a sarama.ByteEncoder of nil would be an empty value.
func encoder(data []byte) sarama.Encoder {
	if data == nil {
		return nil
	}
	return sarama.ByteEncoder(data)
}

func saramas(bootstrap string, to run) error {
	config := sarama.NewConfig()
	config.Version = sarama.V3_6_0_0
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Idempotent = to.Idempotent
	config.Net.MaxOpenRequests = 1
	// What a call sends leaves together, after this time.
	config.Producer.Flush.Messages = 1 << 20
	config.Producer.Flush.Frequency = 200 * time.Millisecond
	if err := config.Producer.Compression.UnmarshalText([]byte(to.Codec)); err != nil {
		return err
	}
	producer, err := sarama.NewSyncProducer([]string{bootstrap}, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	for _, batch := range to.Batches {
		messages := make([]*sarama.ProducerMessage, len(batch))
		for at, one := range batch {
			headers := make([]sarama.RecordHeader, len(one.Headers))
			for at, header := range one.Headers {
				headers[at] = sarama.RecordHeader{Key: []byte(header.Name), Value: header.Value}
			}
			messages[at] = &sarama.ProducerMessage{
				Topic: to.Topic, Key: encoder(one.Key), Value: encoder(one.Value), Headers: headers,
				Timestamp: time.UnixMilli(one.TimestampMs), Partition: to.Partition,
			}
		}
		if err := producer.SendMessages(messages); err != nil {
			return err
		}
	}
	return nil
}

func kafkas(bootstrap string, to run) error {
	// The codec's settings are global.
	compress.SnappyCodec = snappy.Codec{}
	if to.Variant == "unframed" {
		compress.SnappyCodec.Framing = snappy.Unframed
	}
	if to.Variant == "better" {
		compress.SnappyCodec.Compression = snappy.BetterCompression
	}
	writer := &kafka.Writer{
		Addr: kafka.TCP(bootstrap), Topic: to.Topic, RequiredAcks: kafka.RequireAll,
		// Its topic has one partition.
		BatchSize: 1 << 20, BatchTimeout: 200 * time.Millisecond,
	}
	if to.Codec != "none" {
		if err := writer.Compression.UnmarshalText([]byte(to.Codec)); err != nil {
			return err
		}
	}
	defer writer.Close()
	for _, batch := range to.Batches {
		messages := make([]kafka.Message, len(batch))
		for at, one := range batch {
			headers := make([]kafka.Header, len(one.Headers))
			for at, header := range one.Headers {
				headers[at] = kafka.Header{Key: header.Name, Value: header.Value}
			}
			messages[at] = kafka.Message{
				Key: one.Key, Value: one.Value, Headers: headers, Time: time.UnixMilli(one.TimestampMs),
			}
		}
		if err := writer.WriteMessages(context.Background(), messages...); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	var wanted request
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		log.Fatal(err)
	}
	write, found := map[string]func(string, run) error{
		"franz-go": franz, "sarama": saramas, "kafka-go": kafkas,
	}[wanted.Client]
	if !found {
		log.Fatalf("no client %q here", wanted.Client)
	}
	for _, to := range wanted.Runs {
		if err := write(wanted.Bootstrap, to); err != nil {
			log.Fatal(fmt.Errorf("%s, %s: %w", to.Topic, to.Codec, err))
		}
	}
}
