meta:
  id: tiff
  title: Tag image file format
  file-extension: [tif, tiff]
  license: Apache-2.0
doc-ref: TIFF Revision 6.0
seq:
  - {id: order, type: str, size: 2, encoding: ASCII, valid: {any-of: ['"II"', '"MM"']}}
  - {id: body, type: body}
types:
  body:
    meta:
      endian:
        switch-on: _root.order
        cases: {'"II"': le, '"MM"': be}
    seq:
      - {id: magic, type: u2, valid: 42}
      - {id: first_at, type: u4}
    instances:
      first: {pos: first_at, type: directory(first_at)}
    types:
      directory:
        params: [{id: at, type: u4}]
        seq:
          - {id: entries_count, type: u2}
          - {id: entries, type: entry(at + 2 + 12 * _index), repeat: expr, repeat-expr: entries_count}
          - {id: next_at, type: u4}
        instances:
          next: {pos: next_at, type: directory(next_at), if: next_at > at}
      entry:
        params: [{id: at, type: u4}]
        seq:
          - {id: tag, type: u2, enum: tag}
          - {id: kind, type: u2, enum: kind}
          - {id: count, type: u4}
          - {id: value, size: 4, doc: 'the values if they fit, otherwise their position'}
        instances:
          unit:
            value: >-
              kind == kind::u2 or kind == kind::s2 ? 2
              : kind == kind::u4 or kind == kind::s4 or kind == kind::f4 ? 4
              : kind == kind::ratio or kind == kind::signed_ratio or kind == kind::f8 ? 8 : 1
          is_inline: {value: unit * count <= 4}
          number: {pos: at + 8, type: u4}
          text: {pos: place, size: count, type: str, encoding: ASCII, if: 'kind == kind::text'}
          place: {value: 'is_inline ? at + 8 : number'}
          values:
            pos: place
            repeat: expr
            repeat-expr: count
            if: 'kind != kind::text'
            type:
              switch-on: kind
              cases:
                'kind::u2': u2
                'kind::u4': u4
                'kind::s2': s2
                'kind::s4': s4
                'kind::f4': f4
                'kind::f8': f8
                'kind::ratio': ratio
                'kind::signed_ratio': signed_ratio
                _: u1
          directory: {pos: number, type: directory(number), if: 'tag == tag::exif'}
      ratio:
        seq:
          - {id: above, type: u4}
          - {id: below, type: u4}
        instances:
          value: {value: above * 1.0 / below, if: below != 0}
      signed_ratio:
        seq:
          - {id: above, type: s4}
          - {id: below, type: s4}
enums:
  kind: {1: u1, 2: text, 3: u2, 4: u4, 5: ratio, 6: s1, 7: raw, 8: s2, 9: s4, 10: signed_ratio, 11: f4, 12: f8}
  tag:
    256: width
    257: height
    258: bits_per_sample
    259: compression
    262: photometric
    270: description
    273: strip_offsets
    277: samples_per_pixel
    278: rows_per_strip
    279: strip_byte_counts
    282: x_resolution
    283: y_resolution
    284: planar
    296: resolution_unit
    305: software
    320: color_map
    34665: exif
