meta:
  id: zip
  title: A ZIP archive
  license: Apache-2.0
  endian: le
doc-ref: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
seq:
  - {id: sections, type: section, repeat: until, repeat-until: _.kind == kinds::end_of_directory}
types:
  section:
    seq:
      - {id: magic, contents: PK}
      - {id: kind, type: u2, enum: kinds}
      - id: body
        type:
          switch-on: kind
          cases: {'kinds::file': file, 'kinds::entry': entry, 'kinds::end_of_directory': end_of_directory}
  about:
    seq:
      - {id: version_needed, type: u2}
      - {id: flags, type: flags}
      - {id: method, type: u2, enum: methods}
      - {id: time, type: u2}
      - {id: date, type: u2}
      - {id: crc_32, type: u4}
      - {id: compressed_size, type: u4}
      - {id: size, type: u4}
      - {id: name_size, type: u2}
      - {id: extra_size, type: u2}
    instances:
      year: {value: 1980 + (date >> 9)}
      month: {value: date >> 5 & 15}
      day: {value: date & 31}
      second_of_day: {value: (time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2}
  flags:
    meta: {bit-endian: le}
    seq:
      - {id: is_encrypted, type: b1}
      - {id: effort, type: b2}
      - {id: has_descriptor, type: b1}
      - {id: reserved, type: b7}
      - {id: is_utf_8, type: b1}
      - {id: others, type: b4}
  file:
    -checksum:
      algorithm: tests.crc32_of_deflated
      field: about.crc_32
      from: body
      to: body
      if: about.method == methods::deflated and not about.flags.has_descriptor
    seq:
      - {id: about, type: about}
      - {id: name, type: str, size: about.name_size, encoding: UTF-8}
      - {id: extra, type: extra, size: about.extra_size}
      - {id: body, size: 'about.compressed_size != 0xffffffff ? about.compressed_size : extra.parts[0].body.as<zip64>.sizes[1]'}
  entry:
    seq:
      - {id: version_made_by, type: u2}
      - {id: about, type: about}
      - {id: comment_size, type: u2}
      - {id: disk, type: u2}
      - {id: internal_attributes, type: u2}
      - {id: external_attributes, type: u4}
      - {id: position, type: u4}
      - {id: name, type: str, size: about.name_size, encoding: UTF-8}
      - {id: extra, type: extra, size: about.extra_size}
      - {id: comment, type: str, size: comment_size, encoding: UTF-8}
    instances:
      file: {io: _root._io, pos: position, type: section}
      unix_mode: {value: external_attributes >> 16}
      has_the_same_name: {value: 'file.kind == kinds::file and file.body.as<file>.name == name'}
  end_of_directory:
    seq:
      - {id: disk, type: u2}
      - {id: directory_disk, type: u2}
      - {id: entries_of_disk, type: u2}
      - {id: entries, type: u2}
      - {id: directory_size, type: u4}
      - {id: directory_position, type: u4}
      - {id: comment_size, type: u2}
      - {id: comment, type: str, size: comment_size, encoding: UTF-8}
  extra: {seq: [{id: parts, type: part, repeat: eos}]}
  part:
    seq:
      - {id: kind, type: u2, enum: parts}
      - {id: size, type: u2}
      - id: body
        size: size
        type:
          switch-on: kind
          cases: {'parts::zip64': zip64}
  zip64: {seq: [{id: sizes, type: u8, repeat: eos}]}
enums:
  kinds: {0x0201: entry, 0x0403: file, 0x0605: end_of_directory}
  methods: {0: stored, 8: deflated, 12: bzip2, 14: lzma}
  parts: {1: zip64, 0x5455: times}
