meta:
  id: webp
  title: A picture of WebP
  license: Apache-2.0
  endian: le
  encoding: ASCII
doc-ref: https://www.rfc-editor.org/rfc/rfc9649
seq:
  - {id: magic, contents: RIFF}
  - {id: size, type: u4}
  - {id: body, type: body, size: size}
types:
  body:
    seq:
      - {id: magic, contents: WEBP}
      - {id: chunks, type: chunk, repeat: eos}
  chunk:
    seq:
      - {id: name, type: str, size: 4}
      - {id: size, type: u4}
      - id: body
        size: size
        type:
          switch-on: name
          cases: {'"VP8 "': lossy, '"VP8L"': lossless, '"VP8X"': extended}
      - {id: padding, size: 1, if: size % 2 == 1}
  lossy:
    meta: {bit-endian: le}
    seq:
      - {id: is_no_key_frame, type: b1}
      - {id: version, type: b3}
      - {id: is_shown, type: b1}
      - {id: first_part_size, type: b19}
      - {id: start_code, contents: [0x9d, 0x01, 0x2a]}
      - {id: width, type: b14}
      - {id: horizontal_scale, type: b2}
      - {id: height, type: b14}
      - {id: vertical_scale, type: b2}
      - {id: data, size-eos: true}
  lossless:
    meta: {bit-endian: le}
    seq:
      - {id: signature, contents: [0x2f]}
      - {id: width_less_one, type: b14}
      - {id: height_less_one, type: b14}
      - {id: has_alpha, type: b1}
      - {id: version, type: b3}
      - {id: data, size-eos: true}
    instances:
      pixels: {value: (width_less_one + 1) * (height_less_one + 1)}
  extended:
    seq:
      - {id: reserved, type: b2}
      - {id: has_profile, type: b1}
      - {id: has_alpha, type: b1}
      - {id: has_exif, type: b1}
      - {id: has_xmp, type: b1}
      - {id: is_animation, type: b1}
      - {id: reserved_2, type: b1}
      - {id: reserved_3, size: 3}
      - {id: width_less_one, type: b24le}
      - {id: height_less_one, type: b24le}
