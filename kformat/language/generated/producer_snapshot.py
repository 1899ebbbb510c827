"""The program of formats/producer_snapshot.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, CheckEnd, Checksum, Field, Program, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Structure

MADE_FROM = {'producer_snapshot': 2703319875}
TYPE_producer_snapshot__entry = TypeProgram(
    name='producer_snapshot::entry',
    digest='11d5e68b5ee830fbdce2751d41e390c94a4f4372d1ca8572986638a6cad5e7c8',
    doc="One producer's state; of its last batches, up to five of which a broker remembers, only the newest is kept.",
    original_id='ProducerEntry',
    fields=(
        Field('producer_id', 'integer', False, "As in the producer's batches.", 'ProducerId', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 50, '/types/entry/seq/0'), value_type=Integer(64, True)),
        Field('producer_epoch', 'integer', False, "The producer's current epoch; may be above that of its last batch.", 'Epoch', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 54, '/types/entry/seq/1'), value_type=Integer(16, True)),
        Field('last_sequence', 'integer', False, 'Sequence number of the last record; -1 where there is no batch to remember.', 'LastSequence', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 58, '/types/entry/seq/2'), value_type=Integer(32, True)),
        Field('last_offset', 'integer', False, 'Offset of the last record; -1 where there is no batch to remember, which makes its three fields void.', 'LastOffset', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 62, '/types/entry/seq/3'), value_type=Integer(64, True)),
        Field('offset_delta', 'integer', False, 'Last less first sequence number of the last batch.', 'OffsetDelta', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 66, '/types/entry/seq/4'), value_type=Integer(32, True)),
        Field('timestamp', 'integer', False, 'Largest timestamp of the last batch, or that of the last marker, in milliseconds since 1970; -1 for none.', 'Timestamp', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 70, '/types/entry/seq/5'), value_type=Integer(64, True)),
        Field('coordinator_epoch', 'integer', False, 'Epoch of the transaction coordinator that wrote the last marker; -1 for none.', 'CoordinatorEpoch', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 74, '/types/entry/seq/6'), value_type=Integer(32, True)),
        Field('current_txn_first_offset', 'integer', False, 'First offset of the open transaction in this partition; -1 for none.', 'CurrentTxnFirstOffset', None, None, None, None, False, Mark('formats/producer_snapshot.ksy', 78, '/types/entry/seq/7'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='producer_epoch', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='last_sequence', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='last_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='offset_delta', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='coordinator_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='current_txn_first_offset', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=True,
    row_checks=(),
    bits=(),
    minimum_size=46,
    steps_count=8,
)
TYPE_producer_snapshot = TypeProgram(
    name='producer_snapshot',
    digest='11d5e68b5ee830fbdce2751d41e390c94a4f4372d1ca8572986638a6cad5e7c8',
    doc='`<offset>.snapshot`, since 0.11: what a partition knew of each idempotent or transactional producer when everything\nbelow the offset in the name was written. Taken when a segment begins and on a clean stop, so that a broker need not\nread the whole log to detect duplicates.',
    original_id='',
    fields=(
        Field('version', 'integer', False, '1 so far.', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/producer_snapshot.ksy', 19, '/seq/0'), value_type=Integer(16, True)),
        Field('crc', 'integer', False, 'CRC-32C of everything after it. Kafka computes it to the end of the file, whatever the count is.', 'Crc', None, None, None, None, True, Mark('formats/producer_snapshot.ksy', 24, '/seq/1'), value_type=Integer(32, False)),
        Field('entries_count', 'integer', False, 'Number of producers.', '', None, None, None, None, True, Mark('formats/producer_snapshot.ksy', 28, '/seq/2'), value_type=Integer(32, True)),
        Field('entries', 'list', False, 'In no meaningful order (that of a Java hash table).', 'ProducerEntries', None, TYPE_producer_snapshot__entry, None, None, False, Mark('formats/producer_snapshot.ksy', 33, '/seq/3'), value_type=ListOf(Structure('producer_snapshot::entry'))),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('==', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadInteger(name='crc', kind=Integer(32, False), little_endian=False),
        Checksum(name='crc', algorithm='crc32c', length=None, to_limit=True),
        ReadInteger(name='entries_count', kind=Integer(32, True), little_endian=False),
        Check(name='entries_count', rule=Expression('>=', (Expression('name', (), ('entries_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='entries', element=ReadType(name='entries', type=TYPE_producer_snapshot__entry), count=Expression('name', (), ('entries_count',), Integer(32, True), 0, 2147483647)),
        CheckEnd(name='end_of_entries'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=10,
    steps_count=17,
    is_root=True,
)
PROGRAM = Program('producer_snapshot', TYPE_producer_snapshot, {'producer_snapshot::entry': TYPE_producer_snapshot__entry, 'producer_snapshot': TYPE_producer_snapshot}, {})
