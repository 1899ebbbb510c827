# Made from formats/record_batch.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class RecordBatch(ReadWriteKaitaiStruct):
    """What a segment file (`<base offset>.log`) consists of since Kafka 0.11: a sequence of batches with nothing between
    them. A producer builds a batch; the partition's leader writes the offset and its epoch into it, which the checksum
    does not cover, and otherwise stores it unchanged.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/DefaultRecordBatch.java
    """

    class CompressionType(IntEnum):
        none = 0
        gzip = 1
        snappy = 2
        lz4 = 3
        zstd = 4

    class TimestampType(IntEnum):
        create_time = 0
        log_append_time = 1
    def __init__(self, _io=None, _parent=None, _root=None):
        super(RecordBatch, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.base_offset = self._io.read_s8be()
        self.batch_length = self._io.read_s4be()
        if not self.batch_length >= 49:
            raise kaitaistruct.ValidationLessThanError(49, self.batch_length, self._io, u"/seq/1")
        self.partition_leader_epoch = self._io.read_s4be()
        self.magic = self._io.read_s1()
        if not self.magic == 2:
            raise kaitaistruct.ValidationNotEqualError(2, self.magic, self._io, u"/seq/3")
        self.crc = self._io.read_u4be()
        self.attributes = RecordBatch.Attributes(self._io, self, self._root)
        self.attributes._read()
        self.last_offset_delta = self._io.read_s4be()
        self.base_timestamp = self._io.read_s8be()
        self.max_timestamp = self._io.read_s8be()
        self.producer_id = self._io.read_s8be()
        self.producer_epoch = self._io.read_s2be()
        self.base_sequence = self._io.read_s4be()
        self.records_count = self._io.read_s4be()
        if not self.records_count >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.records_count, self._io, u"/seq/12")
        _on = self.attributes.compression
        if _on == RecordBatch.CompressionType.none:
            pass
            self._raw_payload = self._io.read_bytes(self.batch_length - 49)
            _io__raw_payload = KaitaiStream(BytesIO(self._raw_payload))
            self.payload = RecordBatch.Records(self.records_count, _io__raw_payload, self, self._root)
            self.payload._read()
        else:
            pass
            self.payload = self._io.read_bytes(self.batch_length - 49)
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.attributes._fetch_instances()
        _on = self.attributes.compression
        if _on == RecordBatch.CompressionType.none:
            pass
            self.payload._fetch_instances()
        else:
            pass


    def _write__seq(self, io=None):
        super(RecordBatch, self)._write__seq(io)
        self._io.write_s8be(self.base_offset)
        self._io.write_s4be(self.batch_length)
        self._io.write_s4be(self.partition_leader_epoch)
        self._io.write_s1(self.magic)
        self._io.write_u4be(self.crc)
        self.attributes._write__seq(self._io)
        self._io.write_s4be(self.last_offset_delta)
        self._io.write_s8be(self.base_timestamp)
        self._io.write_s8be(self.max_timestamp)
        self._io.write_s8be(self.producer_id)
        self._io.write_s2be(self.producer_epoch)
        self._io.write_s4be(self.base_sequence)
        self._io.write_s4be(self.records_count)
        _on = self.attributes.compression
        if _on == RecordBatch.CompressionType.none:
            pass
            _io__raw_payload = KaitaiStream(BytesIO(bytearray(self.batch_length - 49)))
            self._io.add_child_stream(_io__raw_payload)
            _pos2 = self._io.pos()
            self._io.seek(self._io.pos() + (self.batch_length - 49))
            def handler(parent, _io__raw_payload=_io__raw_payload):
                self._raw_payload = _io__raw_payload.to_byte_array()
                if len(self._raw_payload) != self.batch_length - 49:
                    raise kaitaistruct.ConsistencyError(u"raw(payload)", self.batch_length - 49, len(self._raw_payload))
                parent.write_bytes(self._raw_payload)
            _io__raw_payload.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
            self.payload._write__seq(_io__raw_payload)
        else:
            pass
            self._io.write_bytes(self.payload)


    def _check(self):
        if not self.batch_length >= 49:
            raise kaitaistruct.ValidationLessThanError(49, self.batch_length, None, u"/seq/1")
        if not self.magic == 2:
            raise kaitaistruct.ValidationNotEqualError(2, self.magic, None, u"/seq/3")
        if self.attributes._root != self._root:
            raise kaitaistruct.ConsistencyError(u"attributes", self._root, self.attributes._root)
        if self.attributes._parent != self:
            raise kaitaistruct.ConsistencyError(u"attributes", self, self.attributes._parent)
        if not self.records_count >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.records_count, None, u"/seq/12")
        _on = self.attributes.compression
        if _on == RecordBatch.CompressionType.none:
            pass
            if self.payload._root != self._root:
                raise kaitaistruct.ConsistencyError(u"payload", self._root, self.payload._root)
            if self.payload._parent != self:
                raise kaitaistruct.ConsistencyError(u"payload", self, self.payload._parent)
            if self.payload.count != self.records_count:
                raise kaitaistruct.ConsistencyError(u"payload", self.records_count, self.payload.count)
        else:
            pass
            if len(self.payload) != self.batch_length - 49:
                raise kaitaistruct.ConsistencyError(u"payload", self.batch_length - 49, len(self.payload))
        self._dirty = False

    class Attributes(ReadWriteKaitaiStruct):
        """The lower byte has its meaning from messages of magic 0 and 1, as far as they go."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(RecordBatch.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.reserved = self._io.read_bits_int_be(9)
            self.has_delete_horizon = self._io.read_bits_int_be(1) != 0
            self.is_control = self._io.read_bits_int_be(1) != 0
            self.is_transactional = self._io.read_bits_int_be(1) != 0
            self.timestamp_type = KaitaiStream.resolve_enum(RecordBatch.TimestampType, self._io.read_bits_int_be(1))
            self.compression = KaitaiStream.resolve_enum(RecordBatch.CompressionType, self._io.read_bits_int_be(3))
            if not isinstance(self.compression, RecordBatch.CompressionType):
                raise kaitaistruct.ValidationNotInEnumError(self.compression, self._io, u"/types/attributes/seq/5")
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(RecordBatch.Attributes, self)._write__seq(io)
            self._io.write_bits_int_be(9, self.reserved)
            self._io.write_bits_int_be(1, int(self.has_delete_horizon))
            self._io.write_bits_int_be(1, int(self.is_control))
            self._io.write_bits_int_be(1, int(self.is_transactional))
            self._io.write_bits_int_be(1, int(self.timestamp_type))
            self._io.write_bits_int_be(3, int(self.compression))


        def _check(self):
            if not isinstance(self.compression, RecordBatch.CompressionType):
                raise kaitaistruct.ValidationNotInEnumError(self.compression, None, u"/types/attributes/seq/5")
            self._dirty = False


    class Header(ReadWriteKaitaiStruct):
        """A name and a value that an application gave a record; since 0.11 (KIP-82)."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(RecordBatch.Header, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.key_length = varint.Varint(5, self._io)
            self.key_length._read()
            _ = self.key_length
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.key_length, self._io, u"/types/header/seq/0")
            self.key = (self._io.read_bytes(self.key_length.value)).decode(u"UTF-8")
            self.value_length = varint.Varint(5, self._io)
            self.value_length._read()
            if self.value_length.value >= 0:
                pass
                self.value = self._io.read_bytes(self.value_length.value)

            self._dirty = False


        def _fetch_instances(self):
            pass
            self.key_length._fetch_instances()
            self.value_length._fetch_instances()
            if self.value_length.value >= 0:
                pass



        def _write__seq(self, io=None):
            super(RecordBatch.Header, self)._write__seq(io)
            self.key_length._write__seq(self._io)
            self._io.write_bytes((self.key).encode(u"UTF-8"))
            self.value_length._write__seq(self._io)
            if self.value_length.value >= 0:
                pass
                self._io.write_bytes(self.value)



        def _check(self):
            if self.key_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"key_length", 5, self.key_length.max_len)
            _ = self.key_length
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.key_length, None, u"/types/header/seq/0")
            if len((self.key).encode(u"UTF-8")) != self.key_length.value:
                raise kaitaistruct.ConsistencyError(u"key", self.key_length.value, len((self.key).encode(u"UTF-8")))
            if self.value_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"value_length", 5, self.value_length.max_len)
            if self.value_length.value >= 0:
                pass
                if len(self.value) != self.value_length.value:
                    raise kaitaistruct.ConsistencyError(u"value", self.value_length.value, len(self.value))

            self._dirty = False


    class Record(ReadWriteKaitaiStruct):
        """A key, a value and headers, as an application or a broker wrote them. Offset and timestamp are deltas to those of the
        batch; these fields do not say whether a consumer sees the record (aborted transactions, control batches).
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(RecordBatch.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.length = varint.Varint(5, self._io)
            self.length._read()
            _ = self.length
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.length, self._io, u"/types/record/seq/0")
            self._raw_body = self._io.read_bytes(self.length.value)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = RecordBatch.RecordBody(_io__raw_body, self, self._root)
            self.body._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.length._fetch_instances()
            self.body._fetch_instances()


        def _write__seq(self, io=None):
            super(RecordBatch.Record, self)._write__seq(io)
            self.length._write__seq(self._io)
            _io__raw_body = KaitaiStream(BytesIO(bytearray(self.length.value)))
            self._io.add_child_stream(_io__raw_body)
            _pos2 = self._io.pos()
            self._io.seek(self._io.pos() + (self.length.value))
            def handler(parent, _io__raw_body=_io__raw_body):
                self._raw_body = _io__raw_body.to_byte_array()
                if len(self._raw_body) != self.length.value:
                    raise kaitaistruct.ConsistencyError(u"raw(body)", self.length.value, len(self._raw_body))
                parent.write_bytes(self._raw_body)
            _io__raw_body.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
            self.body._write__seq(_io__raw_body)


        def _check(self):
            if self.length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"length", 5, self.length.max_len)
            _ = self.length
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.length, None, u"/types/record/seq/0")
            if self.body._root != self._root:
                raise kaitaistruct.ConsistencyError(u"body", self._root, self.body._root)
            if self.body._parent != self:
                raise kaitaistruct.ConsistencyError(u"body", self, self.body._parent)
            self._dirty = False


    class RecordBody(ReadWriteKaitaiStruct):
        """What a record's length counts."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(RecordBatch.RecordBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.attributes = self._io.read_s1()
            self.timestamp_delta = varint.Varint(10, self._io)
            self.timestamp_delta._read()
            self.offset_delta = varint.Varint(5, self._io)
            self.offset_delta._read()
            self.key_length = varint.Varint(5, self._io)
            self.key_length._read()
            if self.key_length.value >= 0:
                pass
                self.key = self._io.read_bytes(self.key_length.value)

            self.value_length = varint.Varint(5, self._io)
            self.value_length._read()
            if self.value_length.value >= 0:
                pass
                self.value = self._io.read_bytes(self.value_length.value)

            self.headers_count = varint.Varint(5, self._io)
            self.headers_count._read()
            _ = self.headers_count
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.headers_count, self._io, u"/types/record_body/seq/7")
            self.headers = []
            for i in range(self.headers_count.value):
                _t_headers = RecordBatch.Header(self._io, self, self._root)
                try:
                    _t_headers._read()
                finally:
                    self.headers.append(_t_headers)

            self.end_of_record = self._io.read_bytes(0)
            _ = self.end_of_record
            if not self._io.is_eof():
                raise kaitaistruct.ValidationExprError(self.end_of_record, self._io, u"/types/record_body/seq/9")
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.timestamp_delta._fetch_instances()
            self.offset_delta._fetch_instances()
            self.key_length._fetch_instances()
            if self.key_length.value >= 0:
                pass

            self.value_length._fetch_instances()
            if self.value_length.value >= 0:
                pass

            self.headers_count._fetch_instances()
            for i in range(len(self.headers)):
                pass
                self.headers[i]._fetch_instances()



        def _write__seq(self, io=None):
            super(RecordBatch.RecordBody, self)._write__seq(io)
            self._io.write_s1(self.attributes)
            self.timestamp_delta._write__seq(self._io)
            self.offset_delta._write__seq(self._io)
            self.key_length._write__seq(self._io)
            if self.key_length.value >= 0:
                pass
                self._io.write_bytes(self.key)

            self.value_length._write__seq(self._io)
            if self.value_length.value >= 0:
                pass
                self._io.write_bytes(self.value)

            self.headers_count._write__seq(self._io)
            for i in range(len(self.headers)):
                pass
                self.headers[i]._write__seq(self._io)

            self._io.write_bytes(self.end_of_record)


        def _check(self):
            if self.timestamp_delta.max_len != 10:
                raise kaitaistruct.ConsistencyError(u"timestamp_delta", 10, self.timestamp_delta.max_len)
            if self.offset_delta.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"offset_delta", 5, self.offset_delta.max_len)
            if self.key_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"key_length", 5, self.key_length.max_len)
            if self.key_length.value >= 0:
                pass
                if len(self.key) != self.key_length.value:
                    raise kaitaistruct.ConsistencyError(u"key", self.key_length.value, len(self.key))

            if self.value_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"value_length", 5, self.value_length.max_len)
            if self.value_length.value >= 0:
                pass
                if len(self.value) != self.value_length.value:
                    raise kaitaistruct.ConsistencyError(u"value", self.value_length.value, len(self.value))

            if self.headers_count.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"headers_count", 5, self.headers_count.max_len)
            _ = self.headers_count
            if not _.value >= 0:
                raise kaitaistruct.ValidationExprError(self.headers_count, None, u"/types/record_body/seq/7")
            if len(self.headers) != self.headers_count.value:
                raise kaitaistruct.ConsistencyError(u"headers", self.headers_count.value, len(self.headers))
            for i in range(len(self.headers)):
                pass
                if self.headers[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"headers", self._root, self.headers[i]._root)
                if self.headers[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"headers", self, self.headers[i]._parent)

            if len(self.end_of_record) != 0:
                raise kaitaistruct.ConsistencyError(u"end_of_record", 0, len(self.end_of_record))
            self._dirty = False


    class Records(ReadWriteKaitaiStruct):
        """The contents of a payload after decompression."""
        def __init__(self, count, _io=None, _parent=None, _root=None):
            super(RecordBatch.Records, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.count = count

        def _read(self):
            self.records = []
            for i in range(self.count):
                _t_records = RecordBatch.Record(self._io, self, self._root)
                try:
                    _t_records._read()
                finally:
                    self.records.append(_t_records)

            self.end_of_records = self._io.read_bytes(0)
            _ = self.end_of_records
            if not self._io.is_eof():
                raise kaitaistruct.ValidationExprError(self.end_of_records, self._io, u"/types/records/seq/1")
            self._dirty = False


        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



        def _write__seq(self, io=None):
            super(RecordBatch.Records, self)._write__seq(io)
            for i in range(len(self.records)):
                pass
                self.records[i]._write__seq(self._io)

            self._io.write_bytes(self.end_of_records)


        def _check(self):
            if len(self.records) != self.count:
                raise kaitaistruct.ConsistencyError(u"records", self.count, len(self.records))
            for i in range(len(self.records)):
                pass
                if self.records[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"records", self._root, self.records[i]._root)
                if self.records[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"records", self, self.records[i]._parent)

            if len(self.end_of_records) != 0:
                raise kaitaistruct.ConsistencyError(u"end_of_records", 0, len(self.end_of_records))
            self._dirty = False



