# in: 40091eb851eb851f0580
# in: c0091eb851eb851f0100
# in: 40091eb851eb851f0900
meta:
  id: number_methods
  endian: be
  license: Apache-2.0
seq:
  - {id: real, type: f8}
  - {id: kind, type: u1, enum: kinds}
  - {id: flag, type: b1}
enums:
  kinds: {1: one, 5: five}
instances:
  whole: {value: real.to_i}
  code: {value: kind.to_i + 1}
  bit: {value: flag.to_i}
  is_five: {value: kind == kinds::five}
  text: {value: kind.to_i.to_s}
  named: {value: 5, enum: kinds}
  unnamed: {value: 6, enum: kinds}
  ratio: {value: real * 2.5}
