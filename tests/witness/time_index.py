# Made from formats/time_index.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TimeIndex(ReadWriteKaitaiStruct):
    """`<base offset>.timeindex`, since 0.10.1: a sparse, sorted map from timestamps to offsets. An entry (T, O) says that
    every record of the segment with a timestamp above T has an offset above O. No header, no checksum; preallocated,
    zero-filled and trimmed like the offset index.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/TimeIndex.java
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(TimeIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.entries = []
        i = 0
        while not self._io.is_eof():
            _t_entries = TimeIndex.Entry(self._io, self, self._root)
            try:
                _t_entries._read()
            finally:
                self.entries.append(_t_entries)
            i += 1

        self._dirty = False


    def _fetch_instances(self):
        pass
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()



    def _write__seq(self, io=None):
        super(TimeIndex, self)._write__seq(io)
        for i in range(len(self.entries)):
            pass
            if self._io.is_eof():
                raise kaitaistruct.ConsistencyError(u"entries", 0, self._io.size() - self._io.pos())
            self.entries[i]._write__seq(self._io)

        if not self._io.is_eof():
            raise kaitaistruct.ConsistencyError(u"entries", 0, self._io.size() - self._io.pos())


    def _check(self):
        for i in range(len(self.entries)):
            pass
            if self.entries[i]._root != self._root:
                raise kaitaistruct.ConsistencyError(u"entries", self._root, self.entries[i]._root)
            if self.entries[i]._parent != self:
                raise kaitaistruct.ConsistencyError(u"entries", self, self.entries[i]._parent)

        self._dirty = False

    class Entry(ReadWriteKaitaiStruct):
        """A largest timestamp so far and an offset that belongs to it; which one depends on the writer."""
        def __init__(self, _io=None, _parent=None, _root=None):
            super(TimeIndex.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            self.timestamp = self._io.read_s8be()
            self.relative_offset = self._io.read_s4be()
            if not self.relative_offset >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.relative_offset, self._io, u"/types/entry/seq/1")
            self._dirty = False


        def _fetch_instances(self):
            pass


        def _write__seq(self, io=None):
            super(TimeIndex.Entry, self)._write__seq(io)
            self._io.write_s8be(self.timestamp)
            self._io.write_s4be(self.relative_offset)


        def _check(self):
            if not self.relative_offset >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.relative_offset, None, u"/types/entry/seq/1")
            self._dirty = False



