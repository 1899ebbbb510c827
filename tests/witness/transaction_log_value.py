# Made from formats/messages/transaction_log_value.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import kafka_types
from tests.witness import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TransactionLogValue(ReadWriteKaitaiStruct):
    """Value of a record of `__transaction_state`: what the transaction coordinator knows of a transactional id; the latest
    one counts, and no value says that the id is forgotten. Version 0 since 0.11, version 1 where the cluster's feature
    `transaction.version` is 1 or 2 (since 3.8).
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
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
        if self.version < 1:
            pass
            self.transaction_partitions_count = self._io.read_s4be()

        if self.version >= 1:
            pass
            self.compact_transaction_partitions_count = varint.Varint.Unsigned(5, self._io)
            self.compact_transaction_partitions_count._read()

        if (self.compact_transaction_partitions_count.value >= 1 if self.version >= 1 else self.transaction_partitions_count >= 0):
            pass
            self.transaction_partitions = []
            for i in range((self.compact_transaction_partitions_count.value - 1 if self.version >= 1 else self.transaction_partitions_count)):
                _t_transaction_partitions = TransactionLogValue.PartitionsSchema(self.version, self._io, self, self._root)
                try:
                    _t_transaction_partitions._read()
                finally:
                    self.transaction_partitions.append(_t_transaction_partitions)


        self.transaction_last_update_timestamp_ms = self._io.read_s8be()
        self.transaction_start_timestamp_ms = self._io.read_s8be()
        if self.version >= 1:
            pass
            self.tagged_fields = TransactionLogValue.TransactionLogValueTaggedFields(self._io, self, self._root)
            self.tagged_fields._read()

        self._dirty = False


    def _fetch_instances(self):
        pass
        if self.version < 1:
            pass

        if self.version >= 1:
            pass
            self.compact_transaction_partitions_count._fetch_instances()

        if (self.compact_transaction_partitions_count.value >= 1 if self.version >= 1 else self.transaction_partitions_count >= 0):
            pass
            for i in range(len(self.transaction_partitions)):
                pass
                self.transaction_partitions[i]._fetch_instances()


        if self.version >= 1:
            pass
            self.tagged_fields._fetch_instances()



    def _write__seq(self, io=None):
        super(TransactionLogValue, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s8be(self.producer_id)
        self._io.write_s2be(self.producer_epoch)
        self._io.write_s4be(self.transaction_timeout_ms)
        self._io.write_s1(int(self.transaction_status))
        if self.version < 1:
            pass
            self._io.write_s4be(self.transaction_partitions_count)

        if self.version >= 1:
            pass
            self.compact_transaction_partitions_count._write__seq(self._io)

        if (self.compact_transaction_partitions_count.value >= 1 if self.version >= 1 else self.transaction_partitions_count >= 0):
            pass
            for i in range(len(self.transaction_partitions)):
                pass
                self.transaction_partitions[i]._write__seq(self._io)


        self._io.write_s8be(self.transaction_last_update_timestamp_ms)
        self._io.write_s8be(self.transaction_start_timestamp_ms)
        if self.version >= 1:
            pass
            self.tagged_fields._write__seq(self._io)



    def _check(self):
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/seq/0")
        if not self.version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.version, None, u"/seq/0")
        if self.version < 1:
            pass

        if self.version >= 1:
            pass
            if self.compact_transaction_partitions_count.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"compact_transaction_partitions_count", 5, self.compact_transaction_partitions_count.max_len)

        if (self.compact_transaction_partitions_count.value >= 1 if self.version >= 1 else self.transaction_partitions_count >= 0):
            pass
            if len(self.transaction_partitions) != (self.compact_transaction_partitions_count.value - 1 if self.version >= 1 else self.transaction_partitions_count):
                raise kaitaistruct.ConsistencyError(u"transaction_partitions", (self.compact_transaction_partitions_count.value - 1 if self.version >= 1 else self.transaction_partitions_count), len(self.transaction_partitions))
            for i in range(len(self.transaction_partitions)):
                pass
                if self.transaction_partitions[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"transaction_partitions", self._root, self.transaction_partitions[i]._root)
                if self.transaction_partitions[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"transaction_partitions", self, self.transaction_partitions[i]._parent)
                if self.transaction_partitions[i].version != self.version:
                    raise kaitaistruct.ConsistencyError(u"transaction_partitions", self.version, self.transaction_partitions[i].version)


        if self.version >= 1:
            pass
            if self.tagged_fields._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tagged_fields", self._root, self.tagged_fields._root)
            if self.tagged_fields._parent != self:
                raise kaitaistruct.ConsistencyError(u"tagged_fields", self, self.tagged_fields._parent)

        self._dirty = False

    class PartitionsSchema(ReadWriteKaitaiStruct):
        def __init__(self, version, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.PartitionsSchema, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version

        def _read(self):
            if self.version < 1:
                pass
                self.topic_length = self._io.read_s2be()
                if not self.topic_length >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.topic_length, self._io, u"/types/partitions_schema/seq/0")

            if self.version >= 1:
                pass
                self.compact_topic_length = varint.Varint.Unsigned(5, self._io)
                self.compact_topic_length._read()
                _ = self.compact_topic_length
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_topic_length, self._io, u"/types/partitions_schema/seq/1")

            self.topic = (self._io.read_bytes((self.compact_topic_length.value - 1 if self.version >= 1 else self.topic_length))).decode(u"UTF-8")
            if self.version < 1:
                pass
                self.partition_ids_count = self._io.read_s4be()
                if not self.partition_ids_count >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.partition_ids_count, self._io, u"/types/partitions_schema/seq/3")

            if self.version >= 1:
                pass
                self.compact_partition_ids_count = varint.Varint.Unsigned(5, self._io)
                self.compact_partition_ids_count._read()
                _ = self.compact_partition_ids_count
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_partition_ids_count, self._io, u"/types/partitions_schema/seq/4")

            self.partition_ids = []
            for i in range((self.compact_partition_ids_count.value - 1 if self.version >= 1 else self.partition_ids_count)):
                self.partition_ids.append(self._io.read_s4be())

            if self.version >= 1:
                pass
                self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
                self.tagged_fields._read()

            self._dirty = False


        def _fetch_instances(self):
            pass
            if self.version < 1:
                pass

            if self.version >= 1:
                pass
                self.compact_topic_length._fetch_instances()

            if self.version < 1:
                pass

            if self.version >= 1:
                pass
                self.compact_partition_ids_count._fetch_instances()

            for i in range(len(self.partition_ids)):
                pass

            if self.version >= 1:
                pass
                self.tagged_fields._fetch_instances()



        def _write__seq(self, io=None):
            super(TransactionLogValue.PartitionsSchema, self)._write__seq(io)
            if self.version < 1:
                pass
                self._io.write_s2be(self.topic_length)

            if self.version >= 1:
                pass
                self.compact_topic_length._write__seq(self._io)

            self._io.write_bytes((self.topic).encode(u"UTF-8"))
            if self.version < 1:
                pass
                self._io.write_s4be(self.partition_ids_count)

            if self.version >= 1:
                pass
                self.compact_partition_ids_count._write__seq(self._io)

            for i in range(len(self.partition_ids)):
                pass
                self._io.write_s4be(self.partition_ids[i])

            if self.version >= 1:
                pass
                self.tagged_fields._write__seq(self._io)



        def _check(self):
            if self.version < 1:
                pass
                if not self.topic_length >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.topic_length, None, u"/types/partitions_schema/seq/0")

            if self.version >= 1:
                pass
                if self.compact_topic_length.max_len != 5:
                    raise kaitaistruct.ConsistencyError(u"compact_topic_length", 5, self.compact_topic_length.max_len)
                _ = self.compact_topic_length
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_topic_length, None, u"/types/partitions_schema/seq/1")

            if len((self.topic).encode(u"UTF-8")) != (self.compact_topic_length.value - 1 if self.version >= 1 else self.topic_length):
                raise kaitaistruct.ConsistencyError(u"topic", (self.compact_topic_length.value - 1 if self.version >= 1 else self.topic_length), len((self.topic).encode(u"UTF-8")))
            if self.version < 1:
                pass
                if not self.partition_ids_count >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.partition_ids_count, None, u"/types/partitions_schema/seq/3")

            if self.version >= 1:
                pass
                if self.compact_partition_ids_count.max_len != 5:
                    raise kaitaistruct.ConsistencyError(u"compact_partition_ids_count", 5, self.compact_partition_ids_count.max_len)
                _ = self.compact_partition_ids_count
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_partition_ids_count, None, u"/types/partitions_schema/seq/4")

            if len(self.partition_ids) != (self.compact_partition_ids_count.value - 1 if self.version >= 1 else self.partition_ids_count):
                raise kaitaistruct.ConsistencyError(u"partition_ids", (self.compact_partition_ids_count.value - 1 if self.version >= 1 else self.partition_ids_count), len(self.partition_ids))
            for i in range(len(self.partition_ids)):
                pass

            if self.version >= 1:
                pass

            self._dirty = False


    class TransactionLogValueClientTransactionVersionTag(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValueClientTransactionVersionTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.client_transaction_version = self._io.read_s2be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValueClientTransactionVersionTag, self)._write__seq(io)
            self._io.write_s2be(self.client_transaction_version)


        def _check(self):
            self._dirty = False


    class TransactionLogValueNextProducerEpochTag(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValueNextProducerEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.next_producer_epoch = self._io.read_s2be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValueNextProducerEpochTag, self)._write__seq(io)
            self._io.write_s2be(self.next_producer_epoch)


        def _check(self):
            self._dirty = False


    class TransactionLogValueNextProducerIdTag(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValueNextProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.next_producer_id = self._io.read_s8be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValueNextProducerIdTag, self)._write__seq(io)
            self._io.write_s8be(self.next_producer_id)


        def _check(self):
            self._dirty = False


    class TransactionLogValuePreviousProducerIdTag(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValuePreviousProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.previous_producer_id = self._io.read_s8be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValuePreviousProducerIdTag, self)._write__seq(io)
            self._io.write_s8be(self.previous_producer_id)


        def _check(self):
            self._dirty = False


    class TransactionLogValueTaggedField(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValueTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.tag = varint.Varint.Unsigned(5, self._io)
            self.tag._read()
            self.data_length = varint.Varint.Unsigned(5, self._io)
            self.data_length._read()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.data_length.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = TransactionLogValue.TransactionLogValuePreviousProducerIdTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.data_length.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = TransactionLogValue.TransactionLogValueNextProducerIdTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.data_length.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = TransactionLogValue.TransactionLogValueClientTransactionVersionTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes(self.data_length.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = TransactionLogValue.TransactionLogValueNextProducerEpochTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes(self.data_length.value)
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.data_length._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            elif _on == 1:
                pass
                self.data._fetch_instances()
            elif _on == 2:
                pass
                self.data._fetch_instances()
            elif _on == 3:
                pass
                self.data._fetch_instances()
            else:
                pass


        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValueTaggedField, self)._write__seq(io)
            self.tag._write__seq(self._io)
            self.data_length._write__seq(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                _io__raw_data = KaitaiStream(BytesIO(bytearray(self.data_length.value)))
                self._io.add_child_stream(_io__raw_data)
                _pos2 = self._io.pos()
                self._io.seek(self._io.pos() + (self.data_length.value))
                def handler(parent, _io__raw_data=_io__raw_data):
                    self._raw_data = _io__raw_data.to_byte_array()
                    if len(self._raw_data) != self.data_length.value:
                        raise kaitaistruct.ConsistencyError(u"raw(data)", self.data_length.value, len(self._raw_data))
                    parent.write_bytes(self._raw_data)
                _io__raw_data.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
                self.data._write__seq(_io__raw_data)
            elif _on == 1:
                pass
                _io__raw_data = KaitaiStream(BytesIO(bytearray(self.data_length.value)))
                self._io.add_child_stream(_io__raw_data)
                _pos2 = self._io.pos()
                self._io.seek(self._io.pos() + (self.data_length.value))
                def handler(parent, _io__raw_data=_io__raw_data):
                    self._raw_data = _io__raw_data.to_byte_array()
                    if len(self._raw_data) != self.data_length.value:
                        raise kaitaistruct.ConsistencyError(u"raw(data)", self.data_length.value, len(self._raw_data))
                    parent.write_bytes(self._raw_data)
                _io__raw_data.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
                self.data._write__seq(_io__raw_data)
            elif _on == 2:
                pass
                _io__raw_data = KaitaiStream(BytesIO(bytearray(self.data_length.value)))
                self._io.add_child_stream(_io__raw_data)
                _pos2 = self._io.pos()
                self._io.seek(self._io.pos() + (self.data_length.value))
                def handler(parent, _io__raw_data=_io__raw_data):
                    self._raw_data = _io__raw_data.to_byte_array()
                    if len(self._raw_data) != self.data_length.value:
                        raise kaitaistruct.ConsistencyError(u"raw(data)", self.data_length.value, len(self._raw_data))
                    parent.write_bytes(self._raw_data)
                _io__raw_data.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
                self.data._write__seq(_io__raw_data)
            elif _on == 3:
                pass
                _io__raw_data = KaitaiStream(BytesIO(bytearray(self.data_length.value)))
                self._io.add_child_stream(_io__raw_data)
                _pos2 = self._io.pos()
                self._io.seek(self._io.pos() + (self.data_length.value))
                def handler(parent, _io__raw_data=_io__raw_data):
                    self._raw_data = _io__raw_data.to_byte_array()
                    if len(self._raw_data) != self.data_length.value:
                        raise kaitaistruct.ConsistencyError(u"raw(data)", self.data_length.value, len(self._raw_data))
                    parent.write_bytes(self._raw_data)
                _io__raw_data.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
                self.data._write__seq(_io__raw_data)
            else:
                pass
                self._io.write_bytes(self.data)


        def _check(self):
            if self.tag.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"tag", 5, self.tag.max_len)
            if self.data_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"data_length", 5, self.data_length.max_len)
            _on = self.tag.value
            if _on == 0:
                pass
                if self.data._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"data", self._root, self.data._root)
                if self.data._parent != self:
                    raise kaitaistruct.ConsistencyError(u"data", self, self.data._parent)
            elif _on == 1:
                pass
                if self.data._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"data", self._root, self.data._root)
                if self.data._parent != self:
                    raise kaitaistruct.ConsistencyError(u"data", self, self.data._parent)
            elif _on == 2:
                pass
                if self.data._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"data", self._root, self.data._root)
                if self.data._parent != self:
                    raise kaitaistruct.ConsistencyError(u"data", self, self.data._parent)
            elif _on == 3:
                pass
                if self.data._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"data", self._root, self.data._root)
                if self.data._parent != self:
                    raise kaitaistruct.ConsistencyError(u"data", self, self.data._parent)
            else:
                pass
                if len(self.data) != self.data_length.value:
                    raise kaitaistruct.ConsistencyError(u"data", self.data_length.value, len(self.data))
            self._dirty = False


    class TransactionLogValueTaggedFields(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TransactionLogValue.TransactionLogValueTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.fields_count = varint.Varint.Unsigned(5, self._io)
            self.fields_count._read()
            self.fields = []
            for i in range(self.fields_count.value):
                _t_fields = TransactionLogValue.TransactionLogValueTaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)

            self._dirty = False


        def _fetch_instances(self):
            pass
            self.fields_count._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



        def _write__seq(self, io=None):
            super(TransactionLogValue.TransactionLogValueTaggedFields, self)._write__seq(io)
            self.fields_count._write__seq(self._io)
            for i in range(len(self.fields)):
                pass
                self.fields[i]._write__seq(self._io)



        def _check(self):
            if self.fields_count.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"fields_count", 5, self.fields_count.max_len)
            if len(self.fields) != self.fields_count.value:
                raise kaitaistruct.ConsistencyError(u"fields", self.fields_count.value, len(self.fields))
            for i in range(len(self.fields)):
                pass
                if self.fields[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"fields", self._root, self.fields[i]._root)
                if self.fields[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"fields", self, self.fields[i]._parent)

            self._dirty = False



