meta:
  id: leader_change_message_2_8
  title: Kafka's LeaderChangeMessage of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since
  2.7). Brokers up to 4.4.0 write version 0.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/clients/src/main/resources/common/message/LeaderChangeMessage.json
-orig-id: LeaderChangeMessage
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: leader_id
    type: s4
    -orig-id: LeaderId
  - id: voters_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: voters
    type: voter
    repeat: expr
    repeat-expr: voters_count.value - 1
    -orig-id: Voters
  - id: granting_voters_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: granting_voters
    type: voter
    repeat: expr
    repeat-expr: granting_voters_count.value - 1
    -orig-id: GrantingVoters
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  voter:
    -orig-id: Voter
    seq:
      - id: voter_id
        type: s4
        -orig-id: VoterId
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
