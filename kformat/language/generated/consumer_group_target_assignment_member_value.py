"""The program of formats/consumer_group_target_assignment_member_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'consumer_group_target_assignment_member_value': 1008333620, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_consumer_group_target_assignment_member_value__topic_partition = TypeProgram(
    name='consumer_group_target_assignment_member_value::topic_partition',
    digest='7c8d8269d95e74ad751c3f9e71335fbfdc1ebc326c6bd698ff802a14878f826e',
    doc='',
    original_id='TopicPartition',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 41, '/types/topic_partition/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 45, '/types/topic_partition/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 50, '/types/topic_partition/seq/2'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 55, '/types/topic_partition/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=12,
)
TYPE_consumer_group_target_assignment_member_value = TypeProgram(
    name='consumer_group_target_assignment_member_value',
    digest='7c8d8269d95e74ad751c3f9e71335fbfdc1ebc326c6bd698ff802a14878f826e',
    doc='Value of a record of `__consumer_offsets`: the partitions that the member is to have, in a group of the consumer\nprotocol (KIP-848).',
    original_id='ConsumerGroupTargetAssignmentMemberValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('topic_partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic_partitions', 'list', False, '', 'TopicPartitions', None, TYPE_consumer_group_target_assignment_member_value__topic_partition, None, None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 29, '/seq/2'), value_type=ListOf(Structure('consumer_group_target_assignment_member_value::topic_partition'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_target_assignment_member_value.ksy', 34, '/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='topic_partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topic_partitions_count', rule=Expression('>=', (Expression('name', (), ('topic_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topic_partitions', element=ReadType(name='topic_partitions', type=TYPE_consumer_group_target_assignment_member_value__topic_partition), count=Expression('-', (Expression('name', (), ('topic_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=26,
    is_root=True,
)
PROGRAM = Program('consumer_group_target_assignment_member_value', TYPE_consumer_group_target_assignment_member_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'consumer_group_target_assignment_member_value::topic_partition': TYPE_consumer_group_target_assignment_member_value__topic_partition, 'consumer_group_target_assignment_member_value': TYPE_consumer_group_target_assignment_member_value}, {})
