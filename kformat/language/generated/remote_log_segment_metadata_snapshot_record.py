"""The program of formats/remote_log_segment_metadata_snapshot_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure

MADE_FROM = {'remote_log_segment_metadata_snapshot_record': 1001830817, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_remote_log_segment_metadata_snapshot_record__remote_log_segment_state = Enum(
    name='remote_log_segment_metadata_snapshot_record::remote_log_segment_state',
    members={0: 'copy_segment_started', 1: 'copy_segment_finished', 2: 'delete_segment_started', 3: 'delete_segment_finished'},
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
TYPE_remote_log_segment_metadata_snapshot_record__segment_leader_epoch_entry = TypeProgram(
    name='remote_log_segment_metadata_snapshot_record::segment_leader_epoch_entry',
    digest='1dfeb33f5b7ba3157b635c68b7341aedc20a3393ac09f594f09d2acbc45e20d9',
    doc='',
    original_id='SegmentLeaderEpochEntry',
    fields=(
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 82, '/types/segment_leader_epoch_entry/seq/0'), value_type=Integer(32, True)),
        Field('offset', 'integer', False, '', 'Offset', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 85, '/types/segment_leader_epoch_entry/seq/1'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 88, '/types/segment_leader_epoch_entry/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='offset', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=9,
)
TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_txn_index_empty_tag = TypeProgram(
    name='remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_txn_index_empty_tag',
    digest='1dfeb33f5b7ba3157b635c68b7341aedc20a3393ac09f594f09d2acbc45e20d9',
    doc='',
    original_id='',
    fields=(
        Field('txn_index_empty', 'integer', False, '', 'TxnIndexEmpty', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 115, "/types/'remote_log_segment_metadata_snapshot_record_txn_index_empty.../seq/0"), value_type=Integer(8, True), logical=LogicalType('bool')),
    ),
    steps=(
        ReadInteger(name='txn_index_empty', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_field = TypeProgram(
    name='remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_field',
    digest='1dfeb33f5b7ba3157b635c68b7341aedc20a3393ac09f594f09d2acbc45e20d9',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 102, '/types/remote_log_segment_metadata_snapshot_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 104, '/types/remote_log_segment_metadata_snapshot_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 107, '/types/remote_log_segment_metadata_snapshot_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_txn_index_empty_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=7,
)
TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_fields = TypeProgram(
    name='remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_fields',
    digest='1dfeb33f5b7ba3157b635c68b7341aedc20a3393ac09f594f09d2acbc45e20d9',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 93, '/types/remote_log_segment_metadata_snapshot_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_field, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 96, '/types/remote_log_segment_metadata_snapshot_record_tagged_fields/seq/1'), value_type=ListOf(Structure('remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=10,
)
TYPE_remote_log_segment_metadata_snapshot_record = TypeProgram(
    name='remote_log_segment_metadata_snapshot_record',
    digest='1dfeb33f5b7ba3157b635c68b7341aedc20a3393ac09f594f09d2acbc45e20d9',
    doc="A segment in remote storage, as Kafka's snapshots of that metadata have it.",
    original_id='RemoteLogSegmentMetadataSnapshotRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('segment_id', 'bytes', False, '', 'SegmentId', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 32, '/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('start_offset', 'integer', False, '', 'StartOffset', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 36, '/seq/4'), value_type=Integer(64, True)),
        Field('end_offset', 'integer', False, '', 'EndOffset', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 39, '/seq/5'), value_type=Integer(64, True)),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 42, '/seq/6'), value_type=Integer(32, True)),
        Field('max_timestamp_ms', 'integer', False, '', 'MaxTimestampMs', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 45, '/seq/7'), value_type=Integer(64, True)),
        Field('event_timestamp_ms', 'integer', False, '', 'EventTimestampMs', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 48, '/seq/8'), value_type=Integer(64, True)),
        Field('segment_leader_epochs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 51, '/seq/9'), value_type=Integer(32, False), hidden=True),
        Field('segment_leader_epochs', 'list', False, '', 'SegmentLeaderEpochs', None, TYPE_remote_log_segment_metadata_snapshot_record__segment_leader_epoch_entry, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 56, '/seq/10'), value_type=ListOf(Structure('remote_log_segment_metadata_snapshot_record::segment_leader_epoch_entry'))),
        Field('segment_size_in_bytes', 'integer', False, '', 'SegmentSizeInBytes', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 61, '/seq/11'), value_type=Integer(32, True)),
        Field('custom_metadata_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 64, '/seq/12'), value_type=Integer(32, False), hidden=True),
        Field('custom_metadata', 'bytes', True, '', 'CustomMetadata', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 67, '/seq/13'), value_type=Bytes()),
        Field('remote_log_segment_state', 'integer', False, '', 'RemoteLogSegmentState', ENUM_remote_log_segment_metadata_snapshot_record__remote_log_segment_state, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 71, '/seq/14'), value_type=EnumType('remote_log_segment_metadata_snapshot_record::remote_log_segment_state')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_fields, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 75, '/seq/15'), value_type=Structure('remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='3'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadBytes(name='segment_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='start_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='end_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='max_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='event_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadVarint(name='segment_leader_epochs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='segment_leader_epochs_count', rule=Expression('>=', (Expression('name', (), ('segment_leader_epochs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='segment_leader_epochs', element=ReadType(name='segment_leader_epochs', type=TYPE_remote_log_segment_metadata_snapshot_record__segment_leader_epoch_entry), count=Expression('-', (Expression('name', (), ('segment_leader_epochs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='segment_size_in_bytes', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='custom_metadata_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='custom_metadata', condition=Expression('>=', (Expression('name', (), ('custom_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('custom_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='remote_log_segment_state', kind=Integer(8, True), little_endian=False, enum=ENUM_remote_log_segment_metadata_snapshot_record__remote_log_segment_state),
        ReadType(name='tagged_fields', type=TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=63,
    steps_count=40,
    is_root=True,
    tagged=(
        TaggedField(Field('txn_index_empty', 'integer', False, '', 'TxnIndexEmpty', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_snapshot_record.ksy', 115, "/types/'remote_log_segment_metadata_snapshot_record_txn_index_empty.../seq/0"), value_type=Integer(8, True), logical=LogicalType('bool')), 0, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_txn_index_empty_tag, since='4.3.1'),
    ),
)
PROGRAM = Program('remote_log_segment_metadata_snapshot_record', TYPE_remote_log_segment_metadata_snapshot_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'remote_log_segment_metadata_snapshot_record::segment_leader_epoch_entry': TYPE_remote_log_segment_metadata_snapshot_record__segment_leader_epoch_entry, 'remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_txn_index_empty_tag': TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_txn_index_empty_tag, 'remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_field': TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_field, 'remote_log_segment_metadata_snapshot_record::remote_log_segment_metadata_snapshot_record_tagged_fields': TYPE_remote_log_segment_metadata_snapshot_record__remote_log_segment_metadata_snapshot_record_tagged_fields, 'remote_log_segment_metadata_snapshot_record': TYPE_remote_log_segment_metadata_snapshot_record}, {'remote_log_segment_metadata_snapshot_record::remote_log_segment_state': ENUM_remote_log_segment_metadata_snapshot_record__remote_log_segment_state})
