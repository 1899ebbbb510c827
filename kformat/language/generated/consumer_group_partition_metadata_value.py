"""The program of formats/consumer_group_partition_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'consumer_group_partition_metadata_value': 823312187, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_kafka_types__compact_string = TypeProgram(
    name='kafka_types::compact_string',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Text in front of which its length plus one stands.',
    original_id='COMPACT_STRING',
    fields=(
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 32, '/types/compact_string/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', False, '', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 37, '/types/compact_string/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='value_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='value', size=Expression('-', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
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
TYPE_consumer_group_partition_metadata_value__partition_metadata = TypeProgram(
    name='consumer_group_partition_metadata_value::partition_metadata',
    digest='dddcd267939da697cf85079f0849debb4809486b9bd8a0853e4593e3a549c50a',
    doc='',
    original_id='PartitionMetadata',
    fields=(
        Field('partition', 'integer', False, '', 'Partition', None, None, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 73, '/types/partition_metadata/seq/0'), value_type=Integer(32, True)),
        Field('racks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 76, '/types/partition_metadata/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('racks', 'list', False, '', 'Racks', None, TYPE_kafka_types__compact_string, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 81, '/types/partition_metadata/seq/2'), value_type=ListOf(Structure('kafka_types::compact_string'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 86, '/types/partition_metadata/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='racks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='racks_count', rule=Expression('>=', (Expression('name', (), ('racks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='racks', element=ReadType(name='racks', type=TYPE_kafka_types__compact_string, foreign=True), count=Expression('-', (Expression('name', (), ('racks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=15,
)
TYPE_consumer_group_partition_metadata_value__topic_metadata = TypeProgram(
    name='consumer_group_partition_metadata_value::topic_metadata',
    digest='dddcd267939da697cf85079f0849debb4809486b9bd8a0853e4593e3a549c50a',
    doc='',
    original_id='TopicMetadata',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 41, '/types/topic_metadata/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('topic_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 45, '/types/topic_metadata/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic_name', 'text', False, '', 'TopicName', None, None, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 50, '/types/topic_metadata/seq/2'), value_type=Text()),
        Field('num_partitions', 'integer', False, '', 'NumPartitions', None, None, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 54, '/types/topic_metadata/seq/3'), value_type=Integer(32, True)),
        Field('partition_metadata_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 57, '/types/topic_metadata/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partition_metadata', 'list', False, '', 'PartitionMetadata', None, TYPE_consumer_group_partition_metadata_value__partition_metadata, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 62, '/types/topic_metadata/seq/5'), value_type=ListOf(Structure('consumer_group_partition_metadata_value::partition_metadata'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 67, '/types/topic_metadata/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='topic_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topic_name_length', rule=Expression('>=', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic_name', size=Expression('-', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='num_partitions', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='partition_metadata_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partition_metadata_count', rule=Expression('>=', (Expression('name', (), ('partition_metadata_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partition_metadata', element=ReadType(name='partition_metadata', type=TYPE_consumer_group_partition_metadata_value__partition_metadata), count=Expression('-', (Expression('name', (), ('partition_metadata_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=23,
    steps_count=31,
)
TYPE_consumer_group_partition_metadata_value = TypeProgram(
    name='consumer_group_partition_metadata_value',
    digest='dddcd267939da697cf85079f0849debb4809486b9bd8a0853e4593e3a549c50a',
    doc='Value of a record of `__consumer_offsets`: the topics that it subscribes to, with their partitions, in a group of the\nconsumer protocol (KIP-848).',
    original_id='ConsumerGroupPartitionMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_consumer_group_partition_metadata_value__topic_metadata, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 29, '/seq/2'), value_type=ListOf(Structure('consumer_group_partition_metadata_value::topic_metadata'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_partition_metadata_value.ksy', 34, '/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='topics_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topics_count', rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_consumer_group_partition_metadata_value__topic_metadata), count=Expression('-', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=45,
    is_root=True,
)
PROGRAM = Program('consumer_group_partition_metadata_value', TYPE_consumer_group_partition_metadata_value, {'kafka_types::compact_string': TYPE_kafka_types__compact_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'consumer_group_partition_metadata_value::partition_metadata': TYPE_consumer_group_partition_metadata_value__partition_metadata, 'consumer_group_partition_metadata_value::topic_metadata': TYPE_consumer_group_partition_metadata_value__topic_metadata, 'consumer_group_partition_metadata_value': TYPE_consumer_group_partition_metadata_value}, {})
