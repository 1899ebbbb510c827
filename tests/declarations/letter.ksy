meta:
  id: letter
  title: Of everything that has no fixed size
  license: CC0-1.0
  imports:
    - varint
    - littles
  endian: be
  encoding: UTF-8
seq:
  - id: version
    type: u1
    valid:
      any-of: [1, 2]
    -derive: 2
  - id: language
    type: str
    size: 2
    valid:
      any-of: ["'de'", "'en'"]
  - id: options
    type: options
  - id: sender_length
    type: u1
  - id: sender
    type: str
    size: sender_length
    encoding: UTF-8
  - id: subject_length
    type: varint(5)
  - id: subject
    type: str
    size: subject_length.value
    if: subject_length.value >= 0
  - id: priority
    type: s2
    if: options.has_priority
    enum: priority
  - id: paragraphs_count
    type: varint::unsigned(5)
    valid:
      expr: _.value <= 1000
  - id: paragraphs
    type: paragraph(version)
    repeat: expr
    repeat-expr: paragraphs_count.value
  - id: numbers_length
    type: u2
  - id: numbers
    type: littles
    size: numbers_length
    -inline: true
  - id: stamp_length
    type: s1
  - id: stamp
    type: stamp
    size: stamp_length
    if: stamp_length >= 0
  - id: postscript
    size-eos: true
types:
  options:
    seq:
      - id: reserved
        type: b7
        -derive: 0
      - id: has_priority
        type: b1
        -derive: 0
  paragraph:
    params:
      - id: version
        type: u1
    seq:
      - id: weight
        type: varint(10)
        -derive: 0
      - id: words_count
        type: u1
      - id: words
        type: word
        repeat: expr
        repeat-expr: words_count
      - id: note
        size: 2
        if: version >= 2
  word:
    seq:
      - id: length
        type: varint(5)
        valid:
          expr: _.value >= 0
      - id: text
        size: length.value
  stamp:
    seq:
      - id: cents
        type: u2
      - id: codes
        size: 2
        repeat: eos
enums:
  priority:
    -1: low
    0: normal
    1: high
