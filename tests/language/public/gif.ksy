meta:
  id: gif
  title: Graphics Interchange Format
  license: Apache-2.0
  endian: le
doc-ref: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
seq:
  - {id: magic, contents: GIF}
  - {id: version, type: str, size: 3, encoding: ASCII, valid: {any-of: ['"87a"', '"89a"']}}
  - {id: screen, type: screen}
  - id: global_colors
    type: color
    repeat: expr
    repeat-expr: screen.colors
    if: screen.has_colors
  - {id: blocks, type: block, repeat: until, repeat-until: _.kind == kinds::trailer}
types:
  screen:
    seq:
      - {id: width, type: u2}
      - {id: height, type: u2}
      - {id: has_colors, type: b1}
      - {id: color_resolution, type: b3}
      - {id: is_sorted, type: b1}
      - {id: colors_power, type: b3}
      - {id: background, type: u1}
      - {id: aspect_ratio, type: u1}
    instances:
      colors: {value: 2 << colors_power}
  color:
    seq:
      - {id: red, type: u1}
      - {id: green, type: u1}
      - {id: blue, type: u1}
  block:
    seq:
      - {id: kind, type: u1, enum: kinds}
      - id: body
        type:
          switch-on: kind
          cases: {'kinds::extension': extension, 'kinds::image': image}
  extension:
    seq:
      - {id: label, type: u1, enum: labels}
      - id: body
        type:
          switch-on: label
          cases: {'labels::control': control, 'labels::application': application, _: parts}
  control:
    seq:
      - {id: size, type: u1, valid: 4}
      - {id: reserved, type: b3}
      - {id: disposal, type: b3}
      - {id: waits_for_user, type: b1}
      - {id: has_transparency, type: b1}
      - {id: delay_hundredths, type: u2}
      - {id: transparent, type: u1}
      - {id: end, contents: [0]}
  application:
    seq:
      - {id: size, type: u1, valid: 11}
      - {id: name, type: str, size: 8, encoding: ASCII}
      - {id: code, size: 3}
      - {id: parts, type: parts}
  image:
    seq:
      - {id: left, type: u2}
      - {id: top, type: u2}
      - {id: width, type: u2}
      - {id: height, type: u2}
      - {id: has_colors, type: b1}
      - {id: is_interlaced, type: b1}
      - {id: is_sorted, type: b1}
      - {id: reserved, type: b2}
      - {id: colors_power, type: b3}
      - {id: colors, type: color, repeat: expr, repeat-expr: 2 << colors_power, if: has_colors}
      - {id: smallest_code_bits, type: u1}
      - {id: parts, type: parts}
  parts:
    seq:
      - {id: parts, type: part, repeat: until, repeat-until: _.size == 0}
  part:
    seq:
      - {id: size, type: u1}
      - {id: data, size: size}
enums:
  kinds: {0x21: extension, 0x2c: image, 0x3b: trailer}
  labels: {0x01: text, 0xf9: control, 0xfe: comment, 0xff: application}
