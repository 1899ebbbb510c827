meta:
  id: ogg
  title: Ogg container
  file-extension: [ogg, oga]
  license: Apache-2.0
  endian: le
doc-ref: RFC 3533
seq:
  - {id: pages, type: page, repeat: eos}
types:
  page:
    -checksum:
      algorithm: {width: 32, poly: 0x04c11db7}
      field: checksum
      from: magic
      to: segments
    seq:
      - {id: magic, contents: OggS}
      - {id: version, type: u1, valid: 0}
      - {id: reserved, type: b5}
      - {id: is_last, type: b1}
      - {id: is_first, type: b1}
      - {id: continues_packet, type: b1}
      - {id: granule, type: s8}
      - {id: stream, type: u4}
      - {id: number, type: u4}
      - {id: checksum, type: u4}
      - {id: segments_count, type: u1}
      - {id: segment_lengths, type: u1, repeat: expr, repeat-expr: segments_count}
      - id: segments
        size: 'segment_lengths[_index]'
        repeat: expr
        repeat-expr: segments_count
        type:
          switch-on: is_first
          cases:
            true: head
    instances:
      ends_packet: {value: segment_lengths.last < 255, if: segments_count > 0}
  head:
    seq:
      - {id: packet, type: u1}
      - {id: codec, type: str, size: 6, encoding: ASCII}
      - id: body
        type:
          switch-on: codec
          cases:
            '"vorbis"': vorbis
            _: other
  vorbis:
    seq:
      - {id: version, type: u4}
      - {id: channels_count, type: u1}
      - {id: sample_rate, type: u4}
      - {id: max_bit_rate, type: s4}
      - {id: nominal_bit_rate, type: s4}
      - {id: min_bit_rate, type: s4}
      - {id: long_block_power, type: b4}
      - {id: short_block_power, type: b4}
      - {id: framing, type: u1}
    instances:
      short_block: {value: 1 << short_block_power}
  other: {seq: [{id: data, size-eos: true}]}
