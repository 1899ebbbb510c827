meta:
  id: pyc
  title: Compiled Python (3.11 and later)
  license: Apache-2.0
  endian: le
doc-ref: PEP 552, and Python/marshal.c of CPython
seq:
  - {id: version, type: u2}
  - {id: line_end, contents: [13, 10]}
  - {id: flags, type: u4, enum: flags}
  - {id: modified_s, type: u4, if: flags == flags::by_time}
  - {id: source_size, type: u4, if: flags == flags::by_time}
  - {id: source_hash, size: 8, if: flags != flags::by_time}
  - {id: module, type: object}
instances:
  file_name:
    value: 'module.body.as<code>.file_name.body.as<short_text>.text'
    if: 'module.kind == kinds::code and (module.body.as<code>.file_name.kind == kinds::short_text or module.body.as<code>.file_name.kind == kinds::short_interned)'
types:
  object:
    seq:
      - {id: is_shared, type: b1}
      - {id: kind, type: b7, enum: kinds}
      - id: body
        type:
          switch-on: kind
          cases:
            'kinds::integer': s4
            'kinds::long': long
            'kinds::float': f8
            'kinds::complex': complex
            'kinds::reference': u4
            'kinds::short_text': short_text
            'kinds::short_interned': short_text
            'kinds::text': text
            'kinds::interned': text
            'kinds::ascii': text
            'kinds::ascii_interned': text
            'kinds::bytes': byte_string
            'kinds::small_tuple': small_tuple
            'kinds::tuple': objects
            'kinds::list': objects
            'kinds::set': objects
            'kinds::frozen_set': objects
            'kinds::dictionary': dictionary
            'kinds::code': code
  long:
    seq:
      - {id: signed_count, type: s4}
      - {id: digits, type: u2, repeat: expr, repeat-expr: count}
    instances:
      count: {value: 'signed_count < 0 ? -signed_count : signed_count'}
      low: {value: 'digits[0] * (signed_count < 0 ? -1 : 1)', if: count > 0}
  complex:
    seq:
      - {id: real, type: f8}
      - {id: imaginary, type: f8}
  short_text:
    seq:
      - {id: size, type: u1}
      - {id: text, type: str, size: size, encoding: ASCII}
  text:
    seq:
      - {id: size, type: u4}
      - {id: text, size: size}
  byte_string:
    seq:
      - {id: size, type: u4}
      - {id: bytes, size: size}
  small_tuple:
    seq:
      - {id: count, type: u1}
      - {id: items, type: object, repeat: expr, repeat-expr: count}
  objects:
    seq:
      - {id: count, type: u4}
      - {id: items, type: object, repeat: expr, repeat-expr: count}
  dictionary:
    seq:
      - {id: items, type: item, repeat: until, repeat-until: _.key.kind == kinds::missing}
  item:
    seq:
      - {id: key, type: object}
      - {id: value, type: object, if: key.kind != kinds::missing}
  code:
    seq:
      - {id: arguments_count, type: u4}
      - {id: positional_count, type: u4}
      - {id: keyword_count, type: u4}
      - {id: stack_size, type: u4}
      - {id: flags, type: u4}
      - {id: code, type: object}
      - {id: constants, type: object}
      - {id: names, type: object}
      - {id: local_names, type: object}
      - {id: local_kinds, type: object}
      - {id: file_name, type: object}
      - {id: name, type: object}
      - {id: qualified_name, type: object}
      - {id: first_line, type: u4}
      - {id: lines, type: object}
      - {id: handlers, type: object}
    instances:
      is_generator: {value: (flags & 0x20) != 0}
      code_size: {value: 'code.body.as<byte_string>.size', if: code.kind == kinds::bytes}
enums:
  flags: {0: by_time, 1: by_hash, 3: by_checked_hash}
  kinds:
    0x28: tuple
    0x29: small_tuple
    0x2e: ellipsis
    0x30: missing
    0x3c: set
    0x3e: frozen_set
    0x41: ascii_interned
    0x46: is_false
    0x4e: none
    0x53: stop
    0x54: is_true
    0x5a: short_interned
    0x5b: list
    0x61: ascii
    0x63: code
    0x67: float
    0x69: integer
    0x6c: long
    0x72: reference
    0x73: bytes
    0x74: interned
    0x75: text
    0x79: complex
    0x7a: short_text
    0x7b: dictionary
