"""The program of formats/end_transaction_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'end_transaction_record': 1546409926, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_kafka_types__tagged_field = TypeProgram(
    name='kafka_types::tagged_field',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='A field that a later version of Kafka added.',
    original_id='',
    fields=(
        Field('tag', 'integer', False, 'Which field it is.', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 115, '/types/tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 118, '/types/tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'bytes', False, 'Its value, as it stands there.', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 121, '/types/tagged_field/seq/2'), value_type=Bytes()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=3,
)
TYPE_kafka_types__tagged_fields = TypeProgram(
    name='kafka_types::tagged_fields',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Tagged fields of a structure that has none which are known.',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 105, '/types/tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_kafka_types__tagged_field, None, None, False, Mark('formats/messages/kafka_types.ksy', 108, '/types/tagged_fields/seq/1'), value_type=ListOf(Structure('kafka_types::tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_kafka_types__tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=6,
)
TYPE_end_transaction_record = TypeProgram(
    name='end_transaction_record',
    digest='8b3659cb77f081dafe29ec84024c0fcf67bb7199ccd772fdb14c1ea56bb455c6',
    doc='Metadata: the records since `begin_transaction_record` count from here on.',
    original_id='EndTransactionRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/end_transaction_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 24, Integer(64, True), 24, 24), None, False, Mark('formats/messages/end_transaction_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/end_transaction_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/end_transaction_record.ksy', 32, '/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 24, Integer(64, True), 24, 24)), None, Boolean(), 0, 1), expected='24'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=13,
    is_root=True,
)
PROGRAM = Program('end_transaction_record', TYPE_end_transaction_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'end_transaction_record': TYPE_end_transaction_record}, {})
