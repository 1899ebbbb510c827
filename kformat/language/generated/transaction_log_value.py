"""The program of formats/transaction_log_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'transaction_log_value': 3435269886, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_transaction_log_value__transaction_state = Enum(
    name='transaction_log_value::transaction_state',
    members={0: 'empty', 1: 'ongoing', 2: 'prepare_commit', 3: 'prepare_abort', 4: 'complete_commit', 5: 'complete_abort', 6: 'dead', 7: 'prepare_epoch_fence'},
    original_ids={},
    docs={},
)
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
TYPE_transaction_log_value__partitions_schema = TypeProgram(
    name='transaction_log_value::partitions_schema',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='PartitionsSchema',
    fields=(
        Field('topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 69, '/types/partitions_schema/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 75, '/types/partitions_schema/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic', 'text', False, '', 'Topic', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 81, '/types/partitions_schema/seq/2'), value_type=Text()),
        Field('partition_ids_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 85, '/types/partitions_schema/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_partition_ids_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 91, '/types/partitions_schema/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partition_ids', 'list', False, '', 'PartitionIds', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 97, '/types/partitions_schema/seq/5'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 102, '/types/partitions_schema/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='topic_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topic_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topic_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic', size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='partition_ids_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partition_ids_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partition_ids_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partition_ids_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partition_ids_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partition_ids_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partition_ids', element=ReadInteger(name='partition_ids', kind=Integer(32, True), little_endian=False), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partition_ids_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partition_ids_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=18,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_transaction_log_value__transaction_log_value_previous_producer_id_tag = TypeProgram(
    name='transaction_log_value::transaction_log_value_previous_producer_id_tag',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('previous_producer_id', 'integer', False, '', 'PreviousProducerId', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 133, '/types/transaction_log_value_previous_producer_id_tag/seq/0'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='previous_producer_id', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
TYPE_transaction_log_value__transaction_log_value_next_producer_id_tag = TypeProgram(
    name='transaction_log_value::transaction_log_value_next_producer_id_tag',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('next_producer_id', 'integer', False, '', 'NextProducerId', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 139, '/types/transaction_log_value_next_producer_id_tag/seq/0'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='next_producer_id', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
TYPE_transaction_log_value__transaction_log_value_client_transaction_version_tag = TypeProgram(
    name='transaction_log_value::transaction_log_value_client_transaction_version_tag',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('client_transaction_version', 'integer', False, '', 'ClientTransactionVersion', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 145, '/types/transaction_log_value_client_transaction_version_tag/seq/0'), value_type=Integer(16, True)),
    ),
    steps=(
        ReadInteger(name='client_transaction_version', kind=Integer(16, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=1,
)
TYPE_transaction_log_value__transaction_log_value_next_producer_epoch_tag = TypeProgram(
    name='transaction_log_value::transaction_log_value_next_producer_epoch_tag',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('next_producer_epoch', 'integer', False, '', 'NextProducerEpoch', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 151, '/types/transaction_log_value_next_producer_epoch_tag/seq/0'), value_type=Integer(16, True)),
    ),
    steps=(
        ReadInteger(name='next_producer_epoch', kind=Integer(16, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=1,
)
TYPE_transaction_log_value__transaction_log_value_tagged_field = TypeProgram(
    name='transaction_log_value::transaction_log_value_tagged_field',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 117, '/types/transaction_log_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 119, '/types/transaction_log_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 122, '/types/transaction_log_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_transaction_log_value__transaction_log_value_previous_producer_id_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_transaction_log_value__transaction_log_value_next_producer_id_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_transaction_log_value__transaction_log_value_client_transaction_version_tag),)),)), Case(Expression('constant', (), 3, Integer(64, True), 3, 3), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_transaction_log_value__transaction_log_value_next_producer_epoch_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=16,
)
TYPE_transaction_log_value__transaction_log_value_tagged_fields = TypeProgram(
    name='transaction_log_value::transaction_log_value_tagged_fields',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 108, '/types/transaction_log_value_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_transaction_log_value__transaction_log_value_tagged_field, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 111, '/types/transaction_log_value_tagged_fields/seq/1'), value_type=ListOf(Structure('transaction_log_value::transaction_log_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_transaction_log_value__transaction_log_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=19,
)
TYPE_transaction_log_value = TypeProgram(
    name='transaction_log_value',
    digest='9b6014fda27155ac4a20e112206fbc24b726f2d47162577d99bec396865e134a',
    doc="Value of a record of `__transaction_state`: what the transaction coordinator knows of a transactional id; the latest\none counts, and no value says that the id is forgotten. Version 0 since 0.11, version 1 where the cluster's feature\n`transaction.version` is 1 or 2 (since 3.8).",
    original_id='TransactionLogValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/transaction_log_value.ksy', 19, '/seq/0'), value_type=Integer(16, True)),
        Field('producer_id', 'integer', False, '', 'ProducerId', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 25, '/seq/1'), value_type=Integer(64, True)),
        Field('producer_epoch', 'integer', False, '', 'ProducerEpoch', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 28, '/seq/2'), value_type=Integer(16, True)),
        Field('transaction_timeout_ms', 'integer', False, '', 'TransactionTimeoutMs', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('transaction_status', 'integer', False, '', 'TransactionStatus', ENUM_transaction_log_value__transaction_state, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 34, '/seq/4'), value_type=EnumType('transaction_log_value::transaction_state')),
        Field('transaction_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 38, '/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('compact_transaction_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_value.ksy', 42, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('transaction_partitions', 'list', True, '', 'TransactionPartitions', None, TYPE_transaction_log_value__partitions_schema, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 46, '/seq/7'), value_type=ListOf(Structure('transaction_log_value::partitions_schema'))),
        Field('transaction_last_update_timestamp_ms', 'integer', False, '', 'TransactionLastUpdateTimestampMs', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 52, '/seq/8'), value_type=Integer(64, True)),
        Field('transaction_start_timestamp_ms', 'integer', False, '', 'TransactionStartTimestampMs', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 55, '/seq/9'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_transaction_log_value__transaction_log_value_tagged_fields, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 58, '/seq/10'), value_type=Structure('transaction_log_value::transaction_log_value_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='<= 1'),
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='producer_epoch', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='transaction_timeout_ms', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='transaction_status', kind=Integer(8, True), little_endian=False, enum=ENUM_transaction_log_value__transaction_state),
        ReadInteger(name='transaction_partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadVarint(name='compact_transaction_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='transaction_partitions', condition=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_transaction_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('transaction_partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), element=ReadType(name='transaction_partitions', type=TYPE_transaction_log_value__partitions_schema, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), 0, 1)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_transaction_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('transaction_partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='transaction_last_update_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='transaction_start_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), type=TYPE_transaction_log_value__transaction_log_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=34,
    steps_count=51,
    is_root=True,
    tagged=(
        TaggedField(Field('previous_producer_id', 'integer', False, '', 'PreviousProducerId', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 133, '/types/transaction_log_value_previous_producer_id_tag/seq/0'), value_type=Integer(64, True)), 0, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_transaction_log_value__transaction_log_value_previous_producer_id_tag, 'producer_epoch', '4.3.1'),
        TaggedField(Field('next_producer_id', 'integer', False, '', 'NextProducerId', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 139, '/types/transaction_log_value_next_producer_id_tag/seq/0'), value_type=Integer(64, True)), 1, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_transaction_log_value__transaction_log_value_next_producer_id_tag, 'producer_epoch', '4.3.1'),
        TaggedField(Field('client_transaction_version', 'integer', False, '', 'ClientTransactionVersion', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 145, '/types/transaction_log_value_client_transaction_version_tag/seq/0'), value_type=Integer(16, True)), 2, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_transaction_log_value__transaction_log_value_client_transaction_version_tag, since='4.3.1'),
        TaggedField(Field('next_producer_epoch', 'integer', False, '', 'NextProducerEpoch', None, None, None, None, False, Mark('formats/messages/transaction_log_value.ksy', 151, '/types/transaction_log_value_next_producer_epoch_tag/seq/0'), value_type=Integer(16, True)), 3, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_transaction_log_value__transaction_log_value_next_producer_epoch_tag, 'transaction_timeout_ms', '4.3.1'),
    ),
)
PROGRAM = Program('transaction_log_value', TYPE_transaction_log_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'transaction_log_value::partitions_schema': TYPE_transaction_log_value__partitions_schema, 'transaction_log_value::transaction_log_value_previous_producer_id_tag': TYPE_transaction_log_value__transaction_log_value_previous_producer_id_tag, 'transaction_log_value::transaction_log_value_next_producer_id_tag': TYPE_transaction_log_value__transaction_log_value_next_producer_id_tag, 'transaction_log_value::transaction_log_value_client_transaction_version_tag': TYPE_transaction_log_value__transaction_log_value_client_transaction_version_tag, 'transaction_log_value::transaction_log_value_next_producer_epoch_tag': TYPE_transaction_log_value__transaction_log_value_next_producer_epoch_tag, 'transaction_log_value::transaction_log_value_tagged_field': TYPE_transaction_log_value__transaction_log_value_tagged_field, 'transaction_log_value::transaction_log_value_tagged_fields': TYPE_transaction_log_value__transaction_log_value_tagged_fields, 'transaction_log_value': TYPE_transaction_log_value}, {'transaction_log_value::transaction_state': ENUM_transaction_log_value__transaction_state})
