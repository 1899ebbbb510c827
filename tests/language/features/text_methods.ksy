# in: 313261626364
# in: 39397a7a7a7a
# in: 787879797a7a
meta:
  id: text_methods
  endian: be
  license: Apache-2.0
seq:
  - {id: text, type: str, size: 6, encoding: UTF-8}
instances:
  length: {value: text.length}
  reversed: {value: text.reverse}
  part: {value: 'text.substring(1, 4)'}
  number: {value: 'text.substring(0, 2).to_i'}
  hex: {value: 'text.substring(0, 2).to_i(16)'}
  is_it: {value: 'text == "12abcd"'}
  before: {value: 'text < "2"'}
  both: {value: 'text + "-" + text'}
