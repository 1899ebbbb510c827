# in: 61626364
# in: 017a4102
# in: fffefdfc
meta:
  id: byte_methods
  endian: be
  license: Apache-2.0
seq:
  - {id: data, size: 4}
instances:
  size: {value: data.length}
  first: {value: data.first}
  last: {value: data.last}
  third: {value: 'data[2]'}
  least: {value: data.min}
  most: {value: data.max}
  text: {value: 'data.to_s("ASCII")'}
  is_it: {value: 'data == [0x61, 0x62, 0x63, 0x64]'}
  before: {value: 'data < [0x62]'}
