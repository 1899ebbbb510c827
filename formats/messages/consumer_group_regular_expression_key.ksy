meta:
  id: consumer_group_regular_expression_key
  title: Kafka's ConsumerGroupRegularExpressionKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: a regular expression of a subscription, in a group of the consumer protocol
  (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionKey.json
-orig-id: ConsumerGroupRegularExpressionKey
seq:
  - id: type
    type: s2
    -derive: 16
    valid: 16
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
  - id: regular_expression_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: regular_expression
    type: str
    size: regular_expression_length
    -orig-id: RegularExpression
