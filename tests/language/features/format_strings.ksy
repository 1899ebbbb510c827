# in: 0761626300
meta:
  id: format_strings
  endian: be
  encoding: ASCII
  license: Apache-2.0
seq: [{id: a, type: u1}, {id: name, type: strz}]
instances:
  told: {value: 'f"{name}={a}"'}
  plain: {value: 'f"no value"'}
