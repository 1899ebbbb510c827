meta:
  id: sgi
  title: Pictures of Silicon Graphics
  license: Apache-2.0
  endian: be
doc-ref: The SGI Image File Format 1.00 (Haeberli)
seq:
  - {id: magic, contents: [0x01, 0xda]}
  - {id: storage, type: u1, enum: storages}
  - {id: sample_bytes, type: u1, valid: {any-of: [1, 2]}}
  - {id: dimensions, type: u2, valid: {min: 1, max: 3}}
  - {id: width, type: u2}
  - {id: height, type: u2}
  - {id: channels_count, type: u2}
  - {id: least, type: u4}
  - {id: most, type: u4}
  - {id: reserved, size: 4}
  - {id: name, type: strz, size: 80, encoding: ASCII}
  - {id: colors, type: u4, enum: colors}
  - {id: padding, size: 404}
  - {id: channels, type: channel, repeat: expr, repeat-expr: channels_count, if: storage == storages::verbatim}
  - {id: runs, type: runs, if: storage == storages::runs}
types:
  channel: {seq: [{id: rows, type: row, repeat: expr, repeat-expr: _root.height}]}
  row:
    seq:
      - id: samples
        type:
          switch-on: _root.sample_bytes
          cases: {1: u1, 2: u2}
        repeat: expr
        repeat-expr: _root.width
  runs:
    seq:
      - {id: positions, type: u4, repeat: expr, repeat-expr: rows_count}
      - {id: sizes, type: u4, repeat: expr, repeat-expr: rows_count}
      - {id: rows, type: 'run_row(sizes[_index])', repeat: expr, repeat-expr: rows_count}
    instances:
      rows_count: {value: _root.height * _root.channels_count}
  run_row:
    params: [{id: size, type: u4}]
    seq: [{id: data, size: size}]
enums:
  storages: {0: verbatim, 1: runs}
  colors: {0: normal, 1: dithered, 2: screen, 3: map}
