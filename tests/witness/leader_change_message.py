# Made from formats/messages/leader_change_message.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import kafka_types
from tests.witness import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class LeaderChangeMessage(ReadWriteKaitaiStruct):
    """Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since
    2.7). Brokers up to 4.4.0 write version 0.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaderChangeMessage.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(LeaderChangeMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        self.leader_id = self._io.read_s4be()
        self.voters_count = varint.Varint.Unsigned(5, self._io)
        self.voters_count._read()
        _ = self.voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.voters_count, self._io, u"/seq/2")
        self.voters = []
        for i in range(self.voters_count.value - 1):
            _t_voters = LeaderChangeMessage.Voter(self.version, self._io, self, self._root)
            try:
                _t_voters._read()
            finally:
                self.voters.append(_t_voters)

        self.granting_voters_count = varint.Varint.Unsigned(5, self._io)
        self.granting_voters_count._read()
        _ = self.granting_voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.granting_voters_count, self._io, u"/seq/4")
        self.granting_voters = []
        for i in range(self.granting_voters_count.value - 1):
            _t_granting_voters = LeaderChangeMessage.Voter(self.version, self._io, self, self._root)
            try:
                _t_granting_voters._read()
            finally:
                self.granting_voters.append(_t_granting_voters)

        self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
        self.tagged_fields._read()
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.voters_count._fetch_instances()
        for i in range(len(self.voters)):
            pass
            self.voters[i]._fetch_instances()

        self.granting_voters_count._fetch_instances()
        for i in range(len(self.granting_voters)):
            pass
            self.granting_voters[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


    def _write__seq(self, io=None):
        super(LeaderChangeMessage, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s4be(self.leader_id)
        self.voters_count._write__seq(self._io)
        for i in range(len(self.voters)):
            pass
            self.voters[i]._write__seq(self._io)

        self.granting_voters_count._write__seq(self._io)
        for i in range(len(self.granting_voters)):
            pass
            self.granting_voters[i]._write__seq(self._io)

        self.tagged_fields._write__seq(self._io)


    def _check(self):
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/seq/0")
        if self.voters_count.max_len != 5:
            raise kaitaistruct.ConsistencyError(u"voters_count", 5, self.voters_count.max_len)
        _ = self.voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.voters_count, None, u"/seq/2")
        if len(self.voters) != self.voters_count.value - 1:
            raise kaitaistruct.ConsistencyError(u"voters", self.voters_count.value - 1, len(self.voters))
        for i in range(len(self.voters)):
            pass
            if self.voters[i]._root != self._root:
                raise kaitaistruct.ConsistencyError(u"voters", self._root, self.voters[i]._root)
            if self.voters[i]._parent != self:
                raise kaitaistruct.ConsistencyError(u"voters", self, self.voters[i]._parent)
            if self.voters[i].version != self.version:
                raise kaitaistruct.ConsistencyError(u"voters", self.version, self.voters[i].version)

        if self.granting_voters_count.max_len != 5:
            raise kaitaistruct.ConsistencyError(u"granting_voters_count", 5, self.granting_voters_count.max_len)
        _ = self.granting_voters_count
        if not _.value >= 1:
            raise kaitaistruct.ValidationExprError(self.granting_voters_count, None, u"/seq/4")
        if len(self.granting_voters) != self.granting_voters_count.value - 1:
            raise kaitaistruct.ConsistencyError(u"granting_voters", self.granting_voters_count.value - 1, len(self.granting_voters))
        for i in range(len(self.granting_voters)):
            pass
            if self.granting_voters[i]._root != self._root:
                raise kaitaistruct.ConsistencyError(u"granting_voters", self._root, self.granting_voters[i]._root)
            if self.granting_voters[i]._parent != self:
                raise kaitaistruct.ConsistencyError(u"granting_voters", self, self.granting_voters[i]._parent)
            if self.granting_voters[i].version != self.version:
                raise kaitaistruct.ConsistencyError(u"granting_voters", self.version, self.granting_voters[i].version)

        self._dirty = False

    class Voter(ReadWriteKaitaiStruct):
        def __init__(self, version, _io=None, _parent=None, _root=None):
            super(LeaderChangeMessage.Voter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version

        def _read(self):
            self.voter_id = self._io.read_s4be()
            if self.version >= 1:
                pass
                self.voter_directory_id = self._io.read_bytes(16)

            self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
            self.tagged_fields._read()
            self._dirty = False


        def _fetch_instances(self):
            pass
            if self.version >= 1:
                pass

            self.tagged_fields._fetch_instances()


        def _write__seq(self, io=None):
            super(LeaderChangeMessage.Voter, self)._write__seq(io)
            self._io.write_s4be(self.voter_id)
            if self.version >= 1:
                pass
                self._io.write_bytes(self.voter_directory_id)

            self.tagged_fields._write__seq(self._io)


        def _check(self):
            if self.version >= 1:
                pass
                if len(self.voter_directory_id) != 16:
                    raise kaitaistruct.ConsistencyError(u"voter_directory_id", 16, len(self.voter_directory_id))

            self._dirty = False



