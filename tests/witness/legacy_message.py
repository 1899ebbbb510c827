# Made from formats/legacy_message.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class LegacyMessage(ReadWriteKaitaiStruct):
    """What a segment file consisted of before Kafka 0.11 (magic 1 since 0.10, magic 0 before), and for topics whose
    `message.format.version` said so until 3.x: a sequence of entries, each an offset, a size and a message. Files of later
    brokers may begin with such entries and continue with record batches.
    
    Compressed messages are stored together in the value of one message, the wrapper. Its offset is the offset of the last
    message in it. In a wrapper of magic 0 the messages have their own offsets; in one of magic 1 they are numbered from 0,
    and a reader adds the wrapper's offset less the number of the last one.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/3.9.1/clients/src/main/java/org/apache/kafka/common/record/LegacyRecord.java
    """

    class CompressionType(IntEnum):
        none = 0
        gzip = 1
        snappy = 2
        lz4 = 3

    class TimestampType(IntEnum):
        create_time = 0
        log_append_time = 1
    def __init__(self, _io=None, _parent=None, _root=None):
        super(LegacyMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.offset = self._io.read_s8be()
        self.message_size = self._io.read_s4be()
        if not self.message_size >= 14:
            raise kaitaistruct.ValidationLessThanError(14, self.message_size, self._io, u"/seq/1")
        self._raw_message = self._io.read_bytes(self.message_size)
        _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
        self.message = LegacyMessage.Message(_io__raw_message, self, self._root)
        self.message._read()
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.message._fetch_instances()


    def _write__seq(self, io=None):
        super(LegacyMessage, self)._write__seq(io)
        self._io.write_s8be(self.offset)
        self._io.write_s4be(self.message_size)
        _io__raw_message = KaitaiStream(BytesIO(bytearray(self.message_size)))
        self._io.add_child_stream(_io__raw_message)
        _pos2 = self._io.pos()
        self._io.seek(self._io.pos() + (self.message_size))
        def handler(parent, _io__raw_message=_io__raw_message):
            self._raw_message = _io__raw_message.to_byte_array()
            if len(self._raw_message) != self.message_size:
                raise kaitaistruct.ConsistencyError(u"raw(message)", self.message_size, len(self._raw_message))
            parent.write_bytes(self._raw_message)
        _io__raw_message.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
        self.message._write__seq(_io__raw_message)


    def _check(self):
        if not self.message_size >= 14:
            raise kaitaistruct.ValidationLessThanError(14, self.message_size, None, u"/seq/1")
        if self.message._root != self._root:
            raise kaitaistruct.ConsistencyError(u"message", self._root, self.message._root)
        if self.message._parent != self:
            raise kaitaistruct.ConsistencyError(u"message", self, self.message._parent)
        self._dirty = False

    class Attributes(ReadWriteKaitaiStruct):
        """One byte of flags; from the producer, `timestamp_type` from the broker."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.reserved = self._io.read_bits_int_be(4)
            self.timestamp_type = KaitaiStream.resolve_enum(LegacyMessage.TimestampType, self._io.read_bits_int_be(1))
            self.compression = KaitaiStream.resolve_enum(LegacyMessage.CompressionType, self._io.read_bits_int_be(3))
            if not isinstance(self.compression, LegacyMessage.CompressionType):
                raise kaitaistruct.ValidationNotInEnumError(self.compression, self._io, u"/types/attributes/seq/2")
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(LegacyMessage.Attributes, self)._write__seq(io)
            self._io.write_bits_int_be(4, self.reserved)
            self._io.write_bits_int_be(1, int(self.timestamp_type))
            self._io.write_bits_int_be(3, int(self.compression))


        def _check(self):
            if not isinstance(self.compression, LegacyMessage.CompressionType):
                raise kaitaistruct.ValidationNotInEnumError(self.compression, None, u"/types/attributes/seq/2")
            self._dirty = False


    class Head(ReadWriteKaitaiStruct):
        """The fields before the value."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.Head, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.crc = self._io.read_u4be()
            self.magic = self._io.read_s1()
            if not  ((self.magic == 0) or (self.magic == 1)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.magic, self._io, u"/types/head/seq/1")
            self.attributes = LegacyMessage.Attributes(self._io, self, self._root)
            self.attributes._read()
            if self.magic >= 1:
                pass
                self.timestamp = self._io.read_s8be()

            self.key_length = self._io.read_s4be()
            if self.key_length >= 0:
                pass
                self.key = self._io.read_bytes(self.key_length)

            self.value_length = self._io.read_s4be()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.attributes._fetch_instances()
            if self.magic >= 1:
                pass

            if self.key_length >= 0:
                pass



        def _write__seq(self, io=None):
            super(LegacyMessage.Head, self)._write__seq(io)
            self._io.write_u4be(self.crc)
            self._io.write_s1(self.magic)
            self.attributes._write__seq(self._io)
            if self.magic >= 1:
                pass
                self._io.write_s8be(self.timestamp)

            self._io.write_s4be(self.key_length)
            if self.key_length >= 0:
                pass
                self._io.write_bytes(self.key)

            self._io.write_s4be(self.value_length)


        def _check(self):
            if not  ((self.magic == 0) or (self.magic == 1)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.magic, None, u"/types/head/seq/1")
            if self.attributes._root != self._root:
                raise kaitaistruct.ConsistencyError(u"attributes", self._root, self.attributes._root)
            if self.attributes._parent != self:
                raise kaitaistruct.ConsistencyError(u"attributes", self, self.attributes._parent)
            if self.magic >= 1:
                pass

            if self.key_length >= 0:
                pass
                if len(self.key) != self.key_length:
                    raise kaitaistruct.ConsistencyError(u"key", self.key_length, len(self.key))

            self._dirty = False


    class Message(ReadWriteKaitaiStruct):
        """A message, or a wrapper where `attributes.compression` names a codec."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.Message, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.head = LegacyMessage.Head(self._io, self, self._root)
            self.head._read()
            if  ((self.head.value_length >= 0) and (self.head.attributes.compression == LegacyMessage.CompressionType.none)) :
                pass
                self.value = self._io.read_bytes(self.head.value_length)

            if  ((self.head.value_length >= 0) and (self.head.attributes.compression != LegacyMessage.CompressionType.none)) :
                pass
                self.message_set = self._io.read_bytes(self.head.value_length)

            self.end_of_message = self._io.read_bytes(0)
            _ = self.end_of_message
            if not self._io.is_eof():
                raise kaitaistruct.ValidationExprError(self.end_of_message, self._io, u"/types/message/seq/3")
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.head._fetch_instances()
            if  ((self.head.value_length >= 0) and (self.head.attributes.compression == LegacyMessage.CompressionType.none)) :
                pass

            if  ((self.head.value_length >= 0) and (self.head.attributes.compression != LegacyMessage.CompressionType.none)) :
                pass



        def _write__seq(self, io=None):
            super(LegacyMessage.Message, self)._write__seq(io)
            self.head._write__seq(self._io)
            if  ((self.head.value_length >= 0) and (self.head.attributes.compression == LegacyMessage.CompressionType.none)) :
                pass
                self._io.write_bytes(self.value)

            if  ((self.head.value_length >= 0) and (self.head.attributes.compression != LegacyMessage.CompressionType.none)) :
                pass
                self._io.write_bytes(self.message_set)

            self._io.write_bytes(self.end_of_message)


        def _check(self):
            if self.head._root != self._root:
                raise kaitaistruct.ConsistencyError(u"head", self._root, self.head._root)
            if self.head._parent != self:
                raise kaitaistruct.ConsistencyError(u"head", self, self.head._parent)
            if  ((self.head.value_length >= 0) and (self.head.attributes.compression == LegacyMessage.CompressionType.none)) :
                pass
                if len(self.value) != self.head.value_length:
                    raise kaitaistruct.ConsistencyError(u"value", self.head.value_length, len(self.value))

            if  ((self.head.value_length >= 0) and (self.head.attributes.compression != LegacyMessage.CompressionType.none)) :
                pass
                if len(self.message_set) != self.head.value_length:
                    raise kaitaistruct.ConsistencyError(u"message_set", self.head.value_length, len(self.message_set))

            if len(self.end_of_message) != 0:
                raise kaitaistruct.ConsistencyError(u"end_of_message", 0, len(self.end_of_message))
            self._dirty = False


    class MessageSet(ReadWriteKaitaiStruct):
        """A wrapper's value after decompression."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.MessageSet, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.messages = []
            i = 0
            while not self._io.is_eof():
                _t_messages = LegacyMessage.WrappedMessage(self._io, self, self._root)
                try:
                    _t_messages._read()
                finally:
                    self.messages.append(_t_messages)
                i += 1

            self._dirty = False


        def _fetch_instances(self):
            pass
            for i in range(len(self.messages)):
                pass
                self.messages[i]._fetch_instances()



        def _write__seq(self, io=None):
            super(LegacyMessage.MessageSet, self)._write__seq(io)
            for i in range(len(self.messages)):
                pass
                if self._io.is_eof():
                    raise kaitaistruct.ConsistencyError(u"messages", 0, self._io.size() - self._io.pos())
                self.messages[i]._write__seq(self._io)

            if not self._io.is_eof():
                raise kaitaistruct.ConsistencyError(u"messages", 0, self._io.size() - self._io.pos())


        def _check(self):
            for i in range(len(self.messages)):
                pass
                if self.messages[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"messages", self._root, self.messages[i]._root)
                if self.messages[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"messages", self, self.messages[i]._parent)

            self._dirty = False


    class PlainMessage(ReadWriteKaitaiStruct):
        """A message in a wrapper; it cannot be a wrapper itself."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.PlainMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.head = LegacyMessage.Head(self._io, self, self._root)
            self.head._read()
            if self.head.value_length >= 0:
                pass
                self.value = self._io.read_bytes(self.head.value_length)

            self.end_of_message = self._io.read_bytes(0)
            _ = self.end_of_message
            if not self._io.is_eof():
                raise kaitaistruct.ValidationExprError(self.end_of_message, self._io, u"/types/plain_message/seq/2")
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.head._fetch_instances()
            if self.head.value_length >= 0:
                pass



        def _write__seq(self, io=None):
            super(LegacyMessage.PlainMessage, self)._write__seq(io)
            self.head._write__seq(self._io)
            if self.head.value_length >= 0:
                pass
                self._io.write_bytes(self.value)

            self._io.write_bytes(self.end_of_message)


        def _check(self):
            if self.head._root != self._root:
                raise kaitaistruct.ConsistencyError(u"head", self._root, self.head._root)
            if self.head._parent != self:
                raise kaitaistruct.ConsistencyError(u"head", self, self.head._parent)
            if self.head.value_length >= 0:
                pass
                if len(self.value) != self.head.value_length:
                    raise kaitaistruct.ConsistencyError(u"value", self.head.value_length, len(self.value))

            if len(self.end_of_message) != 0:
                raise kaitaistruct.ConsistencyError(u"end_of_message", 0, len(self.end_of_message))
            self._dirty = False


    class WrappedMessage(ReadWriteKaitaiStruct):
        """An entry of a wrapper, like those of a log."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(LegacyMessage.WrappedMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.offset = self._io.read_s8be()
            self.message_size = self._io.read_s4be()
            if not self.message_size >= 14:
                raise kaitaistruct.ValidationLessThanError(14, self.message_size, self._io, u"/types/wrapped_message/seq/1")
            self._raw_message = self._io.read_bytes(self.message_size)
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = LegacyMessage.PlainMessage(_io__raw_message, self, self._root)
            self.message._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.message._fetch_instances()


        def _write__seq(self, io=None):
            super(LegacyMessage.WrappedMessage, self)._write__seq(io)
            self._io.write_s8be(self.offset)
            self._io.write_s4be(self.message_size)
            _io__raw_message = KaitaiStream(BytesIO(bytearray(self.message_size)))
            self._io.add_child_stream(_io__raw_message)
            _pos2 = self._io.pos()
            self._io.seek(self._io.pos() + (self.message_size))
            def handler(parent, _io__raw_message=_io__raw_message):
                self._raw_message = _io__raw_message.to_byte_array()
                if len(self._raw_message) != self.message_size:
                    raise kaitaistruct.ConsistencyError(u"raw(message)", self.message_size, len(self._raw_message))
                parent.write_bytes(self._raw_message)
            _io__raw_message.write_back_handler = KaitaiStream.WriteBackHandler(_pos2, handler)
            self.message._write__seq(_io__raw_message)


        def _check(self):
            if not self.message_size >= 14:
                raise kaitaistruct.ValidationLessThanError(14, self.message_size, None, u"/types/wrapped_message/seq/1")
            if self.message._root != self._root:
                raise kaitaistruct.ConsistencyError(u"message", self._root, self.message._root)
            if self.message._parent != self:
                raise kaitaistruct.ConsistencyError(u"message", self, self.message._parent)
            self._dirty = False



