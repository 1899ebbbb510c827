meta:
  id: quorum_state_data
  title: Kafka's QuorumStateData
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  What a node has voted for; the file `quorum-state` has it as JSON.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/raft/src/main/resources/common/message/QuorumStateData.json
-orig-id: QuorumStateData
seq:
  - id: version
    type: s2
    -derive: 1
    valid:
      min: 0
      max: 1
  - id: cluster_id_length
    type: varint::unsigned(5)
    if: version <= 0
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: cluster_id
    type: str
    size: cluster_id_length.value - 1
    if: version <= 0
    -orig-id: ClusterId
  - id: leader_id
    type: s4
    -orig-id: LeaderId
    -derive: -1
  - id: leader_epoch
    type: s4
    -orig-id: LeaderEpoch
    -derive: -1
  - id: voted_id
    type: s4
    -orig-id: VotedId
    -derive: -1
  - id: voted_directory_id
    size: 16
    -as: uuid(base64)
    if: version >= 1
    -orig-id: VotedDirectoryId
  - id: applied_offset
    type: s8
    if: version <= 0
    -orig-id: AppliedOffset
  - id: current_voters_count
    type: varint::unsigned(5)
    if: version <= 0
    -hidden: true
  - id: current_voters
    type: voter
    repeat: expr
    repeat-expr: current_voters_count.value - 1
    if: version <= 0 and current_voters_count.value >= 1
    -orig-id: CurrentVoters
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
