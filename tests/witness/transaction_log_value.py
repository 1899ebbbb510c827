# Made from formats/transaction_log_value.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import control_record
from tests.witness import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TransactionLogValue(ReadWriteKaitaiStruct):
    """What the transaction coordinator knows of a transactional id; the latest record of the id's key in
    `__transaction_state` counts. Version 0 is written since 0.11, and version 1, which has tagged fields, where the
    cluster's feature `transaction.version` is 1 or 2 (since 3.8).
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.3.1/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
    """

    class TransactionState(IntEnum):
        empty = 0
        ongoing = 1
        prepare_commit = 2
        prepare_abort = 3
        complete_commit = 4
        complete_abort = 5
        dead = 6
        prepare_epoch_fence = 7
    def __init__(self, _io=None, _parent=None, _root=None):
        super(TransactionLogValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        if not self.version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.version, self._io, u"/seq/0")
        self.producer_id = self._io.read_s8be()
        self.producer_epoch = self._io.read_s2be()
        self.transaction_timeout_ms = self._io.read_s4be()
        self.transaction_status = KaitaiStream.resolve_enum(TransactionLogValue.TransactionState, self._io.read_s1())
        if self.version == 0:
            pass
            self.partitions = TransactionLogValue.Partitions(self._io, self, self._root)
            self.partitions._read()

        if self.version >= 1:
            pass
            self.compact_partitions = TransactionLogValue.CompactPartitions(self._io, self, self._root)
            self.compact_partitions._read()

        self.transaction_last_update_timestamp_ms = self._io.read_s8be()
        self.transaction_start_timestamp_ms = self._io.read_s8be()
        if self.version >= 1:
            pass
            self.tags = control_record.ControlRecord.TaggedFields(self._io)
            self.tags._read()

        self._dirty = False


    def _fetch_instances(self):
        pass
        if self.version == 0:
            pass
            self.partitions._fetch_instances()

        if self.version >= 1:
            pass
            self.compact_partitions._fetch_instances()

        if self.version >= 1:
            pass
            self.tags._fetch_instances()



    def _write__seq(self, io=None):
        super(TransactionLogValue, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s8be(self.producer_id)
        self._io.write_s2be(self.producer_epoch)
        self._io.write_s4be(self.transaction_timeout_ms)
        self._io.write_s1(int(self.transaction_status))
        if self.version == 0:
            pass
            self.partitions._write__seq(self._io)

        if self.version >= 1:
            pass
            self.compact_partitions._write__seq(self._io)

        self._io.write_s8be(self.transaction_last_update_timestamp_ms)
        self._io.write_s8be(self.transaction_start_timestamp_ms)
        if self.version >= 1:
            pass
            self.tags._write__seq(self._io)



    def _check(self):
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/seq/0")
        if not self.version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.version, None, u"/seq/0")
        if self.version == 0:
            pass
            if self.partitions._root != self._root:
                raise kaitaistruct.ConsistencyError(u"partitions", self._root, self.partitions._root)
            if self.partitions._parent != self:
                raise kaitaistruct.ConsistencyError(u"partitions", self, self.partitions._parent)

        if self.version >= 1:
            pass
            if self.compact_partitions._root != self._root:
                raise kaitaistruct.ConsistencyError(u"compact_partitions", self._root, self.compact_partitions._root)
            if self.compact_partitions._parent != self:
                raise kaitaistruct.ConsistencyError(u"compact_partitions", self, self.compact_partitions._parent)

        if self.version >= 1:
            pass

        self._dirty = False

    class CompactPartitions(ReadWriteKaitaiStruct):
        """Topics with their partitions, in version 1."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.CompactPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.topics_length = varint.Varint.Unsigned(5, self._io)
            self.topics_length._read()
            if self.topics_length.value >= 1:
                pass
                self.topics = []
                for i in range(self.topics_length.value - 1):
                    _t_topics = TransactionLogValue.CompactTopicPartitions(self._io, self, self._root)
                    try:
                        _t_topics._read()
                    finally:
                        self.topics.append(_t_topics)


            self._dirty = False


        def _fetch_instances(self):
            pass
            self.topics_length._fetch_instances()
            if self.topics_length.value >= 1:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._fetch_instances()




        def _write__seq(self, io=None):
            super(TransactionLogValue.CompactPartitions, self)._write__seq(io)
            self.topics_length._write__seq(self._io)
            if self.topics_length.value >= 1:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._write__seq(self._io)




        def _check(self):
            if self.topics_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"topics_length", 5, self.topics_length.max_len)
            if self.topics_length.value >= 1:
                pass
                if len(self.topics) != self.topics_length.value - 1:
                    raise kaitaistruct.ConsistencyError(u"topics", self.topics_length.value - 1, len(self.topics))
                for i in range(len(self.topics)):
                    pass
                    if self.topics[i]._root != self._root:
                        raise kaitaistruct.ConsistencyError(u"topics", self._root, self.topics[i]._root)
                    if self.topics[i]._parent != self:
                        raise kaitaistruct.ConsistencyError(u"topics", self, self.topics[i]._parent)


            self._dirty = False


    class CompactTopicPartitions(ReadWriteKaitaiStruct):
        """Partitions of one topic, in version 1."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.CompactTopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.topic_length = varint.Varint.Unsigned(5, self._io)
            self.topic_length._read()
            _ = self.topic_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.topic_length, self._io, u"/types/compact_topic_partitions/seq/0")
            self.topic = (self._io.read_bytes(self.topic_length.value - 1)).decode(u"UTF-8")
            self.partition_ids_length = varint.Varint.Unsigned(5, self._io)
            self.partition_ids_length._read()
            _ = self.partition_ids_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.partition_ids_length, self._io, u"/types/compact_topic_partitions/seq/2")
            self.partition_ids = []
            for i in range(self.partition_ids_length.value - 1):
                self.partition_ids.append(self._io.read_s4be())

            self.tags = control_record.ControlRecord.TaggedFields(self._io)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.topic_length._fetch_instances()
            self.partition_ids_length._fetch_instances()
            for i in range(len(self.partition_ids)):
                pass

            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(TransactionLogValue.CompactTopicPartitions, self)._write__seq(io)
            self.topic_length._write__seq(self._io)
            self._io.write_bytes((self.topic).encode(u"UTF-8"))
            self.partition_ids_length._write__seq(self._io)
            for i in range(len(self.partition_ids)):
                pass
                self._io.write_s4be(self.partition_ids[i])

            self.tags._write__seq(self._io)


        def _check(self):
            if self.topic_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"topic_length", 5, self.topic_length.max_len)
            _ = self.topic_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.topic_length, None, u"/types/compact_topic_partitions/seq/0")
            if len((self.topic).encode(u"UTF-8")) != self.topic_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"topic", self.topic_length.value - 1, len((self.topic).encode(u"UTF-8")))
            if self.partition_ids_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"partition_ids_length", 5, self.partition_ids_length.max_len)
            _ = self.partition_ids_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.partition_ids_length, None, u"/types/compact_topic_partitions/seq/2")
            if len(self.partition_ids) != self.partition_ids_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"partition_ids", self.partition_ids_length.value - 1, len(self.partition_ids))
            for i in range(len(self.partition_ids)):
                pass

            self._dirty = False


    class NextProducerId(ReadWriteKaitaiStruct):
        """Data of tag 1."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.NextProducerId, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.NextProducerId, self)._write__seq(io)
            self._io.write_s8be(self.producer_id)


        def _check(self):
            self._dirty = False


    class Partitions(ReadWriteKaitaiStruct):
        """Topics with their partitions, in version 0."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.Partitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.topics_count = self._io.read_s4be()
            if self.topics_count >= 0:
                pass
                self.topics = []
                for i in range(self.topics_count):
                    _t_topics = TransactionLogValue.TopicPartitions(self._io, self, self._root)
                    try:
                        _t_topics._read()
                    finally:
                        self.topics.append(_t_topics)


            self._dirty = False


        def _fetch_instances(self):
            pass
            if self.topics_count >= 0:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._fetch_instances()




        def _write__seq(self, io=None):
            super(TransactionLogValue.Partitions, self)._write__seq(io)
            self._io.write_s4be(self.topics_count)
            if self.topics_count >= 0:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._write__seq(self._io)




        def _check(self):
            if self.topics_count >= 0:
                pass
                if len(self.topics) != self.topics_count:
                    raise kaitaistruct.ConsistencyError(u"topics", self.topics_count, len(self.topics))
                for i in range(len(self.topics)):
                    pass
                    if self.topics[i]._root != self._root:
                        raise kaitaistruct.ConsistencyError(u"topics", self._root, self.topics[i]._root)
                    if self.topics[i]._parent != self:
                        raise kaitaistruct.ConsistencyError(u"topics", self, self.topics[i]._parent)


            self._dirty = False


    class TopicPartitions(ReadWriteKaitaiStruct):
        """Partitions of one topic, in version 0."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.topic_length = self._io.read_s2be()
            if not self.topic_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.topic_length, self._io, u"/types/topic_partitions/seq/0")
            self.topic = (self._io.read_bytes(self.topic_length)).decode(u"UTF-8")
            self.partition_ids_count = self._io.read_s4be()
            if not self.partition_ids_count >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.partition_ids_count, self._io, u"/types/topic_partitions/seq/2")
            self.partition_ids = []
            for i in range(self.partition_ids_count):
                self.partition_ids.append(self._io.read_s4be())

            self._dirty = False


        def _fetch_instances(self):
            pass
            for i in range(len(self.partition_ids)):
                pass



        def _write__seq(self, io=None):
            super(TransactionLogValue.TopicPartitions, self)._write__seq(io)
            self._io.write_s2be(self.topic_length)
            self._io.write_bytes((self.topic).encode(u"UTF-8"))
            self._io.write_s4be(self.partition_ids_count)
            for i in range(len(self.partition_ids)):
                pass
                self._io.write_s4be(self.partition_ids[i])



        def _check(self):
            if not self.topic_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.topic_length, None, u"/types/topic_partitions/seq/0")
            if len((self.topic).encode(u"UTF-8")) != self.topic_length:
                raise kaitaistruct.ConsistencyError(u"topic", self.topic_length, len((self.topic).encode(u"UTF-8")))
            if not self.partition_ids_count >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.partition_ids_count, None, u"/types/topic_partitions/seq/2")
            if len(self.partition_ids) != self.partition_ids_count:
                raise kaitaistruct.ConsistencyError(u"partition_ids", self.partition_ids_count, len(self.partition_ids))
            for i in range(len(self.partition_ids)):
                pass

            self._dirty = False



