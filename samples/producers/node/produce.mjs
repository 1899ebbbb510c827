// Writes batches with the Kafka clients in JavaScript: kafkajs and @platformatic/kafka.
//
// Standard input is the request that samples/clients.py describes. Each batch is one call and one batch on disk.
import { readFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { Producer, ProduceAcks } from '@platformatic/kafka'
import kafkajs from 'kafkajs'
import LZ4 from 'kafkajs-lz4'
import Snappy from 'kafkajs-snappy'

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs

CompressionCodecs[CompressionTypes.Snappy] = Snappy
CompressionCodecs[CompressionTypes.LZ4] = new LZ4().codec
// What kafkajs itself names for zstd is a native module that no longer builds.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({ compress: async encoder => zstdCompressSync(encoder.buffer) })

const bytes = text => (text === null ? null : Buffer.from(text, 'base64'))

async function writeKafkajs (bootstrap, run) {
  const types = { none: 'None', gzip: 'GZIP', snappy: 'Snappy', lz4: 'LZ4', zstd: 'ZSTD' }
  const kafka = new Kafka({ brokers: [bootstrap], clientId: 'samples', logLevel: logLevel.ERROR })
  const producer = kafka.producer({ idempotent: run.idempotent, allowAutoTopicCreation: false })
  await producer.connect()
  for (const batch of run.batches) {
    const messages = batch.map(record => {
      // A repeated name is an array of values here; names come out in the order of their first appearance.
      const headers = {}
      for (const { name, value } of record.headers) (headers[name] ??= []).push(bytes(value))
      const timestamp = String(record.timestamp_ms)
      return { key: bytes(record.key), value: bytes(record.value), headers, timestamp, partition: run.partition }
    })
    await producer.send({ topic: run.topic, messages, acks: -1, compression: CompressionTypes[types[run.codec]] })
  }
  await producer.disconnect()
}

async function writePlatformatic (bootstrap, run) {
  const producer = new Producer({
    clientId: 'samples', bootstrapBrokers: [bootstrap], idempotent: run.idempotent, autocreateTopics: false
  })
  for (const batch of run.batches) {
    const messages = batch.map(record => ({
      topic: run.topic,
      partition: run.partition,
      key: bytes(record.key),
      value: bytes(record.value),
      headers: new Map(record.headers.map(({ name, value }) => [Buffer.from(name), bytes(value)])),
      timestamp: BigInt(record.timestamp_ms)
    }))
    await producer.send({ messages, compression: run.codec, acks: ProduceAcks.ALL })
  }
  await producer.close()
}

const request = JSON.parse(readFileSync(0, 'utf8'))
const write = { kafkajs: writeKafkajs, '@platformatic/kafka': writePlatformatic }[request.client]
for (const run of request.runs) await write(request.bootstrap, run)
