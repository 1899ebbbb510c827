"""The program of formats/share_group_member_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'share_group_member_metadata_value': 2059287016, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_share_group_member_metadata_value = TypeProgram(
    name='share_group_member_metadata_value',
    digest='dd53f0a77c2bffb70800561f45d30c0599aa818f5b846f65126aa44ad629804b',
    doc='Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a share\ngroup (KIP-932).',
    original_id='ShareGroupMemberMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('rack_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_member_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('rack_id', 'text', True, '', 'RackId', None, None, None, None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 27, '/seq/2'), value_type=Text()),
        Field('client_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_member_metadata_value.ksy', 32, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('client_id', 'text', False, '', 'ClientId', None, None, None, None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 37, '/seq/4'), value_type=Text()),
        Field('client_host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_member_metadata_value.ksy', 41, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('client_host', 'text', False, '', 'ClientHost', None, None, None, None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 46, '/seq/6'), value_type=Text()),
        Field('subscribed_topic_names_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_member_metadata_value.ksy', 50, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('subscribed_topic_names', 'list', False, '', 'SubscribedTopicNames', None, TYPE_kafka_types__compact_string, None, None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 55, '/seq/8'), value_type=ListOf(Structure('kafka_types::compact_string'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_member_metadata_value.ksy', 60, '/seq/9'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='rack_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='rack_id', condition=Expression('>=', (Expression('name', (), ('rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='client_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='client_id_length', rule=Expression('>=', (Expression('name', (), ('client_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='client_id', size=Expression('-', (Expression('name', (), ('client_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='client_host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='client_host_length', rule=Expression('>=', (Expression('name', (), ('client_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='client_host', size=Expression('-', (Expression('name', (), ('client_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='subscribed_topic_names_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='subscribed_topic_names_count', rule=Expression('>=', (Expression('name', (), ('subscribed_topic_names_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='subscribed_topic_names', element=ReadType(name='subscribed_topic_names', type=TYPE_kafka_types__compact_string, foreign=True), count=Expression('-', (Expression('name', (), ('subscribed_topic_names_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=7,
    steps_count=25,
    is_root=True,
)
PROGRAM = Program('share_group_member_metadata_value', TYPE_share_group_member_metadata_value, {'kafka_types::compact_string': TYPE_kafka_types__compact_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'share_group_member_metadata_value': TYPE_share_group_member_metadata_value}, {})
