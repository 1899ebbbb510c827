# Made from formats/messages/voters_record.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import kafka_types
from tests.witness import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class VotersRecord(ReadWriteKaitaiStruct):
    """Value of the control record `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/VotersRecord.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(VotersRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        self.voters_count = varint.Varint.Unsigned(5, self._io)
        self.voters_count._read()
        _ = self.voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.voters_count, self._io, u"/seq/1")
        self.voters = []
        for i in range(self.voters_count.value - 1):
            _t_voters = VotersRecord.Voter(self._io, self, self._root)
            try:
                _t_voters._read()
            finally:
                self.voters.append(_t_voters)

        self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
        self.tagged_fields._read()
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.voters_count._fetch_instances()
        for i in range(len(self.voters)):
            pass
            self.voters[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


    def _write__seq(self, io=None):
        super(VotersRecord, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self.voters_count._write__seq(self._io)
        for i in range(len(self.voters)):
            pass
            self.voters[i]._write__seq(self._io)

        self.tagged_fields._write__seq(self._io)


    def _check(self):
        if self.voters_count.max_len != 5:
            raise kaitaistruct.ConsistencyError(u"voters_count", 5, self.voters_count.max_len)
        _ = self.voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.voters_count, None, u"/seq/1")
        if len(self.voters) != self.voters_count.value - 1:
            raise kaitaistruct.ConsistencyError(u"voters", self.voters_count.value - 1, len(self.voters))
        for i in range(len(self.voters)):
            pass
            if self.voters[i]._root != self._root:
                raise kaitaistruct.ConsistencyError(u"voters", self._root, self.voters[i]._root)
            if self.voters[i]._parent != self:
                raise kaitaistruct.ConsistencyError(u"voters", self, self.voters[i]._parent)

        self._dirty = False

    class Endpoint(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(VotersRecord.Endpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.name_length = varint.Varint.Unsigned(5, self._io)
            self.name_length._read()
            _ = self.name_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.name_length, self._io, u"/types/endpoint/seq/0")
            self.name = (self._io.read_bytes(self.name_length.value - 1)).decode(u"UTF-8")
            self.host_length = varint.Varint.Unsigned(5, self._io)
            self.host_length._read()
            _ = self.host_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.host_length, self._io, u"/types/endpoint/seq/2")
            self.host = (self._io.read_bytes(self.host_length.value - 1)).decode(u"UTF-8")
            self.port = self._io.read_u2be()
            self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
            self.tagged_fields._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.name_length._fetch_instances()
            self.host_length._fetch_instances()
            self.tagged_fields._fetch_instances()


        def _write__seq(self, io=None):
            super(VotersRecord.Endpoint, self)._write__seq(io)
            self.name_length._write__seq(self._io)
            self._io.write_bytes((self.name).encode(u"UTF-8"))
            self.host_length._write__seq(self._io)
            self._io.write_bytes((self.host).encode(u"UTF-8"))
            self._io.write_u2be(self.port)
            self.tagged_fields._write__seq(self._io)


        def _check(self):
            if self.name_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"name_length", 5, self.name_length.max_len)
            _ = self.name_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.name_length, None, u"/types/endpoint/seq/0")
            if len((self.name).encode(u"UTF-8")) != self.name_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"name", self.name_length.value - 1, len((self.name).encode(u"UTF-8")))
            if self.host_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"host_length", 5, self.host_length.max_len)
            _ = self.host_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.host_length, None, u"/types/endpoint/seq/2")
            if len((self.host).encode(u"UTF-8")) != self.host_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"host", self.host_length.value - 1, len((self.host).encode(u"UTF-8")))
            self._dirty = False


    class KraftVersionFeature(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(VotersRecord.KraftVersionFeature, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.min_supported_version = self._io.read_s2be()
            self.max_supported_version = self._io.read_s2be()
            self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
            self.tagged_fields._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


        def _write__seq(self, io=None):
            super(VotersRecord.KraftVersionFeature, self)._write__seq(io)
            self._io.write_s2be(self.min_supported_version)
            self._io.write_s2be(self.max_supported_version)
            self.tagged_fields._write__seq(self._io)


        def _check(self):
            self._dirty = False


    class Voter(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super(VotersRecord.Voter, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.voter_id = self._io.read_s4be()
            self.voter_directory_id = self._io.read_bytes(16)
            self.endpoints_count = varint.Varint.Unsigned(5, self._io)
            self.endpoints_count._read()
            _ = self.endpoints_count
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.endpoints_count, self._io, u"/types/voter/seq/2")
            self.endpoints = []
            for i in range(self.endpoints_count.value - 1):
                _t_endpoints = VotersRecord.Endpoint(self._io, self, self._root)
                try:
                    _t_endpoints._read()
                finally:
                    self.endpoints.append(_t_endpoints)

            self.kraft_version_feature = VotersRecord.KraftVersionFeature(self._io, self, self._root)
            self.kraft_version_feature._read()
            self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
            self.tagged_fields._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.endpoints_count._fetch_instances()
            for i in range(len(self.endpoints)):
                pass
                self.endpoints[i]._fetch_instances()

            self.kraft_version_feature._fetch_instances()
            self.tagged_fields._fetch_instances()


        def _write__seq(self, io=None):
            super(VotersRecord.Voter, self)._write__seq(io)
            self._io.write_s4be(self.voter_id)
            self._io.write_bytes(self.voter_directory_id)
            self.endpoints_count._write__seq(self._io)
            for i in range(len(self.endpoints)):
                pass
                self.endpoints[i]._write__seq(self._io)

            self.kraft_version_feature._write__seq(self._io)
            self.tagged_fields._write__seq(self._io)


        def _check(self):
            if len(self.voter_directory_id) != 16:
                raise kaitaistruct.ConsistencyError(u"voter_directory_id", 16, len(self.voter_directory_id))
            if self.endpoints_count.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"endpoints_count", 5, self.endpoints_count.max_len)
            _ = self.endpoints_count
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.endpoints_count, None, u"/types/voter/seq/2")
            if len(self.endpoints) != self.endpoints_count.value - 1:
                raise kaitaistruct.ConsistencyError(u"endpoints", self.endpoints_count.value - 1, len(self.endpoints))
            for i in range(len(self.endpoints)):
                pass
                if self.endpoints[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"endpoints", self._root, self.endpoints[i]._root)
                if self.endpoints[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"endpoints", self, self.endpoints[i]._parent)

            if self.kraft_version_feature._root != self._root:
                raise kaitaistruct.ConsistencyError(u"kraft_version_feature", self._root, self.kraft_version_feature._root)
            if self.kraft_version_feature._parent != self:
                raise kaitaistruct.ConsistencyError(u"kraft_version_feature", self, self.kraft_version_feature._parent)
            self._dirty = False



