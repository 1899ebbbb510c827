meta:
  id: gettext_mo
  title: GNU gettext's compiled messages
  file-extension: mo
  license: Apache-2.0
doc-ref: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
seq:
  - {id: magic, size: 4}
  - {id: catalogue, type: catalogue}
types:
  catalogue:
    meta:
      encoding: UTF-8
      endian:
        switch-on: _root.magic
        cases:
          '[0xde, 0x12, 0x04, 0x95]': le
          '[0x95, 0x04, 0x12, 0xde]': be
    seq:
      - {id: minor_version, type: u2}
      - {id: major_version, type: u2, valid: {max: 1}}
      - {id: messages_count, type: u4}
      - {id: originals_at, type: u4}
      - {id: translations_at, type: u4}
      - {id: hash_slots_count, type: u4}
      - {id: hash_table_at, type: u4}
    instances:
      originals: {pos: originals_at, type: place, repeat: expr, repeat-expr: messages_count}
      translations: {pos: translations_at, type: place, repeat: expr, repeat-expr: messages_count}
      hash_table:
        {pos: hash_table_at, type: slot, repeat: expr, repeat-expr: hash_slots_count, if: hash_slots_count != 0}
    types:
      place:
        seq:
          - {id: length, type: u4, doc: without the last zero byte}
          - {id: at, type: u4}
        instances:
          message: {pos: at, size: length + 1, type: message}
      message:
        doc: One text; where there is a plural, one for each form.
        seq:
          - {id: forms, type: strz, repeat: eos}
      slot:
        seq:
          - {id: number, type: u4, doc: 'one more than the message''s number; 0 for none'}
        instances:
          original: {pos: _parent.originals_at + 8 * (number - 1), type: place, if: number > 0}
