meta:
  id: producer_snapshot
  title: Kafka producer snapshot
  application: Apache Kafka
  file-extension: snapshot
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  `<offset>.snapshot`, since 0.11: what a partition knew of each idempotent or transactional producer when everything
  below the offset in the name was written. Taken when a segment begins and on a clean stop, so that a broker need not
  read the whole log to detect duplicates.
doc-ref: https://github.com/apache/kafka/blob/4.3.1/storage/src/main/resources/message/ProducerSnapshot.json
-checksum:
  algorithm: crc32c
  field: crc
  from: entries_count
seq:
  - id: version
    type: s2
    -derive: 1
    valid: 1
    doc: 1 so far.
  - id: crc
    type: u4
    -orig-id: Crc
    doc: CRC-32C of everything after it. Kafka computes it to the end of the file, whatever the count is.
  - id: entries_count
    type: s4
    valid:
      min: 0
    doc: Number of producers.
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: entries_count
    -orig-id: ProducerEntries
    doc: In no meaningful order (that of a Java hash table).
  - id: end_of_entries
    size: 0
    valid:
      expr: _io.eof
    doc: Nothing may follow; the rest of a longer file that was overwritten would fail Kafka's checksum.
types:
  entry:
    -orig-id: ProducerEntry
    -row: true
    doc: One producer's state; of its last batches, up to five of which a broker remembers, only the newest is kept.
    seq:
      - id: producer_id
        type: s8
        -orig-id: ProducerId
        doc: As in the producer's batches.
      - id: producer_epoch
        type: s2
        -orig-id: Epoch
        doc: The producer's current epoch; may be above that of its last batch.
      - id: last_sequence
        type: s4
        -orig-id: LastSequence
        doc: Sequence number of the last record; -1 where there is no batch to remember.
      - id: last_offset
        type: s8
        -orig-id: LastOffset
        doc: Offset of the last record; -1 where there is no batch to remember, which makes its three fields void.
      - id: offset_delta
        type: s4
        -orig-id: OffsetDelta
        doc: Last less first sequence number of the last batch.
      - id: timestamp
        type: s8
        -orig-id: Timestamp
        doc: Largest timestamp of the last batch, or that of the last marker, in milliseconds since 1970; -1 for none.
      - id: coordinator_epoch
        type: s4
        -orig-id: CoordinatorEpoch
        doc: Epoch of the transaction coordinator that wrote the last marker; -1 for none.
      - id: current_txn_first_offset
        type: s8
        -orig-id: CurrentTxnFirstOffset
        doc: First offset of the open transaction in this partition; -1 for none.
