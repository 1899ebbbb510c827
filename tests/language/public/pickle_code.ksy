meta:
  id: pickle_code
  title: Python's pickle
  file-extension: [pickle, pkl]
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc: A program for a stack machine. Protocol 0 has its arguments as lines of text, later ones in binary.
doc-ref: https://docs.python.org/3/library/pickletools.html
seq:
  - {id: steps, type: step, repeat: until, repeat-until: '_.code == code::stop'}
instances:
  protocol: {value: 'steps[0].argument.as<u1>', if: 'steps[0].code == code::proto'}
types:
  step:
    seq:
      - {id: code, type: u1, enum: code, valid: {in-enum: true}}
      - id: argument
        type:
          switch-on: code
          cases:
            'code::proto': u1
            'code::frame': u8
            'code::binint': s4
            'code::binint1': u1
            'code::binint2': u2
            'code::long1': long1
            'code::binfloat': f8be
            'code::int': line
            'code::long': line
            'code::float': line
            'code::string': line
            'code::unicode': line
            'code::put': line
            'code::get': line
            'code::load_global': names
            'code::inst': names
            'code::short_binstring': short_bytes
            'code::short_binbytes': short_bytes
            'code::binbytes': bytes
            'code::short_binunicode': short_text
            'code::binunicode': text
            'code::bytearray8': bytes8
            'code::binput': u1
            'code::binget': u1
            'code::long_binput': u4
            'code::long_binget': u4
            'code::ext1': u1
  line:
    seq: [{id: text, type: str, terminator: 0x0a, encoding: ISO-8859-1}]
  names:
    seq:
      - {id: module, type: str, terminator: 0x0a}
      - {id: name, type: str, terminator: 0x0a}
    instances:
      qualified: {value: 'module + "." + name'}
  long1:
    seq:
      - {id: length, type: u1}
      - {id: bytes, size: length}
  short_bytes:
    seq:
      - {id: length, type: u1}
      - {id: data, size: length}
  bytes:
    seq:
      - {id: length, type: u4}
      - {id: data, size: length}
  bytes8:
    seq:
      - {id: length, type: u8}
      - {id: data, size: length}
  short_text:
    seq:
      - {id: length, type: u1}
      - {id: text, type: str, size: length}
  text:
    seq:
      - {id: length, type: u4}
      - {id: text, type: str, size: length}
enums:
  code:
    0x28: mark
    0x29: empty_tuple
    0x2e: stop
    0x30: pop
    0x31: pop_mark
    0x32: dup
    0x42: binbytes
    0x43: short_binbytes
    0x46: float
    0x47: binfloat
    0x49: int
    0x4a: binint
    0x4b: binint1
    0x4c: long
    0x4d: binint2
    0x4e: none
    0x50: persid
    0x51: binpersid
    0x52: reduce
    0x53: string
    0x54: binstring
    0x55: short_binstring
    0x56: unicode
    0x58: binunicode
    0x5d: empty_list
    0x61: append
    0x62: build
    0x63: load_global
    0x64: dict
    0x65: appends
    0x67: get
    0x68: binget
    0x69: inst
    0x6a: long_binget
    0x6c: list
    0x6f: obj
    0x70: put
    0x71: binput
    0x72: long_binput
    0x73: setitem
    0x74: tuple
    0x75: setitems
    0x7d: empty_dict
    0x80: proto
    0x81: newobj
    0x82: ext1
    0x85: tuple1
    0x86: tuple2
    0x87: tuple3
    0x88: newtrue
    0x89: newfalse
    0x8a: long1
    0x8c: short_binunicode
    0x8f: empty_set
    0x90: additems
    0x91: frozenset
    0x92: newobj_ex
    0x93: stack_global
    0x94: memoize
    0x95: frame
    0x96: bytearray8
    0x97: next_buffer
    0x98: readonly_buffer
