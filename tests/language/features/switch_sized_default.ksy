# in: 01021234020361626307026162
# in: 0101ff
meta:
  id: switch_sized_default
  endian: be
  license: Apache-2.0
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: tag, type: u1, enum: tags}
      - {id: len, type: u1}
      - id: body
        size: len
        type:
          switch-on: tag
          cases:
            tags::number: number
            tags::text: text
    instances:
      is_known: {value: tag == tags::number or tag == tags::text}
  number:
    seq: [{id: value, type: u2}]
  text:
    seq: [{id: value, type: str, size-eos: true, encoding: UTF-8}]
enums:
  tags: {1: number, 2: text}
