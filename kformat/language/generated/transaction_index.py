"""The program of formats/transaction_index.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Structure

MADE_FROM = {'transaction_index': 1569992387}
TYPE_transaction_index__entry = TypeProgram(
    name='transaction_index::entry',
    digest='79924ebbb8686a709f92f3ac0dd3f3c76fe48a576da37a9fbc528730b0455fac',
    doc='One aborted transaction; a transaction that wrote nothing to this partition has no entry.',
    original_id='',
    fields=(
        Field('version', 'integer', False, '0 so far. Kafka checks only the first of its two bytes.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/transaction_index.ksy', 25, '/types/entry/seq/0'), value_type=Integer(16, True)),
        Field('producer_id', 'integer', False, 'Producer of the transaction.', 'producerId', None, None, None, None, False, Mark('formats/transaction_index.ksy', 30, '/types/entry/seq/1'), value_type=Integer(64, True)),
        Field('first_offset', 'integer', False, "Offset of the transaction's first record in this partition.", 'firstOffset', None, None, None, None, False, Mark('formats/transaction_index.ksy', 34, '/types/entry/seq/2'), value_type=Integer(64, True)),
        Field('last_offset', 'integer', False, 'Offset of the abort marker.', 'lastOffset', None, None, None, None, False, Mark('formats/transaction_index.ksy', 38, '/types/entry/seq/3'), value_type=Integer(64, True)),
        Field('last_stable_offset', 'integer', False, 'First offset of the oldest transaction that was still open then; without one, the offset after the marker.', 'lastStableOffset', None, None, None, None, False, Mark('formats/transaction_index.ksy', 42, '/types/entry/seq/4'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('==', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='first_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='last_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='last_stable_offset', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=True,
    row_checks=(
        ('increasing', 'last_offset'),
    ),
    bits=(),
    minimum_size=34,
    steps_count=6,
)
TYPE_transaction_index = TypeProgram(
    name='transaction_index',
    digest='79924ebbb8686a709f92f3ac0dd3f3c76fe48a576da37a9fbc528730b0455fac',
    doc='`<base offset>.txnindex`, since 0.11: the aborted transactions whose abort markers are in the segment, in the order of\ntheir markers. Consumers that read committed data use it to skip their records. No header, no checksum, never\npreallocated; the file is created with its first entry.',
    original_id='',
    fields=(
        Field('entries', 'list', False, 'Written by the broker as the markers are appended.', '', None, TYPE_transaction_index__entry, None, None, False, Mark('formats/transaction_index.ksy', 15, '/seq/0'), value_type=ListOf(Structure('transaction_index::entry'))),
    ),
    steps=(
        ReadList(name='entries', element=ReadType(name='entries', type=TYPE_transaction_index__entry), count=None),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('transaction_index', TYPE_transaction_index, {'transaction_index::entry': TYPE_transaction_index__entry, 'transaction_index': TYPE_transaction_index}, {})
