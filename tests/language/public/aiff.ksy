meta:
  id: aiff
  title: Audio Interchange File Format
  file-extension: [aiff, aif]
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: 'Audio Interchange File Format "AIFF", version 1.3, Apple, 1989'
seq:
  - {id: magic, contents: FORM}
  - {id: length, type: u4}
  - {id: form, type: form, size: length}
types:
  form:
    seq:
      - {id: kind, type: str, size: 4, valid: {any-of: ['"AIFF"', '"AIFC"']}}
      - {id: chunks, type: chunk, repeat: eos}
  chunk:
    seq:
      - {id: id, type: str, size: 4}
      - {id: length, type: u4}
      - id: body
        size: length
        type:
          switch-on: id
          cases:
            '"COMM"': common
            '"SSND"': sound
            '"NAME"': text
            '"AUTH"': text
            '"ANNO"': text
            '"FVER"': version
      - {id: padding, size: length % 2, if: not _io.eof}
  version: {seq: [{id: timestamp, type: u4, valid: 0xa2805140}]}
  common:
    seq:
      - {id: channels_count, type: s2}
      - {id: frames_count, type: u4}
      - {id: bits_per_sample, type: s2}
      - {id: sample_rate, type: extended}
      - {id: compression, type: compression, if: not _io.eof}
  compression:
    seq:
      - {id: kind, type: str, size: 4}
      - {id: name_length, type: u1}
      - {id: name, type: str, size: name_length}
      - {id: padding, size: (name_length + 1) % 2}
  extended:
    doc: A number of 80 bits, of which the first of the mantissa is written.
    seq:
      - {id: is_negative, type: b1}
      - {id: exponent, type: b15}
      - {id: mantissa, type: u8}
    instances:
      whole: {value: mantissa >> (63 - (exponent - 16383)), if: exponent >= 16383 and exponent <= 16446}
  sound:
    seq:
      - {id: at, type: u4}
      - {id: block_size, type: u4}
      - {id: samples, size-eos: true}
    instances:
      first_sample: {pos: 8 + at, type: s2, if: _io.size >= 10 + at}
  text: {seq: [{id: text, type: str, size-eos: true}]}
