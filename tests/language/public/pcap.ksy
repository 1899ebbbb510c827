meta:
  id: pcap
  title: Packet capture
  file-extension: pcap
  license: Apache-2.0
  endian: be
doc-ref: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
seq:
  - {id: magic, type: u4be, enum: magic, valid: {in-enum: true}}
  - {id: capture, type: capture}
types:
  capture:
    meta:
      endian:
        switch-on: _root.magic
        cases:
          'magic::microseconds_le': le
          'magic::nanoseconds_le': le
          _: be
    seq:
      - {id: major_version, type: u2}
      - {id: minor_version, type: u2}
      - {id: zone, type: s4}
      - {id: accuracy, type: u4}
      - {id: snap_length, type: u4}
      - {id: link, type: u4, enum: link}
      - {id: packets, type: packet, repeat: eos}
    types:
      packet:
        seq:
          - {id: seconds, type: u4}
          - {id: fraction, type: u4}
          - {id: captured_length, type: u4}
          - {id: length, type: u4}
          - id: body
            size: captured_length
            type:
              switch-on: _parent.link
              cases:
                'link::ethernet': ethernet
                'link::raw': internet
        instances:
          is_cut: {value: captured_length < length}
  ethernet:
    seq:
      - {id: destination, size: 6}
      - {id: source, size: 6}
      - {id: kind, type: u2, enum: ether}
      - {id: tag, type: tag, if: 'kind == ether::tagged'}
      - id: body
        size-eos: true
        type:
          switch-on: 'kind == ether::tagged ? tag.kind : kind'
          cases:
            'ether::ipv4': internet
            'ether::ipv6': internet
            'ether::arp': arp
  tag:
    seq:
      - {id: priority, type: b3}
      - {id: may_be_dropped, type: b1}
      - {id: network, type: b12}
      - {id: kind, type: u2, enum: ether}
  arp:
    seq:
      - {id: hardware, type: u2}
      - {id: protocol, type: u2, enum: ether}
      - {id: hardware_length, type: u1}
      - {id: protocol_length, type: u1}
      - {id: operation, type: u2, enum: operation}
      - {id: sender, type: arp_party}
      - {id: target, type: arp_party}
    types:
      arp_party:
        seq:
          - {id: hardware_address, size: _parent.hardware_length}
          - {id: protocol_address, size: _parent.protocol_length}
    enums:
      operation: {1: request, 2: reply}
  internet:
    seq:
      - {id: version, type: b4}
      - id: packet
        type:
          switch-on: version
          cases: {4: ipv4, 6: ipv6}
  ipv4:
    -checksum: {algorithm: internet, field: checksum, from: header_words, to: options}
    seq:
      - {id: header_words, type: b4, valid: {min: 5}}
      - {id: service, type: b6}
      - {id: congestion, type: b2}
      - {id: length, type: u2}
      - {id: identification, type: u2}
      - {id: reserved, type: b1}
      - {id: dont_fragment, type: b1}
      - {id: more_fragments, type: b1}
      - {id: fragment_at, type: b13}
      - {id: time_to_live, type: u1}
      - {id: protocol, type: u1, enum: protocol}
      - {id: checksum, type: u2}
      - {id: source, size: 4}
      - {id: destination, size: 4}
      - {id: options, size: 4 * header_words - 20}
      - {id: body, type: transport(protocol), size: length - 4 * header_words}
    instances:
      source_text: {value: 'f"{source[0]}.{source[1]}.{source[2]}.{source[3]}"'}
  ipv6:
    seq:
      - {id: traffic_class, type: b8}
      - {id: flow_label, type: b20}
      - {id: length, type: u2}
      - {id: next_header, type: u1, enum: protocol}
      - {id: hop_limit, type: u1}
      - {id: source, size: 16}
      - {id: destination, size: 16}
      - {id: body, type: transport(next_header), size: length}
  transport:
    params:
      - {id: protocol, type: u1, enum: protocol}
    seq:
      - id: segment
        type:
          switch-on: protocol
          cases:
            'protocol::icmp': icmp
            'protocol::tcp': tcp
            'protocol::udp': udp
            _: unknown
  unknown: {seq: [{id: data, size-eos: true}]}
  icmp:
    -checksum: {algorithm: internet, field: checksum, from: kind, to: data}
    seq:
      - {id: kind, type: u1}
      - {id: code, type: u1}
      - {id: checksum, type: u2}
      - {id: data, size-eos: true}
  udp:
    seq:
      - {id: source_port, type: u2}
      - {id: destination_port, type: u2}
      - {id: length, type: u2}
      - {id: checksum, type: u2}
      - {id: data, size: length - 8}
  tcp:
    seq:
      - {id: source_port, type: u2}
      - {id: destination_port, type: u2}
      - {id: sequence_number, type: u4}
      - {id: acknowledged_number, type: u4}
      - {id: header_words, type: b4}
      - {id: reserved, type: b4}
      - {id: flags, type: flags}
      - {id: window, type: u2}
      - {id: checksum, type: u2}
      - {id: urgent, type: u2}
      - {id: options, type: options, size: 4 * header_words - 20}
      - {id: data, size-eos: true}
    types:
      flags:
        seq:
          - {id: cwr, type: b1}
          - {id: ece, type: b1}
          - {id: urg, type: b1}
          - {id: ack, type: b1}
          - {id: psh, type: b1}
          - {id: rst, type: b1}
          - {id: syn, type: b1}
          - {id: fin, type: b1}
      options:
        seq: [{id: options, type: option, repeat: eos}]
      option:
        seq:
          - {id: kind, type: u1, enum: option_kind}
          - {id: length, type: u1, if: has_length}
          - {id: data, size: length - 2, if: has_length}
        instances:
          has_length: {value: 'kind != option_kind::end and kind != option_kind::no_operation'}
    enums:
      option_kind: {0: end, 1: no_operation, 2: segment_size, 3: window_scale, 4: sack_permitted, 5: sack, 8: times}
enums:
  magic:
    0xa1b2c3d4: microseconds_be
    0xd4c3b2a1: microseconds_le
    0xa1b23c4d: nanoseconds_be
    0x4d3cb2a1: nanoseconds_le
  link: {0: 'null', 1: ethernet, 101: raw}
  ether: {0x0800: ipv4, 0x0806: arp, 0x8100: tagged, 0x86dd: ipv6}
  protocol: {1: icmp, 6: tcp, 17: udp}
