meta:
  id: iso_media
  title: Boxes of the ISO base media file format
  file-extension: [avif, heif, mp4, jp2]
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc: Also the boxes of JPEG 2000, which are older and alike.
doc-ref:
  - ISO/IEC 14496-12
  - ISO/IEC 15444-1, Annex I
seq:
  - {id: boxes, type: box, repeat: eos}
types:
  boxes: {seq: [{id: boxes, type: box, repeat: eos}]}
  box:
    seq:
      - {id: short_length, type: u4, doc: 'of the whole box; 0: up to the end, 1: the next field has it'}
      - {id: kind, type: str, size: 4, encoding: ISO-8859-1}
      - {id: long_length, type: u8, if: short_length == 1}
      - id: body
        size: 'short_length == 0 ? _io.size - _io.pos : short_length == 1 ? long_length - 16 : short_length - 8'
        type:
          switch-on: kind
          cases:
            '"ftyp"': brands
            '"meta"': full_boxes
            '"iprp"': boxes
            '"ipco"': boxes
            '"dinf"': boxes
            '"jp2h"': boxes
            '"hdlr"': handler
            '"pitm"': primary_item
            '"iinf"': item_infos
            '"infe"': item_info
            '"iloc"': item_locations
            '"ispe"': extents
            '"pixi"': pixel_information
            '"ipma"': associations
            '"ihdr"': image_header
            '"colr"': color
  brands:
    seq:
      - {id: major, type: str, size: 4}
      - {id: version, type: u4}
      - {id: compatible, type: str, size: 4, repeat: eos}
  full:
    seq:
      - {id: version, type: u1}
      - {id: flags, type: b24}
  full_boxes:
    seq:
      - {id: full, type: full}
      - {id: boxes, type: box, repeat: eos}
  handler:
    seq:
      - {id: full, type: full}
      - {id: defined_before, type: u4}
      - {id: kind, type: str, size: 4}
      - {id: reserved, type: u4, repeat: expr, repeat-expr: 3}
      - {id: name, type: strz}
  primary_item:
    seq:
      - {id: full, type: full}
      - id: item
        type:
          switch-on: full.version
          cases: {0: u2, _: u4}
  item_infos:
    seq:
      - {id: full, type: full}
      - {id: count, type: u2, if: full.version == 0}
      - {id: wide_count, type: u4, if: full.version != 0}
      - {id: infos, type: box, repeat: expr, repeat-expr: 'full.version == 0 ? count : wide_count'}
  item_info:
    seq:
      - {id: full, type: full}
      - {id: item, type: u2}
      - {id: protection, type: u2}
      - {id: kind, type: str, size: 4}
      - {id: name, type: strz}
  item_locations:
    seq:
      - {id: full, type: full}
      - {id: at_width, type: b4}
      - {id: length_width, type: b4}
      - {id: base_width, type: b4}
      - {id: index_width, type: b4}
      - {id: items_count, type: u2}
      - {id: items, type: item_location(full.version), repeat: expr, repeat-expr: items_count}
  item_location:
    params: [{id: version, type: u1}]
    seq:
      - {id: item, type: u2}
      - {id: reserved, type: b12, if: version > 0}
      - {id: construction, type: b4, if: version > 0}
      - {id: reference, type: u2}
      - {id: base, type: number(_parent.base_width)}
      - {id: extents_count, type: u2}
      - {id: extents, type: item_extent, repeat: expr, repeat-expr: extents_count}
  item_extent:
    seq:
      - {id: at, type: number(_parent._parent.at_width)}
      - {id: length, type: number(_parent._parent.length_width)}
    instances:
      start: {io: _root._io, pos: at.value, size: 4, if: '_parent._parent.at_width == 4'}
  number:
    params: [{id: width, type: u1}]
    seq:
      - id: value
        type:
          switch-on: width
          cases: {4: u4, 8: u8}
  extents:
    seq:
      - {id: full, type: full}
      - {id: width, type: u4}
      - {id: height, type: u4}
  pixel_information:
    seq:
      - {id: full, type: full}
      - {id: channels_count, type: u1}
      - {id: bits, type: u1, repeat: expr, repeat-expr: channels_count}
  associations:
    seq:
      - {id: full, type: full}
      - {id: items_count, type: u4}
      - {id: items, type: association, repeat: expr, repeat-expr: items_count}
  association:
    seq:
      - {id: item, type: u2}
      - {id: properties_count, type: u1}
      - {id: properties, type: property, repeat: expr, repeat-expr: properties_count}
  property:
    seq:
      - {id: is_essential, type: b1}
      - {id: number, type: b7}
  image_header:
    seq:
      - {id: height, type: u4}
      - {id: width, type: u4}
      - {id: components_count, type: u2}
      - {id: bits_less_one, type: u1}
      - {id: compression, type: u1}
      - {id: color_space_unknown, type: u1}
      - {id: has_rights, type: u1}
  color:
    seq:
      - {id: method, type: u1}
      - {id: data, size-eos: true}
