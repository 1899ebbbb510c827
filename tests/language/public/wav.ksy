meta:
  id: wav
  title: Sound in chunks of RIFF
  license: Apache-2.0
  endian: le
doc-ref: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991), RIFF and WAVE
seq:
  - {id: magic, contents: RIFF}
  - {id: body_size, type: u4}
  - {id: body, type: riff, size: body_size}
types:
  riff:
    seq:
      - {id: form, contents: WAVE}
      - {id: chunks, type: chunk, repeat: eos}
    instances:
      format: {value: 'chunks[0].body.as<format>', if: 'chunks.size > 0 and chunks[0].name == "fmt "'}
      frames:
        value: chunks.last.size / format.frame_bytes
        if: 'chunks.size > 1 and chunks.last.name == "data" and format.frame_bytes != 0'
  chunk:
    seq:
      - {id: name, type: str, size: 4, encoding: ASCII}
      - {id: size, type: u4}
      - id: body
        size: size
        type:
          switch-on: name
          cases: {'"fmt "': format, '"LIST"': list, '"data"': samples}
      - {id: padding, size: 1, if: size % 2 == 1}
  format:
    seq:
      - {id: coding, type: u2, enum: codings}
      - {id: channels, type: u2}
      - {id: frames_per_second, type: u4}
      - {id: bytes_per_second, type: u4}
      - {id: frame_bytes, type: u2}
      - {id: sample_bits, type: u2}
      - {id: extension_size, type: u2, if: not _io.eof}
      - {id: extension, size: extension_size, if: not _io.eof}
    instances:
      is_consistent: {value: frames_per_second * frame_bytes == bytes_per_second}
      sample_bytes: {value: (sample_bits + 7) / 8}
  list:
    seq:
      - {id: kind, type: str, size: 4, encoding: ASCII}
      - {id: entries, type: entry, repeat: eos}
  entry:
    seq:
      - {id: name, type: str, size: 4, encoding: ASCII}
      - {id: size, type: u4}
      - {id: text, type: strz, size: size, encoding: ASCII}
      - {id: padding, size: 1, if: size % 2 == 1}
  samples:
    seq:
      - id: samples
        repeat: eos
        type:
          switch-on: width
          cases: {2: s2, 3: sample_24, 4: s4, _: u1}
    instances:
      width: {value: '_parent._parent.chunks[0].body.as<format>.sample_bytes'}
  sample_24:
    seq:
      - {id: low, type: u2}
      - {id: high, type: s1}
    instances:
      value: {value: high * 65536 + low}
enums:
  codings: {1: pcm, 3: float, 6: a_law, 7: mu_law, 0xfffe: extensible}
