meta:
  id: flac
  title: Free Lossless Audio Codec
  file-extension: flac
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc-ref: RFC 9639
seq:
  - {id: magic, contents: fLaC}
  - {id: blocks, type: block, repeat: until, repeat-until: _.is_last}
  - {id: frames, size-eos: true}
types:
  block:
    seq:
      - {id: is_last, type: b1}
      - {id: kind, type: b7, enum: kind}
      - {id: length, type: b24}
      - id: body
        size: length
        type:
          switch-on: kind
          cases:
            'kind::stream_info': stream_info
            'kind::application': application
            'kind::seek_table': seek_table
            'kind::vorbis_comment': vorbis_comment
  stream_info:
    seq:
      - {id: min_block_samples, type: u2, valid: {min: 16}}
      - {id: max_block_samples, type: u2, valid: {expr: _ >= min_block_samples}}
      - {id: min_frame_bytes, type: b24}
      - {id: max_frame_bytes, type: b24}
      - {id: sample_rate, type: b20}
      - {id: channels_less_one, type: b3}
      - {id: bits_less_one, type: b5}
      - {id: samples_count, type: b36}
      - {id: digest, size: 16, doc: MD5 of the samples}
    instances:
      channels_count: {value: channels_less_one + 1}
      bits_per_sample: {value: bits_less_one + 1}
      duration_s: {value: samples_count * 1.0 / sample_rate, if: sample_rate != 0}
  application:
    seq:
      - {id: id, type: str, size: 4, encoding: ASCII}
      - {id: data, size-eos: true}
  seek_table: {seq: [{id: points, type: seek_point, repeat: eos}]}
  seek_point:
    seq:
      - {id: sample, type: u8}
      - {id: position, type: u8}
      - {id: samples_count, type: u2}
    instances:
      is_empty: {value: sample == 0xffffffffffffffff}
  vorbis_comment:
    meta: {endian: le}
    seq:
      - {id: vendor, type: text}
      - {id: comments_count, type: u4}
      - {id: comments, type: text, repeat: expr, repeat-expr: comments_count}
    types:
      text:
        seq:
          - {id: length, type: u4}
          - {id: text, type: str, size: length}
enums:
  kind: {0: stream_info, 1: padding, 2: application, 3: seek_table, 4: vorbis_comment, 5: cue_sheet, 6: picture}
