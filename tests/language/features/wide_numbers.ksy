# in: 0000000000000000000000000000000001 112210f47de98115 000000000000000001 000000000000000003
# in: 0372dd5f0c45d3d1a0b0000000000000ff 112210f47de98115 010000000000000000 020000000000000003 07
# Integers of more than 64 bits, as literals, in rules, and as what constants come to.
meta:
  id: wide_numbers
  endian: be
seq:
  - id: a
    type: b136
    valid:
      max: 4581000000000000000000000000000000000000
  - id: b
    type: u8
    valid:
      expr: _ < 1234567890123456789 * 16 and a != 99999999999999999999999
  - id: c
    type: b72
    repeat: until
    repeat-until: _ & 0xff == 3 or _ > 0x2ffffffffffffffff0
    valid:
      any-of: [1, 0x010000000000000000, 3, 1 << 65 | 3]
  - id: d
    type: u1
    if: a > 98765432109876543210
instances:
  sum:
    value: a + 123456789012345678901234567890
  chosen:
    value: 'b > 18446744073709551616 ? 1 : 99999999999999999999'
  several:
    value: '[1, 36893488147419103232, -99999999999999999999]'
  product:
    value: 0xffffffff * 0xffffffff * 0xffffffff - 0x1_0000_0000_0000_0000
