# in: ff 02 aa bb 00 fe 07
# in: 02 01 02 aa 00 01 05 07
# in: 80 80 00 00 00
# A negative count is that of no element, whatever computes it.
meta:
  id: counts_negative
  endian: be
seq:
  - id: n
    type: s1
  - id: xs
    type: u1
    repeat: expr
    repeat-expr: n
  - id: m
    type: s1
  - id: pairs
    type: pair(m)
    repeat: expr
    repeat-expr: m - n - 2
  - id: none
    type: pair(0)
    repeat: expr
    repeat-expr: -1
  - id: by_sign
    type: s1
  - id: texts
    type: strz
    encoding: ASCII
    size: 1
    repeat: expr
    repeat-expr: 'by_sign > 0 ? by_sign : -by_sign - 3'
    if: by_sign != 7
types:
  pair:
    params:
      - id: count
        type: s1
    seq:
      - id: first
        type: b4
      - id: bits
        type: b1
        repeat: expr
        repeat-expr: count - 1
instances:
  ahead:
    pos: 1
    type: s1
    repeat: expr
    repeat-expr: n / 2
  counted:
    value: xs.size + pairs.size + none.size + ahead.size
