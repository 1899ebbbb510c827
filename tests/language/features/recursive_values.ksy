# in: 03 01 02 00 07
# in: 02 00 05 09
# Instances that ask for themselves in other values: a cast of the inner use says the type. And sizes with counts.
meta:
  id: recursive_values
  endian: le
seq:
  - id: count
    type: u1
  - id: steps
    type: step(_index)
    repeat: expr
    repeat-expr: count
  - id: chain
    type: link
types:
  step:
    params:
      - id: at
        type: s4
    seq:
      - id: n
        type: u1
    instances:
      before:
        value: _parent.steps[at - 1]
        if: at > 0
      sum:
        value: 'at == 0 ? n : n + before.sum.as<u4>'
      text:
        value: 'at == 0 ? "x" : before.text.as<str> + n.to_s'
      is_odd:
        value: 'at == 0 ? n % 2 == 1 : before.is_even.as<bool> and n % 2 == 1'
      is_even:
        value: 'at == 0 ? n % 2 == 0 : not before.is_odd'
  link:
    seq:
      - id: n
        type: u1
        if: not _io.eof
      - id: next
        type: link
        if: not _io.eof
  sized:
    seq:
      - id: a
        type: u2
        repeat: expr
        repeat-expr: 3
      - id: b
        type: nibble
        repeat: expr
        repeat-expr: 1 + 2
      - id: c
        size: 5
        type: nibble
        repeat: expr
        repeat-expr: 2
      - id: d
        contents: ab
        if: false
  nibble:
    seq:
      - id: x
        type: b4
instances:
  sizes:
    value: sizeof<sized> * 10000 + bitsizeof<sized> * 10 + bitsizeof<nibble>
