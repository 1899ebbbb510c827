# in: 61006200000063000000006100000062
# in: 610062
meta:
  id: strz_wide
  endian: be
  license: Apache-2.0
seq:
  - {id: first, type: strz, encoding: UTF-16LE}
  - {id: second, type: strz, encoding: UTF-16LE}
  - {id: sized, size: 6, type: strz, encoding: UTF-16BE}
