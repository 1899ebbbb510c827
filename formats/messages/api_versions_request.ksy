meta:
  id: api_versions_request
  title: Kafka's ApiVersionsRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ApiVersionsRequest.json
-orig-id: ApiVersionsRequest
params:
  - id: version
    type: s2
seq:
  - id: client_software_name_length
    type: varint::unsigned(5)
    if: version >= 3
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_software_name
    type: str
    size: client_software_name_length.value - 1
    if: version >= 3
    -orig-id: ClientSoftwareName
  - id: client_software_version_length
    type: varint::unsigned(5)
    if: version >= 3
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_software_version
    type: str
    size: client_software_version_length.value - 1
    if: version >= 3
    -orig-id: ClientSoftwareVersion
  - id: cluster_id_length
    type: varint::unsigned(5)
    if: version >= 5
    -hidden: true
  - id: cluster_id
    type: str
    size: cluster_id_length.value - 1
    if: version >= 5 and cluster_id_length.value >= 1
    -orig-id: ClusterId
  - id: node_id
    type: s4
    if: version >= 5
    -orig-id: NodeId
    -derive: -1
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 3
    -hidden: true
