# in: 05 61 62 63 01 02 00 03 04 05
# in: 00 01 02 00 03 04 05
# What Kaitai's compiler takes of YAML: tabs in and after plain text, tags, anchors, merge keys, one name for a list.
meta:
  id: yaml_forms
  endian: le
  title: [a title, that nobody reads]
  imports: imported
  file-extension: bin
doc: 1:30
seq:
  - id: size	# a tab before a comment
    type: u1	
    doc: Int,	the size
    -orig-id: 0x10
  - id: text
    doc: ! Blocks
    size: 'size == 0 ? 0 : 3'
    type: ! str
    encoding: !!str ASCII
  - &number {id: first, type: &kind u2}
  - id	: second
    type: *kind
    if: !!bool 'true'
    doc: true
  - {<<: *number, id: third}
types: !!map
  unused:
    seq: ! []
instances:
  minutes: {value: 1:30}
  octal: {value: 010}
  tagged: {value: !!int '0x1_0'}
enums:
  numbers: {010: eight, 0b11: three}
