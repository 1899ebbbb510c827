# Made from formats/producer_snapshot.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ProducerSnapshot(ReadWriteKaitaiStruct):
    """`<offset>.snapshot`, since 0.11: what a partition knew of each idempotent or transactional producer when everything
    below the offset in the name was written. Taken when a segment begins and on a clean stop, so that a broker need not
    read the whole log to detect duplicates.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.3.1/storage/src/main/resources/message/ProducerSnapshot.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(ProducerSnapshot, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/0")
        self.crc = self._io.read_u4be()
        self.entries_count = self._io.read_s4be()
        if not self.entries_count >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.entries_count, self._io, u"/seq/2")
        self.entries = []
        for i in range(self.entries_count):
            _t_entries = ProducerSnapshot.Entry(self._io, self, self._root)
            try:
                _t_entries._read()
            finally:
                self.entries.append(_t_entries)

        self.end_of_entries = self._io.read_bytes(0)
        _ = self.end_of_entries
        if not self._io.is_eof():
            raise kaitaistruct.ValidationExprError(self.end_of_entries, self._io, u"/seq/4")
        self._dirty = False


    def _fetch_instances(self):
        pass
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()



    def _write__seq(self, io=None):
        super(ProducerSnapshot, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_u4be(self.crc)
        self._io.write_s4be(self.entries_count)
        for i in range(len(self.entries)):
            pass
            self.entries[i]._write__seq(self._io)

        self._io.write_bytes(self.end_of_entries)


    def _check(self):
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, None, u"/seq/0")
        if not self.entries_count >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.entries_count, None, u"/seq/2")
        if len(self.entries) != self.entries_count:
            raise kaitaistruct.ConsistencyError(u"entries", self.entries_count, len(self.entries))
        for i in range(len(self.entries)):
            pass
            if self.entries[i]._root != self._root:
                raise kaitaistruct.ConsistencyError(u"entries", self._root, self.entries[i]._root)
            if self.entries[i]._parent != self:
                raise kaitaistruct.ConsistencyError(u"entries", self, self.entries[i]._parent)

        if len(self.end_of_entries) != 0:
            raise kaitaistruct.ConsistencyError(u"end_of_entries", 0, len(self.end_of_entries))
        self._dirty = False

    class Entry(ReadWriteKaitaiStruct):
        """One producer's state; of its last batches, up to five of which a broker remembers, only the newest is kept."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(ProducerSnapshot.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self.producer_epoch = self._io.read_s2be()
            self.last_sequence = self._io.read_s4be()
            self.last_offset = self._io.read_s8be()
            self.offset_delta = self._io.read_s4be()
            self.timestamp = self._io.read_s8be()
            self.coordinator_epoch = self._io.read_s4be()
            self.current_txn_first_offset = self._io.read_s8be()
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(ProducerSnapshot.Entry, self)._write__seq(io)
            self._io.write_s8be(self.producer_id)
            self._io.write_s2be(self.producer_epoch)
            self._io.write_s4be(self.last_sequence)
            self._io.write_s8be(self.last_offset)
            self._io.write_s4be(self.offset_delta)
            self._io.write_s8be(self.timestamp)
            self._io.write_s4be(self.coordinator_epoch)
            self._io.write_s8be(self.current_txn_first_offset)


        def _check(self):
            self._dirty = False



