meta:
  id: bson_document
  title: BSON document
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc: The binary form of JSON-like documents that MongoDB stores and sends.
doc-ref: https://bsonspec.org/spec.html
seq:
  - {id: document, type: document}
types:
  document:
    seq:
      - {id: length, type: s4, doc: 'bytes of the document, these four included', valid: {min: 5}}
      - {id: body, type: body, size: length - 4}
  body:
    seq:
      - {id: elements, type: element, repeat: until, repeat-until: '_.kind == kind::end'}
  element:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: name, type: strz, if: 'kind != kind::end'}
      - id: value
        if: 'kind != kind::end'
        type:
          switch-on: kind
          cases:
            'kind::double': f8
            'kind::string': string
            'kind::document': document
            'kind::array': document
            'kind::binary': binary
            'kind::object_id': object_id
            'kind::boolean': boolean
            'kind::datetime': datetime
            'kind::regex': regex
            'kind::code': string
            'kind::code_with_scope': code_with_scope
            'kind::int32': s4
            'kind::timestamp': timestamp
            'kind::int64': s8
            'kind::decimal128': decimal128
  string:
    seq:
      - {id: length, type: s4, doc: 'bytes of the text and its zero byte', valid: {min: 1}}
      - {id: text, type: str, size: length, terminator: 0}
  binary:
    seq:
      - {id: length, type: s4, valid: {min: 0}}
      - {id: subtype, type: u1, enum: subtype}
      - id: data
        size: length
        type:
          switch-on: subtype
          cases:
            'subtype::old_binary': old_binary
            'subtype::uuid': uuid
  old_binary:
    seq:
      - {id: length, type: s4}
      - {id: data, size: length}
  uuid:
    seq:
      - {id: time_low, type: u4be}
      - {id: time_mid, type: u2be}
      - {id: time_high_and_version, type: u2be}
      - {id: rest, size: 8}
    instances:
      version: {value: time_high_and_version >> 12}
  object_id:
    seq:
      - {id: seconds, type: u4be}
      - {id: random, size: 5}
      - {id: counter, type: b24}
  boolean:
    seq:
      - {id: value, type: u1, valid: {max: 1}}
    instances:
      is_true: {value: value != 0}
  datetime:
    seq:
      - {id: milliseconds, type: s8}
    instances:
      seconds: {value: milliseconds / 1000}
  regex:
    seq:
      - {id: pattern, type: strz}
      - {id: options, type: strz}
  code_with_scope:
    seq:
      - {id: length, type: s4}
      - {id: code, type: string}
      - {id: scope, type: document}
  timestamp:
    seq:
      - {id: increment, type: u4}
      - {id: seconds, type: u4}
  decimal128:
    seq:
      - {id: low, type: u8}
      - {id: high, type: u8}
    instances:
      is_negative: {value: high >> 63 == 1}
enums:
  kind:
    0: end
    1: double
    2: string
    3: document
    4: array
    5: binary
    6: undefined
    7: object_id
    8: boolean
    9: datetime
    10: 'null'
    11: regex
    13: code
    15: code_with_scope
    16: int32
    17: timestamp
    18: int64
    19: decimal128
    127: max_key
    255: min_key
  subtype: {0: generic, 1: function, 2: old_binary, 4: uuid, 5: md5, 128: user_defined}
