meta:
  id: png
  title: Portable Network Graphics
  license: Apache-2.0
  endian: be
doc-ref: https://www.w3.org/TR/png/
seq:
  - {id: signature, contents: [0x89, PNG, 13, 10, 26, 10]}
  - {id: chunks, type: chunk, repeat: until, repeat-until: '_.name == "IEND" or _io.eof'}
instances:
  header: {value: 'chunks[0].body.as<header>'}
  channels:
    value: 'header.color == colors::rgb ? 3 : header.color == colors::rgb_alpha ? 4 : header.color == colors::gray_alpha ? 2 : 1'
  row_bytes: {value: (header.width * channels * header.depth + 7) / 8}
types:
  chunk:
    -checksum: {algorithm: crc32, field: crc_32, from: name}
    seq:
      - {id: size, type: u4}
      - {id: name, type: str, size: 4, encoding: ASCII}
      - id: body
        size: size
        type:
          switch-on: name
          cases:
            '"IHDR"': header
            '"PLTE"': palette
            '"pHYs"': pixel_size
            '"tEXt"': text
            '"zTXt"': compressed_text
            '"tRNS"': transparency
            '"tIME"': time
            '"gAMA"': gamma
      - {id: crc_32, type: u4}
  header:
    seq:
      - {id: width, type: u4, valid: {min: 1}}
      - {id: height, type: u4, valid: {min: 1}}
      - {id: depth, type: u1, valid: {any-of: [1, 2, 4, 8, 16]}}
      - {id: color, type: u1, enum: colors, valid: {in-enum: true}}
      - {id: compression, type: u1, valid: 0}
      - {id: filter, type: u1}
      - {id: interlace, type: u1, enum: interlaces}
  palette:
    seq: [{id: entries, type: color, repeat: eos}]
  color:
    seq:
      - {id: red, type: u1}
      - {id: green, type: u1}
      - {id: blue, type: u1}
  pixel_size:
    seq:
      - {id: x, type: u4}
      - {id: y, type: u4}
      - {id: unit, type: u1, enum: units}
    instances:
      dots_per_inch: {value: x * 0.0254, if: unit == units::meter}
  text:
    seq:
      - {id: keyword, type: strz, encoding: ISO-8859-1}
      - {id: text, type: str, size-eos: true, encoding: ISO-8859-1}
  compressed_text:
    seq:
      - {id: keyword, type: strz, encoding: ISO-8859-1}
      - {id: method, type: u1, valid: 0}
      - {id: text, size-eos: true, process: zlib}
  transparency:
    seq:
      - id: of
        type:
          switch-on: '_root.chunks[0].body.as<header>.color'
          cases: {'colors::gray': gray, 'colors::rgb': rgb, 'colors::indexed': alphas}
    types:
      gray: {seq: [{id: gray, type: u2}]}
      rgb: {seq: [{id: red, type: u2}, {id: green, type: u2}, {id: blue, type: u2}]}
      alphas: {seq: [{id: alphas, type: u1, repeat: eos}]}
  time:
    seq:
      - {id: year, type: u2}
      - {id: month, type: u1}
      - {id: day, type: u1}
      - {id: hour, type: u1}
      - {id: minute, type: u1}
      - {id: second, type: u1}
  gamma:
    seq: [{id: times_100000, type: u4}]
    instances:
      gamma: {value: times_100000 / 100000.0}
enums:
  colors: {0: gray, 2: rgb, 3: indexed, 4: gray_alpha, 6: rgb_alpha}
  interlaces: {0: none, 1: adam_7}
  units: {0: unknown, 1: meter}
