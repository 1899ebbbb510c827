meta:
  id: git_object
  title: Git's loose object
  license: Apache-2.0
  encoding: UTF-8
doc-ref: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
seq:
  - {id: object, size-eos: true, process: zlib, type: object}
types:
  object:
    seq:
      - {id: kind, type: str, terminator: 0x20}
      - {id: length_text, type: strz}
      - id: content
        size: length
        type:
          switch-on: kind
          cases:
            '"tree"': tree
            '"commit"': commit
            '"tag"': commit
            _: blob
    instances:
      length: {value: length_text.to_i}
  blob: {seq: [{id: data, size-eos: true}]}
  tree: {seq: [{id: entries, type: entry, repeat: eos}]}
  entry:
    seq:
      - {id: mode_text, type: str, terminator: 0x20}
      - {id: name, type: strz}
      - {id: object, size: 20}
    instances:
      mode: {value: mode_text.to_i(8)}
      is_tree: {value: mode_text == "40000"}
  commit:
    seq:
      - {id: headers, type: header, repeat: until, repeat-until: _.line == ""}
      - {id: message, type: str, size-eos: true}
  header:
    seq: [{id: line, type: str, terminator: 0x0a}]
    instances:
      is_parent: {value: 'line.length > 7 and line.substring(0, 7) == "parent "'}
