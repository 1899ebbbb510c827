meta:
  id: offset_index
  title: Kafka offset index
  application: Apache Kafka
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  `<base offset>.index`: a sparse, sorted map from offsets to positions in its `.log`. No header, no checksum.
  While its segment is active, the file has its full preallocated size and ends in zeros, which are not entries; it is
  trimmed to its entries when the segment is closed.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/OffsetIndex.java
seq:
  - id: entries
    type: entry
    repeat: eos
    doc: Offsets and positions rise from one to the next; the lookup is a binary search.
types:
  entry:
    -row: true
    -check:
      - increasing(relative_offset)
      - increasing(position)
    doc: |
      Written after more than `index.interval.bytes` of log since the previous entry. Its offset depends on the
      writer: the last of the batch at `position` (3.9.1 and 4.0 on), the last of the append that begins there
      (2.0 to 3.9.0), its first (up to 1.1).
    seq:
      - id: relative_offset
        type: s4
        -orig-id: relativeOffset
        valid:
          min: 0
        doc: Offset less the base offset of the segment, which is the file's name.
      - id: position
        type: s4
        valid:
          min: 0
        doc: Bytes from the start of the `.log` to the batch, or to the first batch of the append.
