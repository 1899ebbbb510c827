# Made from formats/varint.ksy by Kaitai Struct's compiler 0.11, under the declaration's licence, Apache-2.0.
# Do not edit: change the declaration and run `make generate`.
# type: ignore

import kaitaistruct
from kaitaistruct import ReadWriteKaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Varint(ReadWriteKaitaiStruct):
    """A signed integer in base-128 groups, least significant group first; the highest bit of a byte says that another one
    follows. The unsigned number so made is zigzag-coded: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    
    `max_len` is 5 for Kafka's `varint` (32 bits) and 10 for its `varlong` (64 bits). Excess high bits of the last
    possible byte are dropped, as Kafka's reader drops them; a last possible byte that announces another one is an error.
    Writers emit the shortest form, readers accept longer ones within the limit.
    
    Where a back end has a native implementation it uses that (`-intrinsic`); the body below is for everybody else. It
    multiplies where others shift, so that JavaScript stays exact up to 2^53.
    
    .. seealso::
       readVarint, readVarlong - https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/utils/ByteUtils.java
    """
    def __init__(self, max_len, _io=None, _parent=None, _root=None):
        super(Varint, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.max_len = max_len

    def _read(self):
        self.raw = Varint.Unsigned(self.max_len, self._io, self, self._root)
        self.raw._read()
        self._dirty = False


    def _fetch_instances(self):
        pass
        self.raw._fetch_instances()


    def _write__seq(self, io=None):
        super(Varint, self)._write__seq(io)
        self.raw._write__seq(self._io)


    def _check(self):
        if self.raw._root != self._root:
            raise kaitaistruct.ConsistencyError(u"raw", self._root, self.raw._root)
        if self.raw._parent != self:
            raise kaitaistruct.ConsistencyError(u"raw", self, self.raw._parent)
        if self.raw.max_len != self.max_len:
            raise kaitaistruct.ConsistencyError(u"raw", self.max_len, self.raw.max_len)
        self._dirty = False

    class Unsigned(ReadWriteKaitaiStruct):
        """The same groups without the zigzag: Kafka's `unsigned varint`, which counts the elements and bytes of compact
        arrays and strings in its flexible message versions (KIP-482).
        """
        def __init__(self, max_len, _io=None, _parent=None, _root=None):
            super(Varint.Unsigned, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.max_len = max_len

        def _read(self):
            self.groups = []
            i = 0
            while True:
                _ = self._io.read_u1()
                self.groups.append(_)
                if  ((_ < 128) or (i == self.max_len - 1)) :
                    break
                i += 1
            self.terminated = self._io.read_bytes(0)
            _ = self.terminated
            if not self.groups[-1] < 128:
                raise kaitaistruct.ValidationExprError(self.terminated, self._io, u"/types/unsigned/seq/1")
            self._dirty = False


        def _fetch_instances(self):
            pass
            for i in range(len(self.groups)):
                pass



        def _write__seq(self, io=None):
            super(Varint.Unsigned, self)._write__seq(io)
            for i in range(len(self.groups)):
                pass
                self._io.write_u1(self.groups[i])

            self._io.write_bytes(self.terminated)


        def _check(self):
            if len(self.groups) == 0:
                raise kaitaistruct.ConsistencyError(u"groups", 0, len(self.groups))
            for i in range(len(self.groups)):
                pass
                _ = self.groups[i]
                if  ((_ < 128) or (i == self.max_len - 1))  != (i == len(self.groups) - 1):
                    raise kaitaistruct.ConsistencyError(u"groups", i == len(self.groups) - 1,  ((_ < 128) or (i == self.max_len - 1)) )

            if len(self.terminated) != 0:
                raise kaitaistruct.ConsistencyError(u"terminated", 0, len(self.terminated))
            _ = self.terminated
            if not self.groups[-1] < 128:
                raise kaitaistruct.ValidationExprError(self.terminated, None, u"/types/unsigned/seq/1")
            self._dirty = False

        @property
        def value(self):
            """The unsigned number."""
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = ((((((((self.groups[0] % 128 + ((self.groups[1] % 128) * 128 if len(self.groups) > 1 else 0)) + ((self.groups[2] % 128) * 16384 if len(self.groups) > 2 else 0)) + ((self.groups[3] % 128) * 2097152 if len(self.groups) > 3 else 0)) + ((self.groups[4] % (16 if self.max_len == 5 else 128)) * 268435456 if len(self.groups) > 4 else 0)) + ((self.groups[5] % 128) * 34359738368 if len(self.groups) > 5 else 0)) + ((self.groups[6] % 128) * 4398046511104 if len(self.groups) > 6 else 0)) + ((self.groups[7] % 128) * 562949953421312 if len(self.groups) > 7 else 0)) + ((self.groups[8] % 128) * 72057594037927936 if len(self.groups) > 8 else 0)) + ((self.groups[9] % 2) * 9223372036854775808 if len(self.groups) > 9 else 0)
            return getattr(self, '_m_value', None)

        def _invalidate_value(self):
            del self._m_value

    @property
    def value(self):
        """The signed number."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = (self.raw.value // 2 if self.raw.value % 2 == 0 else -(self.raw.value // 2) - 1)
        return getattr(self, '_m_value', None)

    def _invalidate_value(self):
        del self._m_value

