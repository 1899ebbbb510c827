# in: 4e554d420430313032544558540461626300454c5345027879454e442e017a
# in: 4e554d4203303132
meta:
  id: switch_strings_and_default
  endian: be
  license: Apache-2.0
seq:
  - {id: chunks, type: chunk, repeat: until, repeat-until: '_.name == "END."'}
types:
  chunk:
    seq:
      - {id: name, type: str, size: 4, encoding: ASCII}
      - {id: len, type: u1}
      - id: body
        size: len
        type:
          switch-on: name
          cases:
            '"NUMB"': numbers
            '"TEXT"': text
            _: raw
  numbers: {seq: [{id: all, type: u2, repeat: eos}]}
  text: {seq: [{id: value, type: strz, encoding: ASCII}]}
  raw: {seq: [{id: first, type: u1}]}
