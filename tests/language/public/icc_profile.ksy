meta:
  id: icc_profile
  title: ICC color profile
  file-extension: [icc, icm]
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: Specification ICC.1:2022
seq:
  - {id: size, type: u4, valid: {expr: _ == _io.size}}
  - {id: header, type: header, size: 124}
  - {id: tags_count, type: u4}
  - {id: tags, type: tag, repeat: expr, repeat-expr: tags_count}
types:
  header:
    seq:
      - {id: preferred_module, size: 4}
      - {id: major_version, type: u1}
      - {id: minor_version, type: b4}
      - {id: fix_version, type: b4}
      - {id: reserved_version, size: 2}
      - {id: device_class, type: str, size: 4}
      - {id: color_space, type: str, size: 4}
      - {id: connection_space, type: str, size: 4}
      - {id: created, type: moment}
      - {id: magic, contents: acsp}
      - {id: platform, size: 4}
      - {id: flags, type: u4}
      - {id: manufacturer, size: 4}
      - {id: model, size: 4}
      - {id: attributes, type: u8}
      - {id: intent, type: u4, enum: intent}
      - {id: illuminant, type: xyz}
      - {id: creator, size: 4}
      - {id: profile_id, size: 16}
      - {id: reserved, size: 28}
  moment:
    seq:
      - {id: year, type: u2}
      - {id: month, type: u2}
      - {id: day, type: u2}
      - {id: hour, type: u2}
      - {id: minute, type: u2}
      - {id: second, type: u2}
  fixed:
    seq: [{id: raw, type: s4}]
    instances:
      value: {value: raw / 65536.0}
  xyz:
    seq:
      - {id: x, type: fixed}
      - {id: y, type: fixed}
      - {id: z, type: fixed}
  tag:
    seq:
      - {id: signature, type: str, size: 4}
      - {id: at, type: u4}
      - {id: length, type: u4}
    instances:
      element: {pos: at, size: length, type: element}
      padding: {pos: at + length, size: (4 - length % 4) % 4, if: at + length < _io.size}
  element:
    seq:
      - {id: kind, type: str, size: 4}
      - {id: reserved, type: u4}
      - id: body
        type:
          switch-on: kind
          cases:
            '"XYZ "': points
            '"curv"': curve
            '"para"': parametric
            '"mluc"': texts
            '"sf32"': numbers
            '"text"': text
            '"chrm"': chromaticity
            _: other
  points: {seq: [{id: points, type: xyz, repeat: eos}]}
  numbers: {seq: [{id: numbers, type: fixed, repeat: eos}]}
  text: {seq: [{id: text, type: strz}]}
  other: {seq: [{id: data, size-eos: true}]}
  curve:
    seq:
      - {id: count, type: u4}
      - {id: values, type: u2, repeat: expr, repeat-expr: count}
    instances:
      gamma: {value: 'values[0] / 256.0', if: count == 1}
  parametric:
    seq:
      - {id: function, type: u2}
      - {id: reserved, type: u2}
      - {id: parameters, type: fixed, repeat: eos}
  chromaticity:
    seq:
      - {id: channels_count, type: u2}
      - {id: colorant, type: u2}
      - {id: numbers, type: u4, repeat: expr, repeat-expr: 2 * channels_count}
  texts:
    seq:
      - {id: texts_count, type: u4}
      - {id: record_length, type: u4, valid: 12}
      - {id: texts, type: localized, repeat: expr, repeat-expr: texts_count}
  localized:
    seq:
      - {id: language, type: str, size: 2}
      - {id: country, type: str, size: 2}
      - {id: length, type: u4}
      - {id: at, type: u4, doc: from the start of the element}
    instances:
      text: {pos: at, size: length, type: str, encoding: UTF-16BE}
enums:
  intent: {0: perceptual, 1: relative, 2: saturation, 3: absolute}
