meta:
  id: end_txn_marker
  title: Kafka's EndTxnMarker
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Value of the control records `abort` and `commit`, the last record of a transaction in a partition. Written by the
  transaction coordinator, since 0.11. A newer version is read as this one, and bytes may follow.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndTxnMarker.json
-orig-id: EndTxnMarker
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
  - id: coordinator_epoch
    type: s4
    -orig-id: CoordinatorEpoch
