meta:
  id: tar
  title: An archive of tar, as POSIX has it
  license: Apache-2.0
  encoding: UTF-8
doc-ref: IEEE Std 1003.1, pax, ustar Interchange Format
seq:
  - {id: entries, type: entry, repeat: until, repeat-until: _.is_end or _io.eof}
  - {id: padding, size-eos: true}
types:
  entry:
    seq:
      - {id: header, type: header, size: 512}
      - id: body
        size: size
        type:
          switch-on: header.kind
          cases: {'"x"': attributes, '"g"': attributes}
      - {id: padding, size: (512 - size % 512) % 512}
    instances:
      is_end: {value: header.name == ""}
      size: {value: 'is_end ? 0 : header.size.to_i(8)'}
      path: {value: 'header.prefix == "" ? header.name : header.prefix + "/" + header.name'}
  header:
    -checksum:
      algorithm: sum32
      field: checksum
      from: name
      to: padding
      blank: 0x20
      digits: octal
      if: name != ""
    seq:
      - {id: name, type: strz, size: 100}
      - {id: mode, type: strz, size: 8}
      - {id: user, type: strz, size: 8}
      - {id: group, type: strz, size: 8}
      - {id: size, type: strz, size: 12}
      - {id: modified_s, type: strz, size: 12}
      - {id: checksum, size: 8}
      - {id: kind, type: str, size: 1}
      - {id: target, type: strz, size: 100}
      - {id: magic, type: strz, size: 6}
      - {id: version, type: str, size: 2}
      - {id: user_name, type: strz, size: 32}
      - {id: group_name, type: strz, size: 32}
      - {id: major, type: strz, size: 8}
      - {id: minor, type: strz, size: 8}
      - {id: prefix, type: strz, size: 155}
      - {id: padding, size: 12}
    instances:
      mode_bits: {value: mode.to_i(8), if: mode != ""}
  attributes: {seq: [{id: attributes, type: attribute, repeat: eos}]}
  attribute:
    seq:
      - {id: size, type: str, terminator: 0x20}
      - {id: line, type: line, size: size.to_i - size.length - 1}
  line:
    seq:
      - {id: name, type: str, terminator: 0x3d}
      - {id: value, type: str, terminator: 0x0a}
