meta:
  id: transaction_index
  title: Kafka transaction index
  application: Apache Kafka
  file-extension: txnindex
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  `<base offset>.txnindex`, since 0.11: the aborted transactions whose abort markers are in the segment, in the order of
  their markers. Consumers that read committed data use it to skip their records. No header, no checksum, never
  preallocated; the file is created with its first entry.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/AbortedTxn.java
seq:
  - id: entries
    type: entry
    repeat: eos
    doc: Written by the broker as the markers are appended.
types:
  entry:
    -row: true
    -check: increasing(last_offset)
    doc: One aborted transaction; a transaction that wrote nothing to this partition has no entry.
    seq:
      - id: version
        type: s2
        -derive: 0
        valid: 0
        doc: 0 so far. Kafka checks only the first of its two bytes.
      - id: producer_id
        type: s8
        -orig-id: producerId
        doc: Producer of the transaction.
      - id: first_offset
        type: s8
        -orig-id: firstOffset
        doc: Offset of the transaction's first record in this partition.
      - id: last_offset
        type: s8
        -orig-id: lastOffset
        doc: Offset of the abort marker.
      - id: last_stable_offset
        type: s8
        -orig-id: lastStableOffset
        doc: First offset of the oldest transaction that was still open then; without one, the offset after the marker.
