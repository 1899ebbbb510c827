meta:
  id: voters_record
  title: Kafka's VotersRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of the control record `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/VotersRecord.json
-orig-id: VotersRecord
seq:
  - id: version
    type: s2
    -orig-id: Version
    -derive: 0
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
      - id: voter_directory_id
        size: 16
        -as: uuid(base64)
        -orig-id: VoterDirectoryId
      - id: endpoints_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: endpoints
        type: endpoint
        repeat: expr
        repeat-expr: endpoints_count.value - 1
        -orig-id: Endpoints
      - id: kraft_version_feature
        type: kraft_version_feature
        -orig-id: KRaftVersionFeature
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  endpoint:
    -orig-id: Endpoint
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        -orig-id: Name
      - id: host_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: host
        type: str
        size: host_length.value - 1
        -orig-id: Host
      - id: port
        type: u2
        -orig-id: Port
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  kraft_version_feature:
    -orig-id: KRaftVersionFeature
    seq:
      - id: min_supported_version
        type: s2
        -orig-id: MinSupportedVersion
      - id: max_supported_version
        type: s2
        -orig-id: MaxSupportedVersion
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
