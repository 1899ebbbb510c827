meta:
  id: bcd
  title: Decimal digits in four or eight bits each
  license: Apache-2.0
  ks-version: '0.10'
doc: |
  One to eight digits of a number. The names are those of the declaration that Kaitai's library has under the same path,
  for which this one stands.
doc-ref: https://en.wikipedia.org/wiki/Binary-coded_decimal
params:
  - id: num_digits
    type: u1
    doc: How many digits there are, 1 to 8.
  - id: bits_per_digit
    type: u1
    doc: 4 or 8.
  - id: is_le
    type: bool
    doc: Whether the first digit is that of the ones.
seq:
  - id: digits
    type:
      switch-on: bits_per_digit
      cases:
        4: b4
        8: u1
    repeat: expr
    repeat-expr: num_digits
instances:
  as_int:
    value: 'is_le ? as_int_le : as_int_be'
    doc: The number.
  as_int_le:
    value: >-
      digits[0]
      + (num_digits > 1 ? digits[1] * 10 : 0)
      + (num_digits > 2 ? digits[2] * 100 : 0)
      + (num_digits > 3 ? digits[3] * 1000 : 0)
      + (num_digits > 4 ? digits[4] * 10000 : 0)
      + (num_digits > 5 ? digits[5] * 100000 : 0)
      + (num_digits > 6 ? digits[6] * 1000000 : 0)
      + (num_digits > 7 ? digits[7] * 10000000 : 0)
  last_idx:
    value: num_digits - 1
  as_int_be:
    value: >-
      digits[last_idx]
      + (num_digits > 1 ? digits[last_idx - 1] * 10 : 0)
      + (num_digits > 2 ? digits[last_idx - 2] * 100 : 0)
      + (num_digits > 3 ? digits[last_idx - 3] * 1000 : 0)
      + (num_digits > 4 ? digits[last_idx - 4] * 10000 : 0)
      + (num_digits > 5 ? digits[last_idx - 5] * 100000 : 0)
      + (num_digits > 6 ? digits[last_idx - 6] * 1000000 : 0)
      + (num_digits > 7 ? digits[last_idx - 7] * 10000000 : 0)
