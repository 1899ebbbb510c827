# Made from formats/messages/snapshot_footer_record.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO
from tests.witness import kafka_types


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SnapshotFooterRecord(ReadWriteKaitaiStruct):
    """Value of the control record `snapshot_footer`, the last record of a KRaft snapshot (3.0).
    
    .. seealso::
       Source - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SnapshotFooterRecord.json
    """
    def __init__(self, _io=None, _parent=None, _root=None):
        super(SnapshotFooterRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self

    def _read(self):
        self.version = self._io.read_s2be()
        self.tagged_fields = kafka_types.KafkaTypes.TaggedFields(self._io)
        self.tagged_fields._read()
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()


    def _write__seq(self, io=None):
        super(SnapshotFooterRecord, self)._write__seq(io)
        self._io.write_s2be(self.version)
        self.tagged_fields._write__seq(self._io)


    def _check(self):
        self._dirty = False


