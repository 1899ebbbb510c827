# Made from formats/messages/transaction_log_key.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TransactionLogKey(ReadWriteKaitaiStruct):
    """Key of a record of `__transaction_state`: a transactional id, whose hash code in Java decides which partition has its
    records. Coordinators pass over keys of a version that they do not know.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogKey.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(TransactionLogKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.type = self._io.read_s2be()
        if not self.type == 0:
            raise kaitaistruct.ValidationNotEqualError(0, self.type, self._io, u"/seq/0")
        self.transactional_id_length = self._io.read_s2be()
        if not self.transactional_id_length >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.transactional_id_length, self._io, u"/seq/1")
        self.transactional_id = (self._io.read_bytes(self.transactional_id_length)).decode(u"UTF-8")
        self._dirty = False


    def _fetch_instances(self):
        pass


    def _write__seq(self, io=None):
        super(TransactionLogKey, self)._write__seq(io)
        self._io.write_s2be(self.type)
        self._io.write_s2be(self.transactional_id_length)
        self._io.write_bytes((self.transactional_id).encode(u"UTF-8"))


    def _check(self):
        if not self.type == 0:
            raise kaitaistruct.ValidationNotEqualError(0, self.type, None, u"/seq/0")
        if not self.transactional_id_length >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.transactional_id_length, None, u"/seq/1")
        if len((self.transactional_id).encode(u"UTF-8")) != self.transactional_id_length:
            raise kaitaistruct.ConsistencyError(u"transactional_id", self.transactional_id_length, len((self.transactional_id).encode(u"UTF-8")))
        self._dirty = False


