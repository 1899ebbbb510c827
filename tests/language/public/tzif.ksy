meta:
  id: tzif
  title: Time zone information
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: RFC 8536
seq:
  - {id: header, type: header}
  - {id: data, type: 'data(header, 4)'}
  - {id: header_2, type: header, if: header.version >= 0x32}
  - {id: data_2, type: 'data(header_2, 8)', if: header.version >= 0x32}
  - {id: footer, type: footer, if: header.version >= 0x32}
types:
  header:
    seq:
      - {id: magic, contents: TZif}
      - {id: version, type: u1, valid: {any-of: [0, 0x32, 0x33, 0x34]}}
      - {id: reserved, size: 15}
      - {id: universal_marks_count, type: u4}
      - {id: standard_marks_count, type: u4}
      - {id: leap_seconds_count, type: u4}
      - {id: transitions_count, type: u4}
      - {id: kinds_count, type: u4, valid: {min: 1}}
      - {id: names_length, type: u4}
  data:
    params:
      - {id: header, type: header}
      - {id: width, type: u1}
    seq:
      - id: transitions
        repeat: expr
        repeat-expr: header.transitions_count
        type:
          switch-on: width
          cases: {4: s4, 8: s8}
      - {id: kind_numbers, type: u1, repeat: expr, repeat-expr: header.transitions_count}
      - {id: kinds, type: kind, repeat: expr, repeat-expr: header.kinds_count}
      - {id: names, type: names, size: header.names_length}
      - {id: leap_seconds, type: leap_second(width), repeat: expr, repeat-expr: header.leap_seconds_count}
      - {id: standard_marks, type: u1, repeat: expr, repeat-expr: header.standard_marks_count}
      - {id: universal_marks, type: u1, repeat: expr, repeat-expr: header.universal_marks_count}
    instances:
      last_transition: {value: transitions.last, if: header.transitions_count > 0}
  kind:
    seq:
      - {id: offset_s, type: s4}
      - {id: is_summer, type: u1, valid: {max: 1}}
      - {id: name_at, type: u1}
    instances:
      name: {io: _parent.names._io, pos: name_at, type: strz}
      offset_hours: {value: offset_s / 3600.0}
  names:
    seq: [{id: names, type: strz, repeat: eos}]
  leap_second:
    params: [{id: width, type: u1}]
    seq:
      - id: occurs
        type:
          switch-on: width
          cases: {4: s4, 8: s8}
      - {id: correction, type: s4}
  footer:
    seq:
      - {id: start, contents: "\n"}
      - {id: rule, type: str, terminator: 0x0a}
