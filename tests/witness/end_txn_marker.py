# Made from formats/messages/end_txn_marker.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class EndTxnMarker(ReadWriteKaitaiStruct):
    """Value of the control records `abort` and `commit`, the last record of a transaction in a partition. Written by the
    transaction coordinator, since 0.11. A newer version is read as this one, and bytes may follow.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndTxnMarker.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(EndTxnMarker, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        self.coordinator_epoch = self._io.read_s4be()
        self._dirty = False


    def _fetch_instances(self):
        pass


    def _write__seq(self, io=None):
        super(EndTxnMarker, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s4be(self.coordinator_epoch)


    def _check(self):
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, None, u"/seq/0")
        self._dirty = False


