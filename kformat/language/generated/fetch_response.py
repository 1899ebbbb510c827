"""The program of formats/fetch_response.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'fetch_response': 746143746, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_fetch_response__aborted_transaction = TypeProgram(
    name='fetch_response::aborted_transaction',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='AbortedTransaction',
    fields=(
        Field('producer_id', 'integer', False, '', 'ProducerId', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 210, '/types/aborted_transaction/seq/0'), value_type=Integer(64, True)),
        Field('first_offset', 'integer', False, '', 'FirstOffset', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 213, '/types/aborted_transaction/seq/1'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 216, '/types/aborted_transaction/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='first_offset', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=16,
    steps_count=9,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_response__epoch_end_offset = TypeProgram(
    name='fetch_response::epoch_end_offset',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='EpochEndOffset',
    fields=(
        Field('epoch', 'integer', False, '', 'Epoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 165, '/types/epoch_end_offset/seq/0'), value_type=Integer(32, True)),
        Field('end_offset', 'integer', False, '', 'EndOffset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 169, '/types/epoch_end_offset/seq/1'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 173, '/types/epoch_end_offset/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='end_offset', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=9,
)
TYPE_fetch_response__partition_data_diverging_epoch_tag = TypeProgram(
    name='fetch_response::partition_data_diverging_epoch_tag',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('diverging_epoch', 'structure', False, '', 'DivergingEpoch', None, TYPE_fetch_response__epoch_end_offset, None, None, False, Mark('formats/messages/fetch_response.ksy', 316, '/types/partition_data_diverging_epoch_tag/seq/0'), value_type=Structure('fetch_response::epoch_end_offset')),
    ),
    steps=(
        ReadType(name='diverging_epoch', type=TYPE_fetch_response__epoch_end_offset),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=10,
)
TYPE_fetch_response__leader_id_and_epoch = TypeProgram(
    name='fetch_response::leader_id_and_epoch',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='LeaderIdAndEpoch',
    fields=(
        Field('leader_id', 'integer', False, '', 'LeaderId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 179, '/types/leader_id_and_epoch/seq/0'), value_type=Integer(32, True)),
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 183, '/types/leader_id_and_epoch/seq/1'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 187, '/types/leader_id_and_epoch/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='leader_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=9,
)
TYPE_fetch_response__partition_data_current_leader_tag = TypeProgram(
    name='fetch_response::partition_data_current_leader_tag',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('current_leader', 'structure', False, '', 'CurrentLeader', None, TYPE_fetch_response__leader_id_and_epoch, None, None, False, Mark('formats/messages/fetch_response.ksy', 322, '/types/partition_data_current_leader_tag/seq/0'), value_type=Structure('fetch_response::leader_id_and_epoch')),
    ),
    steps=(
        ReadType(name='current_leader', type=TYPE_fetch_response__leader_id_and_epoch),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=10,
)
TYPE_fetch_response__snapshot_id = TypeProgram(
    name='fetch_response::snapshot_id',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='SnapshotId',
    fields=(
        Field('end_offset', 'integer', False, '', 'EndOffset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 193, '/types/snapshot_id/seq/0'), value_type=Integer(64, True)),
        Field('epoch', 'integer', False, '', 'Epoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 197, '/types/snapshot_id/seq/1'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 201, '/types/snapshot_id/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='end_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='epoch', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=9,
)
TYPE_fetch_response__partition_data_snapshot_id_tag = TypeProgram(
    name='fetch_response::partition_data_snapshot_id_tag',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('snapshot_id', 'structure', False, '', 'SnapshotId', None, TYPE_fetch_response__snapshot_id, None, None, False, Mark('formats/messages/fetch_response.ksy', 328, '/types/partition_data_snapshot_id_tag/seq/0'), value_type=Structure('fetch_response::snapshot_id')),
    ),
    steps=(
        ReadType(name='snapshot_id', type=TYPE_fetch_response__snapshot_id),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=10,
)
TYPE_fetch_response__partition_data_tagged_field = TypeProgram(
    name='fetch_response::partition_data_tagged_field',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 301, '/types/partition_data_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 303, '/types/partition_data_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 306, '/types/partition_data_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_response__partition_data_diverging_epoch_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_response__partition_data_current_leader_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_response__partition_data_snapshot_id_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=40,
)
TYPE_fetch_response__partition_data_tagged_fields = TypeProgram(
    name='fetch_response::partition_data_tagged_fields',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 292, '/types/partition_data_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_fetch_response__partition_data_tagged_field, None, None, False, Mark('formats/messages/fetch_response.ksy', 295, '/types/partition_data_tagged_fields/seq/1'), value_type=ListOf(Structure('fetch_response::partition_data_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_fetch_response__partition_data_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=43,
)
TYPE_fetch_response__partition_data = TypeProgram(
    name='fetch_response::partition_data',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='PartitionData',
    fields=(
        Field('partition_index', 'integer', False, '', 'PartitionIndex', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 108, '/types/partition_data/seq/0'), value_type=Integer(32, True)),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 111, '/types/partition_data/seq/1'), value_type=Integer(16, True)),
        Field('high_watermark', 'integer', False, '', 'HighWatermark', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 114, '/types/partition_data/seq/2'), value_type=Integer(64, True)),
        Field('last_stable_offset', 'integer', True, '', 'LastStableOffset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 117, '/types/partition_data/seq/3'), value_type=Integer(64, True)),
        Field('log_start_offset', 'integer', True, '', 'LogStartOffset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 122, '/types/partition_data/seq/4'), value_type=Integer(64, True)),
        Field('aborted_transactions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 127, '/types/partition_data/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('compact_aborted_transactions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 131, '/types/partition_data/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('aborted_transactions', 'list', True, '', 'AbortedTransactions', None, TYPE_fetch_response__aborted_transaction, None, None, False, Mark('formats/messages/fetch_response.ksy', 135, '/types/partition_data/seq/7'), value_type=ListOf(Structure('fetch_response::aborted_transaction'))),
        Field('preferred_read_replica', 'integer', True, '', 'PreferredReadReplica', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_response.ksy', 141, '/types/partition_data/seq/8'), value_type=Integer(32, True)),
        Field('records_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 146, '/types/partition_data/seq/9'), value_type=Integer(32, True), hidden=True),
        Field('compact_records_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 150, '/types/partition_data/seq/10'), value_type=Integer(32, False), hidden=True),
        Field('records', 'bytes', True, '', 'Records', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 154, '/types/partition_data/seq/11'), value_type=Bytes()),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_fetch_response__partition_data_tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 158, '/types/partition_data/seq/12'), value_type=Structure('fetch_response::partition_data_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition_index', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='high_watermark', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='last_stable_offset', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='log_start_offset', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='aborted_transactions_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadVarint(name='compact_aborted_transactions_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='aborted_transactions', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_aborted_transactions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('aborted_transactions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), element=ReadType(name='aborted_transactions', type=TYPE_fetch_response__aborted_transaction, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_aborted_transactions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('aborted_transactions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='preferred_read_replica', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='records_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadVarint(name='compact_records_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='records', condition=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_records_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('records_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_records_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('records_length',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_fetch_response__partition_data_tagged_fields),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=66,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    tagged=(
        TaggedField(Field('diverging_epoch', 'structure', False, '', 'DivergingEpoch', None, TYPE_fetch_response__epoch_end_offset, None, None, False, Mark('formats/messages/fetch_response.ksy', 316, '/types/partition_data_diverging_epoch_tag/seq/0'), value_type=Structure('fetch_response::epoch_end_offset')), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_response__partition_data_diverging_epoch_tag, 'aborted_transactions'),
        TaggedField(Field('current_leader', 'structure', False, '', 'CurrentLeader', None, TYPE_fetch_response__leader_id_and_epoch, None, None, False, Mark('formats/messages/fetch_response.ksy', 322, '/types/partition_data_current_leader_tag/seq/0'), value_type=Structure('fetch_response::leader_id_and_epoch')), 1, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_response__partition_data_current_leader_tag, 'aborted_transactions'),
        TaggedField(Field('snapshot_id', 'structure', False, '', 'SnapshotId', None, TYPE_fetch_response__snapshot_id, None, None, False, Mark('formats/messages/fetch_response.ksy', 328, '/types/partition_data_snapshot_id_tag/seq/0'), value_type=Structure('fetch_response::snapshot_id')), 2, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_response__partition_data_snapshot_id_tag, 'aborted_transactions'),
    ),
)
TYPE_fetch_response__fetchable_topic_response = TypeProgram(
    name='fetch_response::fetchable_topic_response',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='FetchableTopicResponse',
    fields=(
        Field('topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 59, '/types/fetchable_topic_response/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 65, '/types/fetchable_topic_response/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic', 'text', True, '', 'Topic', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 71, '/types/fetchable_topic_response/seq/2'), value_type=Text()),
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 76, '/types/fetchable_topic_response/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 81, '/types/fetchable_topic_response/seq/4'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 87, '/types/fetchable_topic_response/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_fetch_response__partition_data, None, None, False, Mark('formats/messages/fetch_response.ksy', 93, '/types/fetchable_topic_response/seq/6'), value_type=ListOf(Structure('fetch_response::partition_data'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 98, '/types/fetchable_topic_response/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 13, Integer(64, True), 13, 13)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_fetch_response__partition_data, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=85,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_response__node_endpoint = TypeProgram(
    name='fetch_response::node_endpoint',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='NodeEndpoint',
    fields=(
        Field('node_id', 'integer', False, '', 'NodeId', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 223, '/types/node_endpoint/seq/0'), value_type=Integer(32, True)),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 226, '/types/node_endpoint/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 231, '/types/node_endpoint/seq/2'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 235, '/types/node_endpoint/seq/3'), value_type=Integer(32, True)),
        Field('rack_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 238, '/types/node_endpoint/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('rack', 'text', True, '', 'Rack', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 241, '/types/node_endpoint/seq/5'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 246, '/types/node_endpoint/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='node_id', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='rack_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='rack', condition=Expression('>=', (Expression('name', (), ('rack_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('rack_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=11,
    steps_count=14,
)
TYPE_fetch_response__fetch_response_node_endpoints_tag = TypeProgram(
    name='fetch_response::fetch_response_node_endpoints_tag',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('node_endpoints_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 279, '/types/fetch_response_node_endpoints_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('node_endpoints', 'list', False, '', 'NodeEndpoints', None, TYPE_fetch_response__node_endpoint, None, None, False, Mark('formats/messages/fetch_response.ksy', 284, '/types/fetch_response_node_endpoints_tag/seq/1'), value_type=ListOf(Structure('fetch_response::node_endpoint'))),
    ),
    steps=(
        ReadVarint(name='node_endpoints_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='node_endpoints_count', rule=Expression('>=', (Expression('name', (), ('node_endpoints_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='node_endpoints', element=ReadType(name='node_endpoints', type=TYPE_fetch_response__node_endpoint), count=Expression('-', (Expression('name', (), ('node_endpoints_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=18,
)
TYPE_fetch_response__fetch_response_tagged_field = TypeProgram(
    name='fetch_response::fetch_response_tagged_field',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 266, '/types/fetch_response_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 268, '/types/fetch_response_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 271, '/types/fetch_response_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 16, Integer(64, True), 16, 16)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_response__fetch_response_node_endpoints_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=24,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_response__fetch_response_tagged_fields = TypeProgram(
    name='fetch_response::fetch_response_tagged_fields',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 254, '/types/fetch_response_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_fetch_response__fetch_response_tagged_field, None, None, False, Mark('formats/messages/fetch_response.ksy', 257, '/types/fetch_response_tagged_fields/seq/1'), value_type=ListOf(Structure('fetch_response::fetch_response_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_fetch_response__fetch_response_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=27,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_response = TypeProgram(
    name='fetch_response',
    digest='17013d68e1f540b59b263af96d83210f635fcebd634c0abe5025b9c79a7a2f40',
    doc='',
    original_id='FetchResponse',
    fields=(
        Field('throttle_time_ms', 'integer', True, '', 'ThrottleTimeMs', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('error_code', 'integer', True, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/fetch_response.ksy', 22, '/seq/1'), value_type=Integer(16, True)),
        Field('session_id', 'integer', True, '', 'SessionId', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/fetch_response.ksy', 26, '/seq/2'), value_type=Integer(32, True)),
        Field('responses_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 31, '/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_responses_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_response.ksy', 37, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('responses', 'list', False, '', 'Responses', None, TYPE_fetch_response__fetchable_topic_response, None, None, False, Mark('formats/messages/fetch_response.ksy', 43, '/seq/5'), value_type=ListOf(Structure('fetch_response::fetchable_topic_response'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_fetch_response__fetch_response_tagged_fields, None, None, False, Mark('formats/messages/fetch_response.ksy', 48, '/seq/6'), value_type=Structure('fetch_response::fetch_response_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='throttle_time_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='error_code', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadInteger(name='session_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='responses_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='responses_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('responses_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_responses_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_responses_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_responses_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='responses', element=ReadType(name='responses', type=TYPE_fetch_response__fetchable_topic_response, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_responses_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('responses_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_fetch_response__fetch_response_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=122,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
    tagged=(
        TaggedField(Field('node_endpoints', 'list', False, '', 'NodeEndpoints', None, TYPE_fetch_response__node_endpoint, None, None, False, Mark('formats/messages/fetch_response.ksy', 284, '/types/fetch_response_node_endpoints_tag/seq/1'), value_type=ListOf(Structure('fetch_response::node_endpoint'))), 0, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_response__fetch_response_node_endpoints_tag),
    ),
)
PROGRAM = Program('fetch_response', TYPE_fetch_response, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'fetch_response::aborted_transaction': TYPE_fetch_response__aborted_transaction, 'fetch_response::epoch_end_offset': TYPE_fetch_response__epoch_end_offset, 'fetch_response::partition_data_diverging_epoch_tag': TYPE_fetch_response__partition_data_diverging_epoch_tag, 'fetch_response::leader_id_and_epoch': TYPE_fetch_response__leader_id_and_epoch, 'fetch_response::partition_data_current_leader_tag': TYPE_fetch_response__partition_data_current_leader_tag, 'fetch_response::snapshot_id': TYPE_fetch_response__snapshot_id, 'fetch_response::partition_data_snapshot_id_tag': TYPE_fetch_response__partition_data_snapshot_id_tag, 'fetch_response::partition_data_tagged_field': TYPE_fetch_response__partition_data_tagged_field, 'fetch_response::partition_data_tagged_fields': TYPE_fetch_response__partition_data_tagged_fields, 'fetch_response::partition_data': TYPE_fetch_response__partition_data, 'fetch_response::fetchable_topic_response': TYPE_fetch_response__fetchable_topic_response, 'fetch_response::node_endpoint': TYPE_fetch_response__node_endpoint, 'fetch_response::fetch_response_node_endpoints_tag': TYPE_fetch_response__fetch_response_node_endpoints_tag, 'fetch_response::fetch_response_tagged_field': TYPE_fetch_response__fetch_response_tagged_field, 'fetch_response::fetch_response_tagged_fields': TYPE_fetch_response__fetch_response_tagged_fields, 'fetch_response': TYPE_fetch_response}, {})
