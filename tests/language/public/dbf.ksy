meta:
  id: dbf
  title: dBASE III table
  file-extension: dbf
  license: Apache-2.0
  endian: le
  encoding: ASCII
doc-ref: https://www.loc.gov/preservation/digital/formats/fdd/fdd000325.shtml
seq:
  - {id: version, type: u1}
  - {id: last_update, type: date}
  - {id: records_count, type: u4}
  - {id: header_length, type: u2}
  - {id: record_length, type: u2}
  - {id: reserved, size: 2}
  - {id: is_in_transaction, type: u1}
  - {id: is_encrypted, type: u1}
  - {id: reserved_for_networks, size: 12}
  - {id: has_index, type: u1}
  - {id: code_page, type: u1}
  - {id: reserved_at_end, size: 2}
  - {id: columns, type: column, repeat: expr, repeat-expr: columns_count}
  - {id: header_end, contents: [0x0d]}
  - {id: records, type: record, size: record_length, repeat: expr, repeat-expr: records_count}
  - {id: file_end, type: u1, if: not _io.eof}
instances:
  columns_count: {value: (header_length - 33) / 32}
types:
  date:
    seq:
      - {id: year_of_century, type: u1}
      - {id: month, type: u1}
      - {id: day, type: u1}
    instances:
      year: {value: 1900 + year_of_century}
  column:
    seq:
      - {id: name, type: str, size: 11, terminator: 0}
      - {id: kind, type: u1, enum: kind}
      - {id: memory_address, type: u4}
      - {id: length, type: u1}
      - {id: decimals, type: u1}
      - {id: reserved, size: 14}
  record:
    seq:
      - {id: is_deleted, type: u1, enum: mark}
      - {id: cells, type: cell(_index), repeat: expr, repeat-expr: _root.columns_count}
  cell:
    params:
      - {id: number, type: s4}
    seq:
      - id: value
        size: column.length
        type:
          switch-on: column.kind
          cases:
            'kind::character': text
            'kind::date': text
            'kind::numeric': numeral
            'kind::floating': numeral
            'kind::logical': logical
    instances:
      column: {value: '_root.columns[number]'}
  text:
    seq:
      - {id: text, type: str, size-eos: true, pad-right: 0x20, encoding: UTF-8}
  numeral:
    seq:
      - {id: digits, type: str, size-eos: true}
  logical:
    seq:
      - {id: letter, type: str, size: 1}
    instances:
      is_true: {value: 'letter == "T" or letter == "Y"'}
enums:
  kind: {0x43: character, 0x44: date, 0x46: floating, 0x4c: logical, 0x4d: memo, 0x4e: numeric}
  mark: {0x20: valid, 0x2a: deleted}
