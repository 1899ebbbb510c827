# in: 616263647a65726f0073656d693b6b6570743b6c6566743b706164202020656e640078786162002e2e2e6f70656e
# in: 61626364
# in: 616263647a65726f0073656d693b6b6570743b6c6566743b7061642020202e2e2e2e2e2e6162636465666f70656e0072657374
meta:
  id: strings
  endian: be
  encoding: UTF-8
  license: Apache-2.0
seq:
  - {id: fixed, type: str, size: 4}
  - {id: zero, type: strz}
  - {id: semi, type: str, terminator: 0x3b}
  - {id: kept, type: str, terminator: 0x3b, include: true}
  - {id: left, type: str, terminator: 0x3b, consume: false}
  - {id: semicolon, contents: ';'}
  - {id: padded, type: str, size: 6, pad-right: 0x20}
  - {id: ended, type: str, size: 6, terminator: 0}
  - {id: both, type: str, size: 6, terminator: 0, pad-right: 0x2e}
  - {id: open, type: strz, eos-error: false}
