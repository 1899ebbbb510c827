meta:
  id: caf
  title: Apple's Core Audio Format
  file-extension: caf
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc-ref: https://developer.apple.com/library/archive/documentation/MusicAudio/Reference/CAFSpec/
seq:
  - {id: magic, contents: caff}
  - {id: version, type: u2, valid: 1}
  - {id: flags, type: u2}
  - {id: chunks, type: chunk, repeat: until, repeat-until: _io.size - _io.pos < 12}
  - {id: padding, size-eos: true}
types:
  chunk:
    seq:
      - {id: kind, type: str, size: 4, encoding: ASCII}
      - {id: length, type: s8, doc: '-1: up to the end of the file', valid: {min: -1}}
      - id: body
        size: 'length == -1 ? _io.size - _io.pos : length'
        type:
          switch-on: kind
          cases:
            '"desc"': description
            '"info"': information
            '"data"': data
            '"pakt"': packet_table
            '"free"': free
  description:
    seq:
      - {id: sample_rate, type: f8, valid: {expr: _ > 0}}
      - {id: format, type: str, size: 4, encoding: ASCII}
      - {id: reserved, type: b30}
      - {id: is_little_endian, type: b1}
      - {id: is_float, type: b1}
      - {id: bytes_per_packet, type: u4}
      - {id: frames_per_packet, type: u4}
      - {id: channels_per_frame, type: u4}
      - {id: bits_per_channel, type: u4}
    instances:
      has_variable_packets: {value: bytes_per_packet == 0}
  information:
    seq:
      - {id: entries_count, type: u4}
      - {id: entries, type: entry, repeat: expr, repeat-expr: entries_count}
  entry:
    seq:
      - {id: key, type: strz}
      - {id: value, type: strz}
  data:
    seq:
      - {id: edits_count, type: u4}
      - {id: samples, size-eos: true}
  packet_table:
    seq:
      - {id: packets_count, type: s8}
      - {id: valid_frames_count, type: s8}
      - {id: priming_frames_count, type: s4}
      - {id: remaining_frames_count, type: s4}
      - {id: sizes, type: number, repeat: eos}
  number:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.goes_on}]
    instances:
      value: {value: 'groups.size == 1 ? groups[0].bits : groups[0].bits << 7 | groups[1].bits', if: groups.size < 3}
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  free: {seq: [{id: unused, size-eos: true}]}
