"""The program of formats/consumer_protocol_assignment.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'consumer_protocol_assignment': 506013158}
TYPE_consumer_protocol_assignment__topic_partition = TypeProgram(
    name='consumer_protocol_assignment::topic_partition',
    digest='24671beb52946d892d8b642b7c6cd5029fc476f663cde8d87c65b813252972e0',
    doc='',
    original_id='TopicPartition',
    fields=(
        Field('topic_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_assignment.ksy', 41, '/types/topic_partition/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('topic', 'text', False, '', 'Topic', None, None, None, None, False, Mark('formats/messages/consumer_protocol_assignment.ksy', 46, '/types/topic_partition/seq/1'), value_type=Text()),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_assignment.ksy', 50, '/types/topic_partition/seq/2'), value_type=Integer(32, True), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/consumer_protocol_assignment.ksy', 55, '/types/topic_partition/seq/3'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadInteger(name='topic_length', kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='topic', size=Expression('name', (), ('topic_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='partitions_count', kind=Integer(32, True), little_endian=False),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('partitions_count',), Integer(32, True), 0, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=7,
)
TYPE_consumer_protocol_assignment = TypeProgram(
    name='consumer_protocol_assignment',
    digest='24671beb52946d892d8b642b7c6cd5029fc476f663cde8d87c65b813252972e0',
    doc='The partitions that the leader of a classic group gave to a consumer.',
    original_id='ConsumerProtocolAssignment',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/consumer_protocol_assignment.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('assigned_partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_assignment.ksy', 20, '/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('assigned_partitions', 'list', False, '', 'AssignedPartitions', None, TYPE_consumer_protocol_assignment__topic_partition, None, None, False, Mark('formats/messages/consumer_protocol_assignment.ksy', 25, '/seq/2'), value_type=ListOf(Structure('consumer_protocol_assignment::topic_partition'))),
        Field('user_data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_assignment.ksy', 30, '/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('user_data', 'bytes', True, '', 'UserData', None, None, None, None, False, Mark('formats/messages/consumer_protocol_assignment.ksy', 33, '/seq/4'), value_type=Bytes()),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='<= 3'),
        ReadInteger(name='assigned_partitions_count', kind=Integer(32, True), little_endian=False),
        Check(name='assigned_partitions_count', rule=Expression('>=', (Expression('name', (), ('assigned_partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='assigned_partitions', element=ReadType(name='assigned_partitions', type=TYPE_consumer_protocol_assignment__topic_partition), count=Expression('name', (), ('assigned_partitions_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='user_data_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='user_data', condition=Expression('>=', (Expression('name', (), ('user_data_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('user_data_length',), Integer(32, True), -2147483648, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=10,
    steps_count=16,
    is_root=True,
)
PROGRAM = Program('consumer_protocol_assignment', TYPE_consumer_protocol_assignment, {'consumer_protocol_assignment::topic_partition': TYPE_consumer_protocol_assignment__topic_partition, 'consumer_protocol_assignment': TYPE_consumer_protocol_assignment}, {})
