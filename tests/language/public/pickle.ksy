meta:
  id: pickle
  title: A pickle of Python, protocols 0 to 5
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc-ref: Lib/pickletools.py of CPython
seq:
  - {id: steps, type: step, repeat: until, repeat-until: _.opcode == opcodes::stop}
instances:
  protocol: {value: 'steps[0].argument.as<u1>', if: 'steps[0].opcode == opcodes::protocol'}
types:
  step:
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {in-enum: true}}
      - id: argument
        type:
          switch-on: opcode
          cases:
            'opcodes::protocol': u1
            'opcodes::frame': u8
            'opcodes::int': line
            'opcodes::long': line
            'opcodes::float': line
            'opcodes::unicode': line
            'opcodes::string': line
            'opcodes::get': line
            'opcodes::put': line
            'opcodes::imported': two_lines
            'opcodes::int_4': s4
            'opcodes::int_1': u1
            'opcodes::int_2': u2
            'opcodes::float_8': double
            'opcodes::long_1': short_bytes
            'opcodes::short_string': short_bytes
            'opcodes::short_bytes': short_bytes
            'opcodes::bytes': long_bytes
            'opcodes::bytes_8': longer_bytes
            'opcodes::byte_array': longer_bytes
            'opcodes::short_text': short_text
            'opcodes::text': long_text
            'opcodes::short_put': u1
            'opcodes::short_get': u1
            'opcodes::long_put': u4
            'opcodes::long_get': u4
  line: {seq: [{id: text, type: str, terminator: 0x0a}]}
  two_lines:
    seq:
      - {id: module, type: str, terminator: 0x0a}
      - {id: name, type: str, terminator: 0x0a}
    instances:
      full_name: {value: module + "." + name}
  double: {seq: [{id: value, type: f8be}]}
  short_bytes:
    seq:
      - {id: size, type: u1}
      - {id: data, size: size}
  long_bytes:
    seq:
      - {id: size, type: u4}
      - {id: data, size: size}
  longer_bytes:
    seq:
      - {id: size, type: u8}
      - {id: data, size: size}
  short_text:
    seq:
      - {id: size, type: u1}
      - {id: text, type: str, size: size}
  long_text:
    seq:
      - {id: size, type: u4}
      - {id: text, type: str, size: size}
enums:
  opcodes:
    0x28: mark
    0x29: empty_tuple
    0x2e: stop
    0x30: pop
    0x31: pop_mark
    0x32: duplicate
    0x42: bytes
    0x43: short_bytes
    0x46: float
    0x47: float_8
    0x49: int
    0x4a: int_4
    0x4b: int_1
    0x4c: long
    0x4d: int_2
    0x4e: none
    0x52: reduce
    0x53: string
    0x54: long_string
    0x55: short_string
    0x56: unicode
    0x58: text
    0x5d: empty_list
    0x61: append
    0x62: build
    0x63: imported
    0x64: dictionary
    0x65: appends
    0x67: get
    0x68: short_get
    0x6a: long_get
    0x6c: list
    0x70: put
    0x71: short_put
    0x72: long_put
    0x73: set_item
    0x74: tuple
    0x75: set_items
    0x7d: empty_dictionary
    0x80: protocol
    0x81: new
    0x85: tuple_1
    0x86: tuple_2
    0x87: tuple_3
    0x88: new_true
    0x89: new_false
    0x8a: long_1
    0x8c: short_text
    0x8e: bytes_8
    0x8f: empty_set
    0x90: add_items
    0x91: frozen_set
    0x93: stack_global
    0x94: memoize
    0x95: frame
    0x96: byte_array
