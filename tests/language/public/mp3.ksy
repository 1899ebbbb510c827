meta:
  id: mp3
  title: Frames of MPEG audio, layer III
  file-extension: mp3
  license: Apache-2.0
  endian: be
  encoding: ISO-8859-1
doc-ref:
  - ISO/IEC 11172-3
  - ISO/IEC 13818-3
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: sync, type: b11, valid: 0x7ff}
      - {id: version, type: b2, enum: version, valid: {any-of: ['version::one', 'version::two', 'version::two_and_half']}}
      - {id: layer, type: b2, enum: layer, valid: 'layer::three'}
      - {id: has_no_checksum, type: b1}
      - {id: bit_rate_number, type: b4, valid: {min: 1, max: 14}}
      - {id: sample_rate_number, type: b2, valid: {max: 2}}
      - {id: is_padded, type: b1}
      - {id: is_private, type: b1}
      - {id: channel_mode, type: b2, enum: channel_mode}
      - {id: uses_intensity, type: b1}
      - {id: uses_middle_side, type: b1}
      - {id: has_copyright, type: b1}
      - {id: is_original, type: b1}
      - {id: emphasis, type: b2}
      - {id: checksum, type: u2, if: not has_no_checksum}
      - {id: body, size: body_length, type: body}
    instances:
      is_version_one: {value: 'version == version::one'}
      bit_rate:
        value: >-
          1000 * (is_version_one
          ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][bit_rate_number]
          : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][bit_rate_number])
      sample_rate:
        value: >-
          [44100, 48000, 32000][sample_rate_number]
          / (is_version_one ? 1 : version == version::two ? 2 : 4)
      length: {value: '(is_version_one ? 144 : 72) * bit_rate / sample_rate + (is_padded ? 1 : 0)'}
      body_length: {value: 'length - (has_no_checksum ? 4 : 6)'}
      side_length:
        value: >-
          channel_mode == channel_mode::mono ? (is_version_one ? 17 : 9) : (is_version_one ? 32 : 17)
  body:
    seq:
      - {id: side_information, size: _parent.side_length}
      - {id: mark, type: str, size: 4, if: _io.size >= _parent.side_length + 4}
      - {id: summary, type: summary, if: '_io.size >= _parent.side_length + 4 and (mark == "Xing" or mark == "Info")'}
      - {id: main_data, size-eos: true}
  summary:
    seq:
      - {id: reserved, type: b28}
      - {id: has_quality, type: b1}
      - {id: has_table, type: b1}
      - {id: has_bytes_count, type: b1}
      - {id: has_frames_count, type: b1}
      - {id: frames_count, type: u4, if: has_frames_count}
      - {id: bytes_count, type: u4, if: has_bytes_count}
      - {id: table, size: 100, if: has_table}
      - {id: quality, type: u4, if: has_quality}
      - {id: encoder, type: str, size: 9, pad-right: 0}
enums:
  version: {0: two_and_half, 2: two, 3: one}
  layer: {1: three, 2: two, 3: one}
  channel_mode: {0: stereo, 1: joint, 2: dual, 3: mono}
