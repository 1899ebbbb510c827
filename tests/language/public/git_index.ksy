meta:
  id: git_index
  title: Git's index of the work tree
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc-ref: https://git-scm.com/docs/index-format
-checksum: {algorithm: sha1, field: digest}
seq:
  - {id: magic, contents: DIRC}
  - {id: version, type: u4, valid: {min: 2, max: 3}}
  - {id: entries_count, type: u4}
  - {id: entries, type: entry, repeat: expr, repeat-expr: entries_count}
  - {id: extensions, type: extensions, size: _io.size - _io.pos - 20}
  - {id: digest, size: 20}
types:
  moment:
    seq:
      - {id: seconds, type: u4}
      - {id: nanoseconds, type: u4}
  entry:
    seq:
      - {id: changed, type: moment}
      - {id: modified, type: moment}
      - {id: device, type: u4}
      - {id: inode, type: u4}
      - {id: reserved, type: b16}
      - {id: kind, type: b4, enum: kind, valid: {in-enum: true}}
      - {id: unused, type: b3}
      - {id: permissions, type: b9}
      - {id: user, type: u4}
      - {id: group, type: u4}
      - {id: size, type: u4}
      - {id: object, size: 20}
      - {id: is_assumed_valid, type: b1}
      - {id: is_extended, type: b1}
      - {id: stage, type: b2}
      - {id: name_length, type: b12, valid: {max: 4094}}
      - {id: more, type: more, if: is_extended}
      - {id: name, type: str, size: name_length}
      - {id: padding, size: '8 - (62 + (is_extended ? 2 : 0) + name_length) % 8'}
    instances:
      is_executable: {value: 'kind == kind::regular and permissions & 64 != 0'}
  more:
    seq:
      - {id: reserved, type: b1}
      - {id: is_skipped, type: b1}
      - {id: is_intended, type: b1}
      - {id: unused, type: b13}
  extensions: {seq: [{id: extensions, type: extension, repeat: eos}]}
  extension:
    seq:
      - {id: signature, type: str, size: 4}
      - {id: length, type: u4}
      - id: body
        size: length
        type:
          switch-on: signature
          cases:
            '"TREE"': trees
  trees: {seq: [{id: trees, type: tree, repeat: eos}]}
  tree:
    seq:
      - {id: name, type: strz}
      - {id: entries_count, type: str, terminator: 0x20}
      - {id: subtrees_count, type: str, terminator: 0x0a}
      - {id: object, size: 20, if: is_valid}
    instances:
      is_valid: {value: 'entries_count.substring(0, 1) != "-"'}
      count: {value: subtrees_count.to_i}
enums:
  kind: {8: regular, 10: link, 14: submodule}
