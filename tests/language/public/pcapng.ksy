meta:
  id: pcapng
  title: Packet capture, next generation
  file-extension: pcapng
  license: Apache-2.0
  encoding: UTF-8
doc-ref: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
seq:
  - {id: sections, type: section, repeat: eos}
types:
  section:
    seq:
      - {id: magic, contents: [0x0a, 0x0d, 0x0d, 0x0a]}
      - {id: stored_length, size: 4, doc: in the order that the next field says}
      - {id: order, size: 4, valid: {any-of: ['[0x1a, 0x2b, 0x3c, 0x4d]', '[0x4d, 0x3c, 0x2b, 0x1a]']}}
      - {id: content, type: 'content(order, length)'}
    instances:
      length:
        value: >-
          order[0] == 0x4d
          ? stored_length[0] | stored_length[1] << 8 | stored_length[2] << 16 | stored_length[3] << 24
          : stored_length[3] | stored_length[2] << 8 | stored_length[1] << 16 | stored_length[0] << 24
  content:
    meta:
      encoding: UTF-8
      endian:
        switch-on: order
        cases:
          '[0x4d, 0x3c, 0x2b, 0x1a]': le
          '[0x1a, 0x2b, 0x3c, 0x4d]': be
    params: [{id: order, type: bytes}, {id: length, type: u4}]
    seq:
      - {id: major_version, type: u2, valid: 1}
      - {id: minor_version, type: u2}
      - {id: section_length, type: s8}
      - {id: options, type: options, size: length - 28}
      - {id: length_again, type: u4, valid: {expr: _ == length}}
      - {id: blocks, type: block, repeat: eos}
    types:
      options: {seq: [{id: options, type: option, repeat: eos}]}
      option:
        seq:
          - {id: code, type: u2}
          - {id: length, type: u2}
          - id: body
            size: length
            type:
              switch-on: code
              cases: {1: text, 2: text, 3: text, 4: text, 9: resolution}
          - {id: padding, size: (4 - length % 4) % 4}
      text: {seq: [{id: text, type: str, size-eos: true}]}
      resolution:
        seq:
          - {id: is_binary, type: b1}
          - {id: power, type: b7}
      block:
        seq:
          - {id: kind, type: u4, enum: kind}
          - {id: length, type: u4, valid: {min: 12}}
          - id: body
            size: length - 12
            type:
              switch-on: kind
              cases:
                'kind::interface': interface
                'kind::packet': packet
                'kind::simple_packet': simple_packet
          - {id: length_again, type: u4, valid: {expr: _ == length}}
      interface:
        seq:
          - {id: link, type: u2}
          - {id: reserved, type: u2}
          - {id: snap_length, type: u4}
          - {id: options, type: option, repeat: eos}
      packet:
        seq:
          - {id: interface, type: u4}
          - {id: time_high, type: u4}
          - {id: time_low, type: u4}
          - {id: captured_length, type: u4}
          - {id: length, type: u4}
          - {id: data, size: captured_length}
          - {id: padding, size: (4 - captured_length % 4) % 4}
          - {id: options, type: option, repeat: eos}
        instances:
          time: {value: time_high << 32 | time_low}
      simple_packet:
        seq:
          - {id: length, type: u4}
          - {id: data, size-eos: true}
enums:
  kind: {1: interface, 3: simple_packet, 4: names, 5: statistics, 6: packet}
