meta:
  id: orc
  title: Apache ORC without compression
  file-extension: orc
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc: Read from the last byte, which says how long the postscript is. Its messages are those of Protocol Buffers.
doc-ref:
  - https://orc.apache.org/specification/ORCv1/
  - https://protobuf.dev/programming-guides/encoding/
seq:
  - {id: magic, contents: ORC}
  - {id: stripes, size: _io.size - 4 - postscript_length - footer_length - metadata_length}
instances:
  postscript_length: {pos: _io.size - 1, type: u1}
  postscript: {pos: _io.size - 1 - postscript_length, size: postscript_length, type: message(kind::postscript)}
  footer_length: {value: 'postscript.fields[0].value.as<varint>.value'}
  metadata_length: {value: 'postscript.fields[4].value.as<varint>.value'}
  footer:
    pos: _io.size - 1 - postscript_length - footer_length
    size: footer_length
    type: message(kind::footer)
  metadata:
    pos: _io.size - 1 - postscript_length - footer_length - metadata_length
    size: metadata_length
    type: message(kind::metadata)
types:
  varint:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.goes_on}]
    instances:
      last: {value: groups.size - 1}
      value:
        value: >-
          groups[0].bits
          + (last > 0 ? groups[1].bits << 7 : 0)
          + (last > 1 ? groups[2].bits << 14 : 0)
          + (last > 2 ? groups[3].bits << 21 : 0)
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  message:
    params: [{id: kind, type: u1, enum: kind}]
    seq:
      - {id: fields, type: field(kind), repeat: eos}
  field:
    params: [{id: kind, type: u1, enum: kind}]
    seq:
      - {id: key, type: varint}
      - id: value
        type:
          switch-on: wire
          cases:
            'wire::varint': varint
            'wire::fixed64': f8
            'wire::bytes': bytes(child)
            'wire::fixed32': f4
    instances:
      number: {value: key.value >> 3}
      wire: {value: key.value & 7, enum: wire}
      child:
        value: >-
          kind == kind::footer and number == 3 ? kind::stripe
          : kind == kind::footer and number == 4 ? kind::type
          : kind == kind::footer and number == 7 ? kind::statistics
          : kind == kind::metadata ? kind::stripe_statistics
          : kind == kind::stripe_statistics ? kind::statistics
          : kind == kind::statistics and number > 1 and number < 10 ? kind::detail
          : kind == kind::type and number == 3 or kind == kind::postscript and number == 8000 ? kind::text
          : kind::bytes
  bytes:
    params: [{id: kind, type: u1, enum: kind}]
    seq:
      - {id: length, type: varint}
      - id: body
        size: length.value
        type:
          switch-on: kind
          cases:
            'kind::text': text
            'kind::bytes': raw
            _: message(kind)
  text: {seq: [{id: text, type: str, size-eos: true}]}
  raw: {seq: [{id: data, size-eos: true}]}
enums:
  wire: {0: varint, 1: fixed64, 2: bytes, 5: fixed32}
  kind:
    0: bytes
    1: text
    2: postscript
    3: footer
    4: metadata
    5: stripe
    6: type
    7: statistics
    8: stripe_statistics
    9: detail
