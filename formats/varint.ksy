meta:
  id: varint
  title: Zigzag variable-length integer, as Kafka writes it
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A signed integer in base-128 groups, least significant group first; the highest bit of a byte says that another one
  follows. The unsigned number so made is zigzag-coded: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...

  `max_len` is 5 for Kafka's `varint` (32 bits) and 10 for its `varlong` (64 bits). Excess high bits of the last
  possible byte are dropped, as Kafka's reader drops them; a last possible byte that announces another one is an error.
  Writers emit the shortest form, readers accept longer ones within the limit.

  Where a back end has a native implementation it uses that (`-intrinsic`); the body below is for everybody else. It
  multiplies where others shift, so that JavaScript stays exact up to 2^53.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/utils/ByteUtils.java readVarint, readVarlong
-intrinsic: zigzag
params:
  - id: max_len
    type: u1
    doc: Largest number of bytes, 5 or 10; it also decides the width, 32 or 64 bits.
seq:
  - id: raw
    type: unsigned(max_len)
    doc: The number before its zigzag is undone.
instances:
  value:
    value: 'raw.value % 2 == 0 ? raw.value / 2 : -(raw.value / 2) - 1'
    doc: The signed number.
types:
  unsigned:
    doc: |
      The same groups without the zigzag: Kafka's `unsigned varint`, which counts the elements and bytes of compact
      arrays and strings in its flexible message versions (KIP-482).
    -intrinsic: unsigned
    params:
      - id: max_len
        type: u1
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 0x80 or _index == max_len - 1
      - id: terminated
        size: 0
        valid:
          expr: groups.last < 0x80
        doc: The last possible byte may not announce another one.
    instances:
      value:
        value: >-
          (groups[0] % 0x80)
          + (groups.size > 1 ? (groups[1] % 0x80) * 0x80 : 0)
          + (groups.size > 2 ? (groups[2] % 0x80) * 0x4000 : 0)
          + (groups.size > 3 ? (groups[3] % 0x80) * 0x200000 : 0)
          + (groups.size > 4 ? (groups[4] % (max_len == 5 ? 0x10 : 0x80)) * 0x10000000 : 0)
          + (groups.size > 5 ? (groups[5] % 0x80) * 0x800000000 : 0)
          + (groups.size > 6 ? (groups[6] % 0x80) * 0x40000000000 : 0)
          + (groups.size > 7 ? (groups[7] % 0x80) * 0x2000000000000 : 0)
          + (groups.size > 8 ? (groups[8] % 0x80) * 0x100000000000000 : 0)
          + (groups.size > 9 ? (groups[9] % 2) * 0x8000000000000000 : 0)
        doc: The unsigned number.
