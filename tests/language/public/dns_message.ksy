meta:
  id: dns_message
  title: Message of the Domain Name System
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: RFC 1035
seq:
  - {id: id, type: u2}
  - {id: is_response, type: b1}
  - {id: opcode, type: b4, enum: opcode}
  - {id: is_authoritative, type: b1}
  - {id: is_truncated, type: b1}
  - {id: recursion_desired, type: b1}
  - {id: recursion_available, type: b1}
  - {id: reserved, type: b1}
  - {id: is_authentic, type: b1}
  - {id: checking_disabled, type: b1}
  - {id: code, type: b4, enum: code}
  - {id: questions_count, type: u2}
  - {id: answers_count, type: u2}
  - {id: authorities_count, type: u2}
  - {id: additionals_count, type: u2}
  - {id: questions, type: question, repeat: expr, repeat-expr: questions_count}
  - {id: answers, type: record, repeat: expr, repeat-expr: answers_count}
  - {id: authorities, type: record, repeat: expr, repeat-expr: authorities_count}
  - {id: additionals, type: record, repeat: expr, repeat-expr: additionals_count}
types:
  name:
    seq:
      - {id: labels, type: label, repeat: until, repeat-until: _.is_last}
    instances:
      first: {value: 'labels[0].text', if: 'labels[0].head != 0 and not labels[0].is_pointer'}
  label:
    seq:
      - {id: head, type: u1}
      - {id: text, type: str, size: head, if: head > 0 and not is_pointer}
      - {id: low, type: u1, if: is_pointer}
    instances:
      is_pointer: {value: head & 0xc0 == 0xc0}
      is_last: {value: head == 0 or is_pointer}
      target: {io: _root._io, pos: '(head & 0x3f) << 8 | low', type: name, if: is_pointer}
  question:
    seq:
      - {id: name, type: name}
      - {id: kind, type: u2, enum: kind}
      - {id: space, type: u2, enum: space}
  record:
    seq:
      - {id: name, type: name}
      - {id: kind, type: u2, enum: kind}
      - {id: space, type: u2, enum: space}
      - {id: time_to_live, type: u4}
      - {id: length, type: u2}
      - id: data
        size: length
        type:
          switch-on: kind
          cases:
            'kind::a': address_4
            'kind::aaaa': address_6
            'kind::ns': name
            'kind::cname': name
            'kind::ptr': name
            'kind::soa': authority
            'kind::mx': exchange
            'kind::txt': texts
            'kind::srv': service
            'kind::opt': options
  address_4:
    seq: [{id: bytes, type: u1, repeat: expr, repeat-expr: 4}]
    instances:
      text: {value: 'bytes[0].to_s + "." + bytes[1].to_s + "." + bytes[2].to_s + "." + bytes[3].to_s'}
      is_private: {value: 'bytes[0] == 10 or bytes[0] == 192 and bytes[1] == 168'}
  address_6:
    seq: [{id: groups, type: u2, repeat: expr, repeat-expr: 8}]
  authority:
    seq:
      - {id: primary, type: name}
      - {id: mailbox, type: name}
      - {id: serial, type: u4}
      - {id: refresh, type: u4}
      - {id: retry, type: u4}
      - {id: expire, type: u4}
      - {id: minimum, type: u4}
  exchange:
    seq:
      - {id: preference, type: u2}
      - {id: host, type: name}
  texts:
    seq: [{id: texts, type: text, repeat: eos}]
  text:
    seq:
      - {id: length, type: u1}
      - {id: text, type: str, size: length}
  service:
    seq:
      - {id: priority, type: u2}
      - {id: weight, type: u2}
      - {id: port, type: u2}
      - {id: host, type: name}
  options:
    seq: [{id: options, type: option, repeat: eos}]
  option:
    seq:
      - {id: code, type: u2}
      - {id: length, type: u2}
      - {id: data, size: length}
enums:
  opcode: {0: query, 1: inverse, 2: status, 4: notify, 5: update}
  code: {0: no_error, 1: format_error, 2: server_failure, 3: name_error, 4: not_implemented, 5: refused}
  kind: {1: a, 2: ns, 5: cname, 6: soa, 12: ptr, 15: mx, 16: txt, 28: aaaa, 33: srv, 41: opt, 255: any}
  space: {1: in_internet, 3: chaos, 4: hesiod, 255: any}
