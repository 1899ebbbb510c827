# Made from formats/messages/kafka_types.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTypes(ReadWriteKaitaiStruct):
    """What the declarations of Kafka's messages have in common: texts and bytes as the elements of arrays, and the tail of
    every structure in a flexible version (KIP-482).
    
    .. seealso::
       Source - https://kafka.apache.org/42/protocol.html#protocol_types
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(KafkaTypes, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        pass
        self._dirty = False


    def _fetch_instances(self):
        pass


    def _write__seq(self, io=None):
        super(KafkaTypes, self)._write__seq(io)


    def _check(self):
        self._dirty = False

    class Bytes(ReadWriteKaitaiStruct):
        """Bytes in front of which their number stands."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.Bytes, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.value_length = self._io.read_s4be()
            if not self.value_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.value_length, self._io, u"/types/bytes/seq/0")
            self.value = self._io.read_bytes(self.value_length)
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(KafkaTypes.Bytes, self)._write__seq(io)
            self._io.write_s4be(self.value_length)
            self._io.write_bytes(self.value)


        def _check(self):
            if not self.value_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.value_length, None, u"/types/bytes/seq/0")
            if len(self.value) != self.value_length:
                raise kaitaistruct.ConsistencyError(u"value", self.value_length, len(self.value))
            self._dirty = False


    class CompactBytes(ReadWriteKaitaiStruct):
        """Bytes in front of which their number plus one stands."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.CompactBytes, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.value_length = varint.Varint.Unsigned(5, self._io)
            self.value_length._read()
            _ = self.value_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.value_length, self._io, u"/types/compact_bytes/seq/0")
            self.value = self._io.read_bytes(self.value_length.value - 1)
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.value_length._fetch_instances()


        def _write__seq(self, io=None):
            super(KafkaTypes.CompactBytes, self)._write__seq(io)
            self.value_length._write__seq(self._io)
            self._io.write_bytes(self.value)


        def _check(self):
            if self.value_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"value_length", 5, self.value_length.max_len)
            _ = self.value_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.value_length, None, u"/types/compact_bytes/seq/0")
            if len(self.value) != self.value_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"value", self.value_length.value - 1, len(self.value))
            self._dirty = False


    class CompactString(ReadWriteKaitaiStruct):
        """Text in front of which its length plus one stands."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.CompactString, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.value_length = varint.Varint.Unsigned(5, self._io)
            self.value_length._read()
            _ = self.value_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.value_length, self._io, u"/types/compact_string/seq/0")
            self.value = (self._io.read_bytes(self.value_length.value - 1)).decode(u"UTF-8")
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.value_length._fetch_instances()


        def _write__seq(self, io=None):
            super(KafkaTypes.CompactString, self)._write__seq(io)
            self.value_length._write__seq(self._io)
            self._io.write_bytes((self.value).encode(u"UTF-8"))


        def _check(self):
            if self.value_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"value_length", 5, self.value_length.max_len)
            _ = self.value_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.value_length, None, u"/types/compact_string/seq/0")
            if len((self.value).encode(u"UTF-8")) != self.value_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"value", self.value_length.value - 1, len((self.value).encode(u"UTF-8")))
            self._dirty = False


    class RecordFrame(ReadWriteKaitaiStruct):
        """What a record of the metadata log, and of remote log metadata, begins with."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.RecordFrame, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.frame_version = varint.Varint.Unsigned(5, self._io)
            self.frame_version._read()
            self.type = varint.Varint.Unsigned(5, self._io)
            self.type._read()
            self.version = varint.Varint.Unsigned(5, self._io)
            self.version._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.frame_version._fetch_instances()
            self.type._fetch_instances()
            self.version._fetch_instances()


        def _write__seq(self, io=None):
            super(KafkaTypes.RecordFrame, self)._write__seq(io)
            self.frame_version._write__seq(self._io)
            self.type._write__seq(self._io)
            self.version._write__seq(self._io)


        def _check(self):
            if self.frame_version.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"frame_version", 5, self.frame_version.max_len)
            if self.type.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"type", 5, self.type.max_len)
            if self.version.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"version", 5, self.version.max_len)
            self._dirty = False


    class RecordType(ReadWriteKaitaiStruct):
        """What the key of a coordinator's record begins with, and its value with the version in its place."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.RecordType, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.number = self._io.read_s2be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(KafkaTypes.RecordType, self)._write__seq(io)
            self._io.write_s2be(self.number)


        def _check(self):
            self._dirty = False


    class String(ReadWriteKaitaiStruct):
        """Text in front of which its length stands."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.String, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.value_length = self._io.read_s2be()
            if not self.value_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.value_length, self._io, u"/types/string/seq/0")
            self.value = (self._io.read_bytes(self.value_length)).decode(u"UTF-8")
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(KafkaTypes.String, self)._write__seq(io)
            self._io.write_s2be(self.value_length)
            self._io.write_bytes((self.value).encode(u"UTF-8"))


        def _check(self):
            if not self.value_length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.value_length, None, u"/types/string/seq/0")
            if len((self.value).encode(u"UTF-8")) != self.value_length:
                raise kaitaistruct.ConsistencyError(u"value", self.value_length, len((self.value).encode(u"UTF-8")))
            self._dirty = False


    class TaggedField(ReadWriteKaitaiStruct):
        """A field that a later version of Kafka added."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.tag = varint.Varint.Unsigned(5, self._io)
            self.tag._read()
            self.data_length = varint.Varint.Unsigned(5, self._io)
            self.data_length._read()
            self.data = self._io.read_bytes(self.data_length.value)
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.data_length._fetch_instances()


        def _write__seq(self, io=None):
            super(KafkaTypes.TaggedField, self)._write__seq(io)
            self.tag._write__seq(self._io)
            self.data_length._write__seq(self._io)
            self._io.write_bytes(self.data)


        def _check(self):
            if self.tag.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"tag", 5, self.tag.max_len)
            if self.data_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"data_length", 5, self.data_length.max_len)
            if len(self.data) != self.data_length.value:
                raise kaitaistruct.ConsistencyError(u"data", self.data_length.value, len(self.data))
            self._dirty = False


    class TaggedFields(ReadWriteKaitaiStruct):
        """Tagged fields of a structure that has none which are known."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(KafkaTypes.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.fields_count = varint.Varint.Unsigned(5, self._io)
            self.fields_count._read()
            self.fields = []
            for i in range(self.fields_count.value):
                _t_fields = KafkaTypes.TaggedField(self._io, self, self._root)
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
            super(KafkaTypes.TaggedFields, self)._write__seq(io)
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


    class VersionedString(ReadWriteKaitaiStruct):
        """Text of a message that became flexible in some version."""
        def __init__(self, is_compact, _io=None, _parent=None, _root=None):
            super(KafkaTypes.VersionedString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.is_compact = is_compact

        def _read(self):
            if self.is_compact != 1:
                pass
                self.value_length = self._io.read_s2be()
                if not self.value_length >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.value_length, self._io, u"/types/versioned_string/seq/0")

            if self.is_compact == 1:
                pass
                self.compact_value_length = varint.Varint.Unsigned(5, self._io)
                self.compact_value_length._read()
                _ = self.compact_value_length
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_value_length, self._io, u"/types/versioned_string/seq/1")

            self.value = (self._io.read_bytes((self.compact_value_length.value - 1 if self.is_compact == 1 else self.value_length))).decode(u"UTF-8")
            self._dirty = False


        def _fetch_instances(self):
            pass
            if self.is_compact != 1:
                pass

            if self.is_compact == 1:
                pass
                self.compact_value_length._fetch_instances()



        def _write__seq(self, io=None):
            super(KafkaTypes.VersionedString, self)._write__seq(io)
            if self.is_compact != 1:
                pass
                self._io.write_s2be(self.value_length)

            if self.is_compact == 1:
                pass
                self.compact_value_length._write__seq(self._io)

            self._io.write_bytes((self.value).encode(u"UTF-8"))


        def _check(self):
            if self.is_compact != 1:
                pass
                if not self.value_length >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.value_length, None, u"/types/versioned_string/seq/0")

            if self.is_compact == 1:
                pass
                if self.compact_value_length.max_len != 5:
                    raise kaitaistruct.ConsistencyError(u"compact_value_length", 5, self.compact_value_length.max_len)
                _ = self.compact_value_length
                if not _.value >= 1:
                    raise kaitaistruct.ValidationExprError(self.compact_value_length, None, u"/types/versioned_string/seq/1")

            if len((self.value).encode(u"UTF-8")) != (self.compact_value_length.value - 1 if self.is_compact == 1 else self.value_length):
                raise kaitaistruct.ConsistencyError(u"value", (self.compact_value_length.value - 1 if self.is_compact == 1 else self.value_length), len((self.value).encode(u"UTF-8")))
            self._dirty = False



