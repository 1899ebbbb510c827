meta:
  id: time_index
  title: Kafka time index
  application: Apache Kafka
  file-extension: timeindex
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  `<base offset>.timeindex`, since 0.10.1: a sparse, sorted map from timestamps to offsets. An entry (T, O) says that
  every record of the segment with a timestamp above T has an offset above O. No header, no checksum; preallocated,
  zero-filled and trimmed like the offset index.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/TimeIndex.java
seq:
  - id: entries
    type: entry
    repeat: eos
    doc: One whenever the offset index gets one, and when the segment is closed, if the largest timestamp has grown since.
types:
  entry:
    -row: true
    -check:
      - increasing(timestamp)
      - non_decreasing(relative_offset)
    doc: A largest timestamp so far and an offset that belongs to it; which one depends on the writer.
    seq:
      - id: timestamp
        type: s8
        doc: Largest timestamp of the segment when the entry was written, milliseconds since 1970.
      - id: relative_offset
        type: s4
        -orig-id: relativeOffset
        valid:
          min: 0
        doc: Offset that belongs to it, less the base offset of the segment; the record's up to 3.7, its batch's last since.
