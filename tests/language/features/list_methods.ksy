# in: 030001ffff00096262006100
# in: 01000178007900
# in: 000000
meta:
  id: list_methods
  endian: be
  encoding: ASCII
  license: Apache-2.0
seq:
  - {id: count, type: u1}
  - {id: items, type: s2, repeat: expr, repeat-expr: count}
  - {id: names, type: strz, repeat: expr, repeat-expr: 2}
instances:
  size: {value: items.size}
  first: {value: items.first, if: count > 0}
  last: {value: items.last, if: count > 0}
  least: {value: items.min, if: count > 0}
  most: {value: items.max, if: count > 0}
  second: {value: 'items[1]'}
  longest: {value: names.max}
  own: {value: '[items[0] + 1, 5, 7]'}
