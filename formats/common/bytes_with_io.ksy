meta:
  id: bytes_with_io
  title: Bytes in a stream of their own
  license: Apache-2.0
  ks-version: '0.10'
doc: All bytes up to the end, for instances that read at a position in them (`io`).
seq:
  - id: data
    size-eos: true
