meta:
  id: truetype
  title: TrueType and OpenType font
  file-extension: [ttf, otf]
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: https://learn.microsoft.com/typography/opentype/spec/otff
seq:
  - {id: flavor, type: u4, enum: flavor, valid: {in-enum: true}}
  - {id: tables_count, type: u2}
  - {id: search_range, type: u2}
  - {id: entry_selector, type: u2}
  - {id: range_shift, type: u2}
  - {id: tables, type: table, repeat: expr, repeat-expr: tables_count}
types:
  table:
    seq:
      - {id: tag, type: str, size: 4}
      - {id: checksum, type: u4}
      - {id: at, type: u4}
      - {id: length, type: u4}
    instances:
      body:
        pos: at
        size: length
        type:
          switch-on: tag
          cases:
            '"head"': head
            '"hhea"': horizontal_header
            '"maxp"': maximum_profile
            '"name"': names
            '"cmap"': character_map
            '"post"': postscript
            '"cvt "': control_values
      padding: {pos: at + length, size: (4 - length % 4) % 4}
  fixed:
    seq: [{id: raw, type: s4}]
    instances:
      value: {value: raw / 65536.0}
  head:
    seq:
      - {id: version, type: fixed}
      - {id: revision, type: fixed}
      - {id: checksum_adjustment, type: u4}
      - {id: magic, type: u4, valid: 0x5f0f3cf5}
      - {id: flags, type: u2}
      - {id: units_per_em, type: u2, valid: {min: 16, max: 16384}}
      - {id: created, type: s8}
      - {id: modified, type: s8}
      - {id: x_min, type: s2}
      - {id: y_min, type: s2}
      - {id: x_max, type: s2}
      - {id: y_max, type: s2}
      - {id: reserved_styles, type: b9}
      - {id: is_extended, type: b1}
      - {id: is_condensed, type: b1}
      - {id: has_shadow, type: b1}
      - {id: is_outline, type: b1}
      - {id: is_underlined, type: b1}
      - {id: is_italic, type: b1}
      - {id: is_bold, type: b1}
      - {id: lowest_readable_size, type: u2}
      - {id: direction_hint, type: s2}
      - {id: has_long_locations, type: s2}
      - {id: glyph_data_format, type: s2}
    instances:
      created_unix: {value: created - 2082844800, doc: seconds since 1970}
  horizontal_header:
    seq:
      - {id: version, type: fixed}
      - {id: ascender, type: s2}
      - {id: descender, type: s2}
      - {id: line_gap, type: s2}
      - {id: advance_width_max, type: u2}
      - {id: min_left_side_bearing, type: s2}
      - {id: min_right_side_bearing, type: s2}
      - {id: x_max_extent, type: s2}
      - {id: caret_slope_rise, type: s2}
      - {id: caret_slope_run, type: s2}
      - {id: caret_offset, type: s2}
      - {id: reserved, type: s2, repeat: expr, repeat-expr: 4}
      - {id: metric_data_format, type: s2}
      - {id: metrics_count, type: u2}
  maximum_profile:
    seq:
      - {id: version, type: fixed}
      - {id: glyphs_count, type: u2}
      - {id: limits, type: u2, repeat: eos, if: version.raw == 0x10000}
  names:
    seq:
      - {id: format, type: u2}
      - {id: names_count, type: u2}
      - {id: storage_at, type: u2}
      - {id: names, type: name, repeat: expr, repeat-expr: names_count}
  name:
    seq:
      - {id: platform, type: u2, enum: platform}
      - {id: encoding, type: u2}
      - {id: language, type: u2}
      - {id: kind, type: u2, enum: name_kind}
      - {id: length, type: u2}
      - {id: at, type: u2}
    instances:
      text:
        pos: _parent.storage_at + at
        size: length
        type:
          switch-on: platform
          cases:
            'platform::macintosh': narrow
            'platform::unicode': wide
            'platform::windows': wide
  narrow: {seq: [{id: text, type: str, size-eos: true}]}
  wide: {seq: [{id: text, type: str, size-eos: true, encoding: UTF-16BE}]}
  character_map:
    seq:
      - {id: version, type: u2}
      - {id: encodings_count, type: u2}
      - {id: encodings, type: encoding, repeat: expr, repeat-expr: encodings_count}
  encoding:
    seq:
      - {id: platform, type: u2, enum: platform}
      - {id: encoding, type: u2}
      - {id: at, type: u4}
    instances:
      map: {pos: at, type: map}
  map:
    seq:
      - {id: format, type: u2}
      - id: body
        type:
          switch-on: format
          cases: {4: segments, 12: groups}
  segments:
    seq:
      - {id: length, type: u2}
      - {id: content, type: segments_content, size: length - 4}
  segments_content:
    seq:
      - {id: language, type: u2}
      - {id: segments_count_twice, type: u2}
      - {id: search_range, type: u2}
      - {id: entry_selector, type: u2}
      - {id: range_shift, type: u2}
      - {id: end_codes, type: u2, repeat: expr, repeat-expr: segments_count}
      - {id: reserved, type: u2}
      - {id: start_codes, type: u2, repeat: expr, repeat-expr: segments_count}
      - {id: deltas, type: s2, repeat: expr, repeat-expr: segments_count}
      - {id: range_offsets, type: u2, repeat: expr, repeat-expr: segments_count}
      - {id: glyphs, type: u2, repeat: eos}
    instances:
      segments_count: {value: segments_count_twice / 2}
      first_glyph: {value: '(start_codes[0] + deltas[0]) & 0xffff', if: 'segments_count > 0 and range_offsets[0] == 0'}
  groups:
    seq:
      - {id: reserved, type: u2}
      - {id: length, type: u4}
      - {id: language, type: u4}
      - {id: groups_count, type: u4}
      - {id: groups, type: group, repeat: expr, repeat-expr: groups_count}
  group:
    seq:
      - {id: start_code, type: u4}
      - {id: end_code, type: u4}
      - {id: start_glyph, type: u4}
  postscript:
    seq:
      - {id: version, type: fixed}
      - {id: italic_angle, type: fixed}
      - {id: underline_position, type: s2}
      - {id: underline_thickness, type: s2}
      - {id: is_fixed_pitch, type: u4}
      - {id: memory, type: u4, repeat: expr, repeat-expr: 4}
      - {id: glyphs_count, type: u2, if: version.raw == 0x20000}
      - {id: name_indexes, type: u2, repeat: expr, repeat-expr: glyphs_count, if: version.raw == 0x20000}
      - {id: names, type: pascal_text, repeat: eos}
  pascal_text:
    seq:
      - {id: length, type: u1}
      - {id: text, type: str, size: length}
  control_values: {seq: [{id: values, type: s2, repeat: eos}]}
enums:
  flavor: {0x00010000: truetype, 0x4f54544f: opentype, 0x74727565: apple}
  platform: {0: unicode, 1: macintosh, 3: windows}
  name_kind: {0: copyright, 1: family, 2: subfamily, 3: unique_id, 4: full_name, 5: version, 6: postscript_name}
