# Made from formats/transaction_log_key.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TransactionLogKey(ReadWriteKaitaiStruct):
    """The key of every record of the topic `__transaction_state`, since 0.11. The record's value is declared in
    `transaction_log_value`; one without a value says that the coordinator has forgotten the id. Coordinators pass over
    keys of a version that they do not know.
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.3.1/transaction-coordinator/src/main/resources/common/message/TransactionLogKey.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(TransactionLogKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version == 0:
            raise kaitaistruct.ValidationNotEqualError(0, self.version, self._io, u"/seq/0")
        self.transactional_id_length = self._io.read_s2be()
        if not self.transactional_id_length >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.transactional_id_length, self._io, u"/seq/1")
        self.transactional_id = (self._io.read_bytes(self.transactional_id_length)).decode(u"UTF-8")
        self._dirty = False


    def _fetch_instances(self):
        pass


    def _write__seq(self, io=None):
        super(TransactionLogKey, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self._io.write_s2be(self.transactional_id_length)
        self._io.write_bytes((self.transactional_id).encode(u"UTF-8"))


    def _check(self):
        if not self.version == 0:
            raise kaitaistruct.ValidationNotEqualError(0, self.version, None, u"/seq/0")
        if not self.transactional_id_length >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.transactional_id_length, None, u"/seq/1")
        if len((self.transactional_id).encode(u"UTF-8")) != self.transactional_id_length:
            raise kaitaistruct.ConsistencyError(u"transactional_id", self.transactional_id_length, len((self.transactional_id).encode(u"UTF-8")))
        self._dirty = False


