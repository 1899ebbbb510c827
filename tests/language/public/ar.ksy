meta:
  id: ar
  title: Unix archive of ar
  file-extension: a
  license: Apache-2.0
  encoding: ASCII
doc-ref: https://man7.org/linux/man-pages/man5/ar.5.html
seq:
  - {id: magic, contents: "!<arch>\n"}
  - {id: members, type: member, repeat: eos}
types:
  member:
    seq:
      - {id: name, type: str, size: 16, pad-right: 0x20}
      - {id: modified_text, type: str, size: 12, pad-right: 0x20}
      - {id: user_text, type: str, size: 6, pad-right: 0x20}
      - {id: group_text, type: str, size: 6, pad-right: 0x20}
      - {id: mode_text, type: str, size: 8, pad-right: 0x20}
      - {id: length_text, type: str, size: 10, pad-right: 0x20}
      - {id: end, contents: "`\n"}
      - id: content
        size: length
        type:
          switch-on: name
          cases:
            '"//"': long_names
            '"/"': symbols
      - {id: padding, size: length % 2}
    instances:
      length: {value: length_text.to_i}
      modified: {value: modified_text.to_i, if: modified_text != ""}
      mode: {value: mode_text.to_i(8), if: mode_text != ""}
      has_long_name: {value: 'name.length > 1 and name.substring(0, 1) == "/" and name != "//"'}
      long_name:
        io: _root.members.first.content.as<long_names>._io
        pos: name.substring(1, name.length).to_i
        type: str
        terminator: 0x2f
        if: has_long_name
  long_names:
    seq: [{id: names, type: str, terminator: 0x0a, eos-error: false, repeat: eos}]
  symbols:
    meta: {endian: be}
    seq:
      - {id: count, type: u4}
      - {id: members_at, type: u4, repeat: expr, repeat-expr: count}
      - {id: names, type: strz, repeat: expr, repeat-expr: count}
