"""The program of formats/consumer_protocol_subscription.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'consumer_protocol_subscription': 2881139255, 'kafka_types': 3257342114, 'varint': 752136197}
TYPE_kafka_types__string = TypeProgram(
    name='kafka_types::string',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Text in front of which its length stands.',
    original_id='STRING',
    fields=(
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 20, '/types/string/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('value', 'text', False, '', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 25, '/types/string/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='value_length', kind=Integer(16, True), little_endian=False),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='value', size=Expression('name', (), ('value_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=3,
)
TYPE_consumer_protocol_subscription__topic_partition = TypeProgram(
    name='consumer_protocol_subscription::topic_partition',
    digest='5273e73682e5b15703509467baab8007a44c4b1face8d79313e7add68f7147c0',
    doc='',
    original_id='TopicPartition',
    fields=(
        Field('topic_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 69, '/types/topic_partition/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('topic', 'text', False, '', 'Topic', None, None, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 74, '/types/topic_partition/seq/1'), value_type=Text()),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 78, '/types/topic_partition/seq/2'), value_type=Integer(32, True), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 83, '/types/topic_partition/seq/3'), value_type=ListOf(Integer(32, True))),
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
TYPE_consumer_protocol_subscription = TypeProgram(
    name='consumer_protocol_subscription',
    digest='5273e73682e5b15703509467baab8007a44c4b1face8d79313e7add68f7147c0',
    doc='What a consumer of a classic group wants to read, and what it has.',
    original_id='ConsumerProtocolSubscription',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 16, '/seq/0'), value_type=Integer(16, True)),
        Field('topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 22, '/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_kafka_types__string, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 27, '/seq/2'), value_type=ListOf(Structure('kafka_types::string'))),
        Field('user_data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 32, '/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('user_data', 'bytes', True, '', 'UserData', None, None, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 35, '/seq/4'), value_type=Bytes()),
        Field('owned_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 39, '/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('owned_partitions', 'list', True, '', 'OwnedPartitions', None, TYPE_consumer_protocol_subscription__topic_partition, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 45, '/seq/6'), value_type=ListOf(Structure('consumer_protocol_subscription::topic_partition'))),
        Field('generation_id', 'integer', True, '', 'GenerationId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 51, '/seq/7'), value_type=Integer(32, True)),
        Field('rack_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/consumer_protocol_subscription.ksy', 56, '/seq/8'), value_type=Integer(16, True), hidden=True),
        Field('rack_id', 'text', True, '', 'RackId', None, None, None, None, False, Mark('formats/messages/consumer_protocol_subscription.ksy', 60, '/seq/9'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='<= 3'),
        ReadInteger(name='topics_count', kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_kafka_types__string, foreign=True), count=Expression('name', (), ('topics_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='user_data_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='user_data', condition=Expression('>=', (Expression('name', (), ('user_data_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('user_data_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='owned_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='owned_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('owned_partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='owned_partitions', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadType(name='owned_partitions', type=TYPE_consumer_protocol_subscription__topic_partition), count=Expression('name', (), ('owned_partitions_count',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='generation_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='rack_id_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadBytes(name='rack_id', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 3), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('rack_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('name', (), ('rack_id_length',), Integer(16, True), -32768, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=10,
    steps_count=26,
    is_root=True,
)
PROGRAM = Program('consumer_protocol_subscription', TYPE_consumer_protocol_subscription, {'kafka_types::string': TYPE_kafka_types__string, 'consumer_protocol_subscription::topic_partition': TYPE_consumer_protocol_subscription__topic_partition, 'consumer_protocol_subscription': TYPE_consumer_protocol_subscription}, {})
