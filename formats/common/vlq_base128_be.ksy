meta:
  id: vlq_base128_be
  title: Number of variable length, most significant group first
  license: Apache-2.0
  ks-version: '0.10'
  bit-endian: be
doc: |
  Seven bits of the number are in each byte, the highest in the first; the highest bit of a byte says that another one
  follows. So MIDI files and ASN.1 write it. Of more than eight bytes the last eight count.

  The names are those of the declaration that Kaitai's library has under the same path, for which this one stands.
doc-ref: https://en.wikipedia.org/wiki/Variable-length_quantity
seq:
  - id: groups
    type: group
    repeat: until
    repeat-until: not _.has_next
types:
  group:
    seq:
      - id: has_next
        type: b1
      - id: value
        type: b7
instances:
  last:
    value: groups.size - 1
  value:
    value: >-
      (groups[last].value
      + (last > 0 ? groups[last - 1].value * 0x80 : 0)
      + (last > 1 ? groups[last - 2].value * 0x4000 : 0)
      + (last > 2 ? groups[last - 3].value * 0x200000 : 0)
      + (last > 3 ? groups[last - 4].value * 0x10000000 : 0)
      + (last > 4 ? groups[last - 5].value * 0x800000000 : 0)
      + (last > 5 ? groups[last - 6].value * 0x40000000000 : 0)
      + (last > 6 ? groups[last - 7].value * 0x2000000000000 : 0)).as<u8>
    doc: The number, which has no sign.
