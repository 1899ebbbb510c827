meta:
  id: vlq_base128_le
  title: Number of variable length, least significant group first
  license: Apache-2.0
  ks-version: '0.10'
  bit-endian: be
doc: |
  Seven bits of the number are in each byte, the lowest in the first; the highest bit of a byte says that another one
  follows. So LEB128, DWARF, WebAssembly and Protocol Buffers write it. At most ten bytes, which hold 64 bits.

  The names are those of the declaration that Kaitai's library has under the same path, for which this one stands.
doc-ref: https://en.wikipedia.org/wiki/LEB128
seq:
  - id: groups
    type: group(_index)
    repeat: until
    repeat-until: not _.has_next
types:
  group:
    params:
      - id: idx
        type: s4
    seq:
      - id: has_next
        type: b1
        valid:
          expr: idx < 9 or not _
      - id: value
        type: b7
        valid:
          expr: idx < 9 or _ < 2
instances:
  len:
    value: groups.size
  value:
    value: >-
      (groups[0].value
      + (len > 1 ? groups[1].value * 0x80 : 0)
      + (len > 2 ? groups[2].value * 0x4000 : 0)
      + (len > 3 ? groups[3].value * 0x200000 : 0)
      + (len > 4 ? groups[4].value * 0x10000000 : 0)
      + (len > 5 ? groups[5].value * 0x800000000 : 0)
      + (len > 6 ? groups[6].value * 0x40000000000 : 0)
      + (len > 7 ? groups[7].value * 0x2000000000000 : 0)
      + (len > 8 ? groups[8].value * 0x100000000000000 : 0)
      + (len > 9 ? groups[9].value * 0x8000000000000000 : 0)).as<u8>
    doc: The number without a sign.
  sign_bit:
    value: '(len > 9 ? 0x8000000000000000 : 1 << (7 * len - 1)).as<u8>'
  value_signed:
    value: '(value >= sign_bit ? value - sign_bit - sign_bit : value).as<s8>'
    doc: The number whose highest bit in the last group is its sign (SLEB128).
