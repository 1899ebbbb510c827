meta:
  id: midi
  title: Standard MIDI file
  file-extension: mid
  license: Apache-2.0
  endian: be
  encoding: ISO-8859-1
doc-ref: The Complete MIDI 1.0 Detailed Specification, RP-001
seq:
  - {id: header_magic, contents: MThd}
  - {id: header_length, type: u4}
  - {id: header, type: header, size: header_length}
  - {id: tracks, type: track, repeat: expr, repeat-expr: header.tracks_count}
types:
  header:
    seq:
      - {id: format, type: u2, enum: format, valid: {in-enum: true}}
      - {id: tracks_count, type: u2}
      - {id: division, type: s2}
    instances:
      ticks_per_quarter: {value: division, if: division > 0}
      ticks_per_frame: {value: division & 0xff, if: division < 0}
  track:
    seq:
      - {id: magic, contents: MTrk}
      - {id: length, type: u4}
      - {id: events, type: events, size: length}
  events:
    seq:
      - {id: events, type: 'event(_index == 0 ? 0 : events[_index - 1].status)', repeat: eos}
  number:
    doc: Seven bits in each byte, the highest first.
    seq:
      - {id: groups, type: group, repeat: until, repeat-until: not _.goes_on}
    instances:
      count: {value: groups.size}
      value:
        value: >-
          groups[count - 1].bits
          + (count > 1 ? groups[count - 2].bits << 7 : 0)
          + (count > 2 ? groups[count - 3].bits << 14 : 0)
          + (count > 3 ? groups[count - 4].bits << 21 : 0)
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  event:
    params:
      - {id: previous, type: u1}
    seq:
      - {id: delta, type: number}
      - {id: head, type: u1}
      - id: body
        type:
          switch-on: 'status < 0xf0 ? status >> 4 : status'
          cases:
            0x8: note(is_running, head)
            0x9: note(is_running, head)
            0xa: note(is_running, head)
            0xb: control(is_running, head)
            0xc: one(is_running, head)
            0xd: one(is_running, head)
            0xe: bend(is_running, head)
            0xf0: exclusive
            0xf7: exclusive
            0xff: meta
    instances:
      is_running: {value: head < 0x80, doc: the status of the event before counts}
      status: {value: 'is_running ? previous : head'}
      channel: {value: status & 15, if: status < 0xf0}
  note:
    params: [{id: is_running, type: bool}, {id: head, type: u1}]
    seq:
      - {id: own_key, type: u1, if: not is_running}
      - {id: velocity, type: u1}
    instances:
      key: {value: 'is_running ? head : own_key'}
      octave: {value: key / 12 - 1}
  control:
    params: [{id: is_running, type: bool}, {id: head, type: u1}]
    seq:
      - {id: own_controller, type: u1, if: not is_running}
      - {id: value, type: u1}
    instances:
      controller: {value: 'is_running ? head : own_controller'}
  one:
    params: [{id: is_running, type: bool}, {id: head, type: u1}]
    seq:
      - {id: own_value, type: u1, if: not is_running}
    instances:
      value: {value: 'is_running ? head : own_value'}
  bend:
    params: [{id: is_running, type: bool}, {id: head, type: u1}]
    seq:
      - {id: own_low, type: u1, if: not is_running}
      - {id: high, type: u1}
    instances:
      value: {value: '(high << 7 | (is_running ? head : own_low)) - 0x2000'}
  exclusive:
    seq:
      - {id: length, type: number}
      - {id: data, size: length.value}
  meta:
    seq:
      - {id: kind, type: u1, enum: meta_kind}
      - {id: length, type: number}
      - id: body
        size: length.value
        type:
          switch-on: kind
          cases:
            'meta_kind::sequence_number': sequence_number
            'meta_kind::text': text
            'meta_kind::copyright': text
            'meta_kind::track_name': text
            'meta_kind::instrument_name': text
            'meta_kind::lyrics': text
            'meta_kind::marker': text
            'meta_kind::set_tempo': tempo
            'meta_kind::time_signature': time_signature
            'meta_kind::key_signature': key_signature
  sequence_number: {seq: [{id: number, type: u2}]}
  text: {seq: [{id: text, type: str, size-eos: true}]}
  tempo:
    seq:
      - {id: microseconds_per_quarter, type: b24}
    instances:
      beats_per_minute: {value: 60000000.0 / microseconds_per_quarter}
  time_signature:
    seq:
      - {id: numerator, type: u1}
      - {id: denominator_power, type: u1}
      - {id: clocks_per_click, type: u1}
      - {id: notated_32nds_per_quarter, type: u1}
    instances:
      denominator: {value: 1 << denominator_power}
  key_signature:
    seq:
      - {id: sharps, type: s1, valid: {min: -7, max: 7}}
      - {id: is_minor, type: u1}
enums:
  format: {0: one_track, 1: tracks_together, 2: tracks_apart}
  meta_kind:
    0x00: sequence_number
    0x01: text
    0x02: copyright
    0x03: track_name
    0x04: instrument_name
    0x05: lyrics
    0x06: marker
    0x20: channel_prefix
    0x2f: end_of_track
    0x51: set_tempo
    0x54: smpte_offset
    0x58: time_signature
    0x59: key_signature
