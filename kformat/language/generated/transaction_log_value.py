"""The program of formats/transaction_log_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'transaction_log_value': 2818001306, 'varint': 752136197, 'control_record': 137534406}
ENUM_transaction_log_value__transaction_state = Enum(
    name='transaction_log_value::transaction_state',
    members={0: 'empty', 1: 'ongoing', 2: 'prepare_commit', 3: 'prepare_abort', 4: 'complete_commit', 5: 'complete_abort', 6: 'dead', 7: 'prepare_epoch_fence'},
    original_ids={},
    docs={0: 'There is no transaction.', 1: 'Partitions were added, and the transaction is open.', 2: 'It is committed; markers are being written.', 3: 'It is aborted; markers are being written.', 4: 'It is committed, and all markers are written.', 5: 'It is aborted, and all markers are written.', 6: 'The id is about to be forgotten; not written.', 7: 'The producer is being fenced off; not written.'},
)
TYPE_transaction_log_value__topic_partitions = TypeProgram(
    name='transaction_log_value::topic_partitions',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc='Partitions of one topic, in version 0.',
    original_id='PartitionsSchema',
    fields=(
        Field('topic_length', 'integer', False, 'Bytes of `topic`.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 95, '/types/topic_partitions/seq/0'), value_type=Integer(16, True)),
        Field('topic', 'text', False, "The topic's name.", 'Topic', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 100, '/types/topic_partitions/seq/1'), value_type=Text()),
        Field('partition_ids_count', 'integer', False, 'Number of partitions.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 106, '/types/topic_partitions/seq/2'), value_type=Integer(32, True)),
        Field('partition_ids', 'list', False, 'Their numbers.', 'PartitionIds', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 111, '/types/topic_partitions/seq/3'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadInteger(name='topic_length', kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='topic', size=Expression('name', (), ('topic_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='partition_ids_count', kind=Integer(32, True), little_endian=False),
        Check(name='partition_ids_count', rule=Expression('>=', (Expression('name', (), ('partition_ids_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='partition_ids', element=ReadInteger(name='partition_ids', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('partition_ids_count',), Integer(32, True), 0, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=7,
)
TYPE_transaction_log_value__partitions = TypeProgram(
    name='transaction_log_value::partitions',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc='Topics with their partitions, in version 0.',
    original_id='',
    fields=(
        Field('topics_count', 'integer', False, 'Number of topics; -1 in state `empty`.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 70, '/types/partitions/seq/0'), value_type=Integer(32, True)),
        Field('topics', 'list', True, 'Each topic once.', '', None, TYPE_transaction_log_value__topic_partitions, None, None, False, Mark('formats/transaction_log_value.ksy', 73, '/types/partitions/seq/1'), value_type=ListOf(Structure('transaction_log_value::topic_partitions'))),
    ),
    steps=(
        ReadInteger(name='topics_count', kind=Integer(32, True), little_endian=False),
        ReadList(name='topics', condition=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_transaction_log_value__topic_partitions), count=Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=10,
)
TYPE_control_record__tagged_field = TypeProgram(
    name='control_record::tagged_field',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='A field that a later version added.',
    original_id='',
    fields=(
        Field('tag', 'integer', False, 'Which field it is.', '', None, None, None, None, False, Mark('formats/control_record.ksy', 260, '/types/tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, 'Bytes of `data`.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 263, '/types/tagged_field/seq/1'), value_type=Integer(32, False)),
        Field('data', 'bytes', False, 'Kept as it is.', '', None, None, None, None, False, Mark('formats/control_record.ksy', 266, '/types/tagged_field/seq/2'), value_type=Bytes()),
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
TYPE_control_record__tagged_fields = TypeProgram(
    name='control_record::tagged_fields',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='The tail of every structure in a flexible message version (KIP-482).',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, 'Number of tagged fields; 0 as a rule.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 250, '/types/tagged_fields/seq/0'), value_type=Integer(32, False)),
        Field('fields', 'list', False, '', '', None, TYPE_control_record__tagged_field, None, None, False, Mark('formats/control_record.ksy', 253, '/types/tagged_fields/seq/1'), value_type=ListOf(Structure('control_record::tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_control_record__tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=6,
)
TYPE_transaction_log_value__compact_topic_partitions = TypeProgram(
    name='transaction_log_value::compact_topic_partitions',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc='Partitions of one topic, in version 1.',
    original_id='PartitionsSchema',
    fields=(
        Field('topic_length', 'integer', False, 'Bytes of `topic` plus one.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 121, '/types/compact_topic_partitions/seq/0'), value_type=Integer(32, False)),
        Field('topic', 'text', False, "The topic's name.", 'Topic', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 126, '/types/compact_topic_partitions/seq/1'), value_type=Text()),
        Field('partition_ids_length', 'integer', False, 'Number of partitions plus one.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 132, '/types/compact_topic_partitions/seq/2'), value_type=Integer(32, False)),
        Field('partition_ids', 'list', False, 'Their numbers.', 'PartitionIds', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 137, '/types/compact_topic_partitions/seq/3'), value_type=ListOf(Integer(32, True))),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/transaction_log_value.ksy', 143, '/types/compact_topic_partitions/seq/4'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadVarint(name='topic_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topic_length', rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic', size=Expression('-', (Expression('name', (), ('topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='partition_ids_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partition_ids_length', rule=Expression('>=', (Expression('name', (), ('partition_ids_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partition_ids', element=ReadInteger(name='partition_ids', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partition_ids_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=14,
)
TYPE_transaction_log_value__compact_partitions = TypeProgram(
    name='transaction_log_value::compact_partitions',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc='Topics with their partitions, in version 1.',
    original_id='',
    fields=(
        Field('topics_length', 'integer', False, 'Number of topics plus one; 0 in state `empty`.', '', None, None, None, None, True, Mark('formats/transaction_log_value.ksy', 82, '/types/compact_partitions/seq/0'), value_type=Integer(32, False)),
        Field('topics', 'list', True, 'Each topic once.', '', None, TYPE_transaction_log_value__compact_topic_partitions, None, None, False, Mark('formats/transaction_log_value.ksy', 85, '/types/compact_partitions/seq/1'), value_type=ListOf(Structure('transaction_log_value::compact_topic_partitions'))),
    ),
    steps=(
        ReadVarint(name='topics_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='topics', condition=Expression('>=', (Expression('name', (), ('topics_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_transaction_log_value__compact_topic_partitions), count=Expression('-', (Expression('name', (), ('topics_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=17,
)
TYPE_transaction_log_value = TypeProgram(
    name='transaction_log_value',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc="What the transaction coordinator knows of a transactional id; the latest record of the id's key in\n`__transaction_state` counts. Version 0 is written since 0.11, and version 1, which has tagged fields, where the\ncluster's feature `transaction.version` is 1 or 2 (since 3.8).",
    original_id='',
    fields=(
        Field('version', 'integer', False, '0 or 1; from 1 on lengths are variable-length integers, and tagged fields may follow.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/transaction_log_value.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('producer_id', 'integer', False, 'Producer id of the transactional id.', 'ProducerId', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 24, '/seq/1'), value_type=Integer(64, True)),
        Field('producer_epoch', 'integer', False, 'The latest epoch of the producer id.', 'ProducerEpoch', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 28, '/seq/2'), value_type=Integer(16, True)),
        Field('transaction_timeout_ms', 'integer', False, 'How long a transaction may stay open, in milliseconds, set by the client (`transaction.timeout.ms`).', 'TransactionTimeoutMs', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 32, '/seq/3'), value_type=Integer(32, True)),
        Field('transaction_status', 'integer', False, "State of the id's latest transaction.", 'TransactionStatus', ENUM_transaction_log_value__transaction_state, None, None, None, False, Mark('formats/transaction_log_value.ksy', 36, '/seq/4'), value_type=EnumType('transaction_log_value::transaction_state')),
        Field('partitions', 'structure', True, 'Partitions that the transaction wrote to and that may still miss its end marker.', 'TransactionPartitions', None, TYPE_transaction_log_value__partitions, None, None, False, Mark('formats/transaction_log_value.ksy', 41, '/seq/5'), value_type=Structure('transaction_log_value::partitions')),
        Field('compact_partitions', 'structure', True, 'The same in version 1.', 'TransactionPartitions', None, TYPE_transaction_log_value__compact_partitions, None, None, False, Mark('formats/transaction_log_value.ksy', 46, '/seq/6'), value_type=Structure('transaction_log_value::compact_partitions')),
        Field('transaction_last_update_timestamp_ms', 'integer', False, 'When the record was written, in milliseconds since 1970.', 'TransactionLastUpdateTimestampMs', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 51, '/seq/7'), value_type=Integer(64, True)),
        Field('transaction_start_timestamp_ms', 'integer', False, 'When the first partition was added to the transaction, in milliseconds since 1970; -1 in state `empty`.', 'TransactionStartTimestampMs', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 55, '/seq/8'), value_type=Integer(64, True)),
        Field('tags', 'structure', True, 'Tag 0, 8 bytes: the producer id before this one. Tag 1, 8 bytes: the producer id of the next transaction, where\nthe epochs of this one are used up. Tag 2, 2 bytes: the transaction version that the client used. A tag that is\nnot there stands for -1, -1 and 0.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/transaction_log_value.ksy', 59, '/seq/9'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='<= 1'),
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='producer_epoch', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='transaction_timeout_ms', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='transaction_status', kind=Integer(8, True), little_endian=False, enum=ENUM_transaction_log_value__transaction_state),
        ReadType(name='partitions', condition=Expression('==', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), type=TYPE_transaction_log_value__partitions),
        ReadType(name='compact_partitions', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), type=TYPE_transaction_log_value__compact_partitions),
        ReadInteger(name='transaction_last_update_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='transaction_start_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadType(name='tags', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), type=TYPE_control_record__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=33,
    steps_count=45,
    is_root=True,
)
TYPE_transaction_log_value__next_producer_id = TypeProgram(
    name='transaction_log_value::next_producer_id',
    digest='6e6f7bf533bd88b40e353710021fcb4861c4a9fd2699dc9010c88876064ca4d5',
    doc='Data of tag 1.',
    original_id='NextProducerId',
    fields=(
        Field('producer_id', 'integer', False, "Producer id of the id's next transaction.", '', None, None, None, None, False, Mark('formats/transaction_log_value.ksy', 150, '/types/next_producer_id/seq/0'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
PROGRAM = Program('transaction_log_value', TYPE_transaction_log_value, {'transaction_log_value::topic_partitions': TYPE_transaction_log_value__topic_partitions, 'transaction_log_value::partitions': TYPE_transaction_log_value__partitions, 'control_record::tagged_field': TYPE_control_record__tagged_field, 'control_record::tagged_fields': TYPE_control_record__tagged_fields, 'transaction_log_value::compact_topic_partitions': TYPE_transaction_log_value__compact_topic_partitions, 'transaction_log_value::compact_partitions': TYPE_transaction_log_value__compact_partitions, 'transaction_log_value': TYPE_transaction_log_value, 'transaction_log_value::next_producer_id': TYPE_transaction_log_value__next_producer_id}, {'transaction_log_value::transaction_state': ENUM_transaction_log_value__transaction_state})
