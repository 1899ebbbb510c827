# Made from formats/control_record.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ControlRecord(ReadWriteKaitaiStruct):
    """A control batch (`attributes.is_control`) holds records that the broker wrote for itself. The key of such a record is
    declared here; its `type` says which of the types below the record's value is. A newer version than the reader knows
    is read as the newest it knows, so that bytes may follow what is declared.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/ControlRecordType.java
    """

    class ControlType(IntEnum):
        abort = 0
        commit = 1
        leader_change = 2
        snapshot_header = 3
        snapshot_footer = 4
        kraft_version = 5
        kraft_voters = 6
    def __init__(self, _io=None, _parent=None, _root=None):
        super(ControlRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        self.type = KaitaiStream.resolve_enum(ControlRecord.ControlType, self._io.read_s2be())
        self._dirty = False


    def _fetch_instances(self):
        pass


    def _write__seq(self, io=None):
        super(ControlRecord, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s2be(int(self.type))


    def _check(self):
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/seq/0")
        self._dirty = False

    class EndTransactionMarker(ReadWriteKaitaiStruct):
        """Value of `abort` and `commit`, the last record of a transaction in a partition. Written by the transaction coordinator, since 0.11.
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/EndTransactionMarker.java
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.EndTransactionMarker, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            if not self.version >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/types/end_transaction_marker/seq/0")
            self.coordinator_epoch = self._io.read_s4be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(ControlRecord.EndTransactionMarker, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self._io.write_s4be(self.coordinator_epoch)


        def _check(self):
            if not self.version >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/types/end_transaction_marker/seq/0")
            self._dirty = False


    class Endpoint(ReadWriteKaitaiStruct):
        """A listener at which a voter is reached."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.Endpoint, self).__init__(_io)
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
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.name_length._fetch_instances()
            self.host_length._fetch_instances()
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.Endpoint, self)._write__seq(io)
            self.name_length._write__seq(self._io)
            self._io.write_bytes((self.name).encode(u"UTF-8"))
            self.host_length._write__seq(self._io)
            self._io.write_bytes((self.host).encode(u"UTF-8"))
            self._io.write_u2be(self.port)
            self.tags._write__seq(self._io)


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
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class KraftVersion(ReadWriteKaitaiStruct):
        """Value of `kraft_version`, in the metadata log and its snapshots (since 3.8, KIP-853).
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/KRaftVersionRecord.json
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.KraftVersion, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            self.kraft_version = self._io.read_s2be()
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.KraftVersion, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self._io.write_s2be(self.kraft_version)
            self.tags._write__seq(self._io)


        def _check(self):
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class KraftVersionFeature(ReadWriteKaitaiStruct):
        """Which versions of the quorum's protocol a voter supports."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.KraftVersionFeature, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.min_supported_version = self._io.read_s2be()
            self.max_supported_version = self._io.read_s2be()
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.KraftVersionFeature, self)._write__seq(io)
            self._io.write_s2be(self.min_supported_version)
            self._io.write_s2be(self.max_supported_version)
            self.tags._write__seq(self._io)


        def _check(self):
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class KraftVoter(ReadWriteKaitaiStruct):
        """A node of the quorum, with its addresses and what it can do."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.KraftVoter, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.voter_id = self._io.read_s4be()
            self.voter_directory_id = self._io.read_bytes(16)
            self.endpoints_length = varint.Varint.Unsigned(5, self._io)
            self.endpoints_length._read()
            _ = self.endpoints_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.endpoints_length, self._io, u"/types/kraft_voter/seq/2")
            self.endpoints = []
            for i in range(self.endpoints_length.value - 1):
                _t_endpoints = ControlRecord.Endpoint(self._io, self, self._root)
                try:
                    _t_endpoints._read()
                finally:
                    self.endpoints.append(_t_endpoints)

            self.kraft_version_feature = ControlRecord.KraftVersionFeature(self._io, self, self._root)
            self.kraft_version_feature._read()
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.endpoints_length._fetch_instances()
            for i in range(len(self.endpoints)):
                pass
                self.endpoints[i]._fetch_instances()

            self.kraft_version_feature._fetch_instances()
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.KraftVoter, self)._write__seq(io)
            self._io.write_s4be(self.voter_id)
            self._io.write_bytes(self.voter_directory_id)
            self.endpoints_length._write__seq(self._io)
            for i in range(len(self.endpoints)):
                pass
                self.endpoints[i]._write__seq(self._io)

            self.kraft_version_feature._write__seq(self._io)
            self.tags._write__seq(self._io)


        def _check(self):
            if len(self.voter_directory_id) != 16:
                raise kaitaistruct.ConsistencyError(u"voter_directory_id", 16, len(self.voter_directory_id))
            if self.endpoints_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"endpoints_length", 5, self.endpoints_length.max_len)
            _ = self.endpoints_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.endpoints_length, None, u"/types/kraft_voter/seq/2")
            if len(self.endpoints) != self.endpoints_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"endpoints", self.endpoints_length.value - 1, len(self.endpoints))
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
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class KraftVoters(ReadWriteKaitaiStruct):
        """Value of `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/VotersRecord.json
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.KraftVoters, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            self.voters_length = varint.Varint.Unsigned(5, self._io)
            self.voters_length._read()
            _ = self.voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.voters_length, self._io, u"/types/kraft_voters/seq/1")
            self.voters = []
            for i in range(self.voters_length.value - 1):
                _t_voters = ControlRecord.KraftVoter(self._io, self, self._root)
                try:
                    _t_voters._read()
                finally:
                    self.voters.append(_t_voters)

            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.voters_length._fetch_instances()
            for i in range(len(self.voters)):
                pass
                self.voters[i]._fetch_instances()

            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.KraftVoters, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self.voters_length._write__seq(self._io)
            for i in range(len(self.voters)):
                pass
                self.voters[i]._write__seq(self._io)

            self.tags._write__seq(self._io)


        def _check(self):
            if self.voters_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"voters_length", 5, self.voters_length.max_len)
            _ = self.voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.voters_length, None, u"/types/kraft_voters/seq/1")
            if len(self.voters) != self.voters_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"voters", self.voters_length.value - 1, len(self.voters))
            for i in range(len(self.voters)):
                pass
                if self.voters[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"voters", self._root, self.voters[i]._root)
                if self.voters[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"voters", self, self.voters[i]._parent)

            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class LeaderChange(ReadWriteKaitaiStruct):
        """Value of `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since 2.7). The schema has a version 1 since 4.0 (KIP-853); brokers up to 4.4.0 write 0.
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.0.0/clients/src/main/resources/common/message/LeaderChangeMessage.json
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.LeaderChange, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            if not self.version >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/types/leader_change/seq/0")
            self.leader_id = self._io.read_s4be()
            self.voters_length = varint.Varint.Unsigned(5, self._io)
            self.voters_length._read()
            _ = self.voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.voters_length, self._io, u"/types/leader_change/seq/2")
            self.voters = []
            for i in range(self.voters_length.value - 1):
                _t_voters = ControlRecord.Voter(self.version, self._io, self, self._root)
                try:
                    _t_voters._read()
                finally:
                    self.voters.append(_t_voters)

            self.granting_voters_length = varint.Varint.Unsigned(5, self._io)
            self.granting_voters_length._read()
            _ = self.granting_voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.granting_voters_length, self._io, u"/types/leader_change/seq/4")
            self.granting_voters = []
            for i in range(self.granting_voters_length.value - 1):
                _t_granting_voters = ControlRecord.Voter(self.version, self._io, self, self._root)
                try:
                    _t_granting_voters._read()
                finally:
                    self.granting_voters.append(_t_granting_voters)

            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.voters_length._fetch_instances()
            for i in range(len(self.voters)):
                pass
                self.voters[i]._fetch_instances()

            self.granting_voters_length._fetch_instances()
            for i in range(len(self.granting_voters)):
                pass
                self.granting_voters[i]._fetch_instances()

            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.LeaderChange, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self._io.write_s4be(self.leader_id)
            self.voters_length._write__seq(self._io)
            for i in range(len(self.voters)):
                pass
                self.voters[i]._write__seq(self._io)

            self.granting_voters_length._write__seq(self._io)
            for i in range(len(self.granting_voters)):
                pass
                self.granting_voters[i]._write__seq(self._io)

            self.tags._write__seq(self._io)


        def _check(self):
            if not self.version >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/types/leader_change/seq/0")
            if self.voters_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"voters_length", 5, self.voters_length.max_len)
            _ = self.voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.voters_length, None, u"/types/leader_change/seq/2")
            if len(self.voters) != self.voters_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"voters", self.voters_length.value - 1, len(self.voters))
            for i in range(len(self.voters)):
                pass
                if self.voters[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"voters", self._root, self.voters[i]._root)
                if self.voters[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"voters", self, self.voters[i]._parent)
                if self.voters[i].version != self.version:
                    raise kaitaistruct.ConsistencyError(u"voters", self.version, self.voters[i].version)

            if self.granting_voters_length.max_len != 5:
                raise kaitaistruct.ConsistencyError(u"granting_voters_length", 5, self.granting_voters_length.max_len)
            _ = self.granting_voters_length
            if not _.value >= 1:
                raise kaitaistruct.ValidationExprError(self.granting_voters_length, None, u"/types/leader_change/seq/4")
            if len(self.granting_voters) != self.granting_voters_length.value - 1:
                raise kaitaistruct.ConsistencyError(u"granting_voters", self.granting_voters_length.value - 1, len(self.granting_voters))
            for i in range(len(self.granting_voters)):
                pass
                if self.granting_voters[i]._root != self._root:
                    raise kaitaistruct.ConsistencyError(u"granting_voters", self._root, self.granting_voters[i]._root)
                if self.granting_voters[i]._parent != self:
                    raise kaitaistruct.ConsistencyError(u"granting_voters", self, self.granting_voters[i]._parent)
                if self.granting_voters[i].version != self.version:
                    raise kaitaistruct.ConsistencyError(u"granting_voters", self.version, self.granting_voters[i].version)

            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class SnapshotFooter(ReadWriteKaitaiStruct):
        """Value of `snapshot_footer`, the last record of a KRaft snapshot (since 3.0).
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/SnapshotFooterRecord.json
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.SnapshotFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.SnapshotFooter, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self.tags._write__seq(self._io)


        def _check(self):
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class SnapshotHeader(ReadWriteKaitaiStruct):
        """Value of `snapshot_header`, the first record of a KRaft snapshot (since 3.0).
        
        .. seealso::
           Source - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/SnapshotHeaderRecord.json
        """
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.SnapshotHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.version = self._io.read_s2be()
            self.last_contained_log_timestamp = self._io.read_s8be()
            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.SnapshotHeader, self)._write__seq(io)
            self._io.write_s2be(self.version)
            self._io.write_s8be(self.last_contained_log_timestamp)
            self.tags._write__seq(self._io)


        def _check(self):
            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False


    class TaggedField(ReadWriteKaitaiStruct):
        """A field that a later version added."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.TaggedField, self).__init__(_io)
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
            super(ControlRecord.TaggedField, self)._write__seq(io)
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
        """The tail of every structure in a flexible message version (KIP-482)."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ControlRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.fields_count = varint.Varint.Unsigned(5, self._io)
            self.fields_count._read()
            self.fields = []
            for i in range(self.fields_count.value):
                _t_fields = ControlRecord.TaggedField(self._io, self, self._root)
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
            super(ControlRecord.TaggedFields, self)._write__seq(io)
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


    class Voter(ReadWriteKaitaiStruct):
        """A node of the quorum, as a leader change names it."""
        def __init__(self, version, _io=None, _parent=None, _root=None):
            super(ControlRecord.Voter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version

        def _read(self):
            self.voter_id = self._io.read_s4be()
            if self.version >= 1:
                pass
                self.voter_directory_id = self._io.read_bytes(16)

            self.tags = ControlRecord.TaggedFields(self._io, self, self._root)
            self.tags._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            if self.version >= 1:
                pass

            self.tags._fetch_instances()


        def _write__seq(self, io=None):
            super(ControlRecord.Voter, self)._write__seq(io)
            self._io.write_s4be(self.voter_id)
            if self.version >= 1:
                pass
                self._io.write_bytes(self.voter_directory_id)

            self.tags._write__seq(self._io)


        def _check(self):
            if self.version >= 1:
                pass
                if len(self.voter_directory_id) != 16:
                    raise kaitaistruct.ConsistencyError(u"voter_directory_id", 16, len(self.voter_directory_id))

            if self.tags._root != self._root:
                raise kaitaistruct.ConsistencyError(u"tags", self._root, self.tags._root)
            if self.tags._parent != self:
                raise kaitaistruct.ConsistencyError(u"tags", self, self.tags._parent)
            self._dirty = False



