meta:
  id: telemetry
  title: Fixed-size readings, in both byte orders
  license: CC0-1.0
  endian: le
  encoding: ASCII
seq:
  - id: readings
    type: reading
    repeat: eos
types:
  reading:
    -row: true
    -check: increasing(sequence)
    seq:
      - id: mark
        contents: [0x54, 0x4c]
      - id: sequence
        type: u4
      - id: station
        type: s8be
      - id: temperature
        type: f4
      - id: pressure
        type: f8be
      - id: flags
        type: flags
      - id: tag
        type: str
        size: 4
      - id: kind
        type: u2
        enum: kind
      - id: samples
        type: s2
        repeat: expr
        repeat-expr: 3
      - id: corners
        type: point
        repeat: expr
        repeat-expr: 2
      - id: key
        size: 16
  flags:
    seq:
      - id: reserved
        type: b5
        -derive: 0
      - id: is_calibrated
        type: b1
      - id: unit
        type: b2
        enum: unit
  point:
    seq:
      - id: x
        type: s4
      - id: y
        type: s4be
enums:
  unit:
    0: celsius
    1: kelvin
  kind:
    1: indoor
    2: outdoor
