meta:
  id: elf
  title: Executable and Linkable Format
  license: Apache-2.0
doc-ref: System V Application Binary Interface, chapters 4 and 5; elf(5)
seq:
  - {id: magic, contents: [0x7f, ELF]}
  - {id: width, type: u1, enum: widths, valid: {in-enum: true}}
  - {id: order, type: u1, enum: orders, valid: {in-enum: true}}
  - {id: version, type: u1, valid: 1}
  - {id: system, type: u1, enum: systems}
  - {id: system_version, type: u1}
  - {id: padding, size: 7}
  - {id: file, type: file}
types:
  file:
    meta:
      endian:
        switch-on: _root.order
        cases: {'orders::little': le, 'orders::big': be}
    seq:
      - {id: kind, type: u2, enum: kinds}
      - {id: machine, type: u2, enum: machines}
      - {id: version, type: u4}
      - {id: entry_point, type: word}
      - {id: segments_position, type: word}
      - {id: sections_position, type: word}
      - {id: flags, type: u4}
      - {id: header_size, type: u2}
      - {id: segment_size, type: u2}
      - {id: segments_count, type: u2}
      - {id: section_size, type: u2}
      - {id: sections_count, type: u2}
      - {id: names_index, type: u2}
    instances:
      is_wide: {value: _root.width == widths::bits_64}
      segments:
        pos: segments_position.value
        size: segment_size
        type: segment
        repeat: expr
        repeat-expr: segments_count
      sections:
        pos: sections_position.value
        size: section_size
        type: section
        repeat: expr
        repeat-expr: sections_count
    types:
      word:
        seq:
          - id: value
            type:
              switch-on: _root.width
              cases: {'widths::bits_32': u4, 'widths::bits_64': u8}
      segment:
        seq:
          - {id: kind, type: u4, enum: segment_kinds}
          - {id: flags_64, type: segment_flags, size: 4, if: _root.file.is_wide}
          - {id: position, type: word}
          - {id: address, type: word}
          - {id: physical_address, type: word}
          - {id: file_size, type: word}
          - {id: memory_size, type: word}
          - {id: flags_32, type: segment_flags, size: 4, if: not _root.file.is_wide}
          - {id: alignment, type: word}
        instances:
          interpreter:
            io: _root._io
            pos: position.value
            size: file_size.value
            type: strz
            encoding: UTF-8
            if: kind == segment_kinds::interpreter
      segment_flags:
        seq: [{id: bits, type: u4}]
        instances:
          is_readable: {value: (bits & 4) != 0}
          is_writable: {value: (bits & 2) != 0}
          is_executable: {value: (bits & 1) != 0}
      section:
        seq:
          - {id: name_position, type: u4}
          - {id: kind, type: u4, enum: section_kinds}
          - {id: flags, type: word}
          - {id: address, type: word}
          - {id: position, type: word}
          - {id: size, type: word}
          - {id: linked, type: u4}
          - {id: info, type: u4}
          - {id: alignment, type: word}
          - {id: entry_size, type: word}
        instances:
          strings:
            io: _root._io
            pos: position.value
            size: size.value
            type: strings
            if: kind == section_kinds::strings
          symbols:
            io: _root._io
            pos: position.value
            size: size.value
            type: symbols
            if: kind == section_kinds::symbols or kind == section_kinds::dynamic_symbols
          relocations:
            io: _root._io
            pos: position.value
            size: entry_size.value
            type: relocation
            repeat: expr
            repeat-expr: size.value / entry_size.value
            if: kind == section_kinds::addend_relocations and entry_size.value >= 12
          name:
            io: _root.file.sections[_root.file.names_index].strings._io
            pos: name_position
            type: strz
            encoding: ASCII
            if: _root.file.names_index < _root.file.sections.size and kind != section_kinds::none
      strings:
        seq: [{id: strings, type: strz, encoding: UTF-8, repeat: eos}]
      symbols:
        seq: [{id: symbols, type: symbol, repeat: eos}]
      symbol:
        seq:
          - {id: name_position, type: u4}
          - {id: value_32, type: u4, if: not _root.file.is_wide}
          - {id: size_32, type: u4, if: not _root.file.is_wide}
          - {id: binding, type: b4, enum: bindings}
          - {id: kind, type: b4, enum: symbol_kinds}
          - {id: visibility, type: u1}
          - {id: section, type: u2}
          - {id: value_64, type: u8, if: _root.file.is_wide}
          - {id: size_64, type: u8, if: _root.file.is_wide}
        instances:
          value: {value: '_root.file.is_wide ? value_64 : value_32'}
          is_defined: {value: section != 0}
      relocation:
        seq:
          - {id: position, type: word}
          - {id: info, type: word}
          - id: addend
            type:
              switch-on: _root.width
              cases: {'widths::bits_32': s4, 'widths::bits_64': s8}
enums:
  widths: {1: bits_32, 2: bits_64}
  orders: {1: little, 2: big}
  systems: {0: none, 3: linux, 9: freebsd}
  kinds: {0: none, 1: relocatable, 2: executable, 3: shared, 4: core}
  machines: {0: none, 3: x86, 40: arm, 62: x86_64, 183: aarch64, 243: riscv}
  segment_kinds: {0: none, 1: load, 2: dynamic, 3: interpreter, 4: note, 6: program_headers, 7: thread_local}
  section_kinds:
    0: none
    1: program
    2: symbols
    3: strings
    4: addend_relocations
    5: hashes
    6: dynamic
    7: notes
    8: no_bits
    9: relocations
    11: dynamic_symbols
  bindings: {0: local, 1: shared, 2: weak}
  symbol_kinds: {0: none, 1: object, 2: function, 3: section, 4: file}
