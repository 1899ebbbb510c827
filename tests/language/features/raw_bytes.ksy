# in: 61626c696e650a6b6570740a6162000002787972657374
# in: 61626c696e650a6b6570740a61620000097879
meta:
  id: raw_bytes
  endian: be
  license: Apache-2.0
seq:
  - {id: fixed, size: 2}
  - {id: until, terminator: 0x0a}
  - {id: kept, terminator: 0x0a, include: true}
  - {id: padded, size: 4, pad-right: 0}
  - {id: counted_size, type: u1}
  - {id: counted, size: counted_size}
  - {id: rest, size-eos: true}
