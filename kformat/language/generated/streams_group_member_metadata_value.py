"""The program of formats/streams_group_member_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Presence, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'streams_group_member_metadata_value': 4206066842, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_streams_group_member_metadata_value__endpoint = TypeProgram(
    name='streams_group_member_metadata_value::endpoint',
    digest='5becf3f5f1b5ad7629d0095d3788b70c447f9aef75e6845afd729e527433af00',
    doc='',
    original_id='Endpoint',
    fields=(
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 102, '/types/endpoint/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 107, '/types/endpoint/seq/1'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 111, '/types/endpoint/seq/2'), value_type=Integer(16, False)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 114, '/types/endpoint/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(16, False), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=11,
)
TYPE_streams_group_member_metadata_value__key_value = TypeProgram(
    name='streams_group_member_metadata_value::key_value',
    digest='5becf3f5f1b5ad7629d0095d3788b70c447f9aef75e6845afd729e527433af00',
    doc='',
    original_id='KeyValue',
    fields=(
        Field('key_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 120, '/types/key_value/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('key', 'text', False, '', 'Key', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 125, '/types/key_value/seq/1'), value_type=Text()),
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 129, '/types/key_value/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', False, '', 'Value', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 134, '/types/key_value/seq/3'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 138, '/types/key_value/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='key_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='key_length', rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='key', size=Expression('-', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='value_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='value', size=Expression('-', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=13,
)
TYPE_streams_group_member_metadata_value = TypeProgram(
    name='streams_group_member_metadata_value',
    digest='5becf3f5f1b5ad7629d0095d3788b70c447f9aef75e6845afd729e527433af00',
    doc='Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a streams\ngroup (KIP-1071).',
    original_id='StreamsGroupMemberMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('instance_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('instance_id', 'text', True, '', 'InstanceId', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 27, '/seq/2'), value_type=Text()),
        Field('rack_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 32, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('rack_id', 'text', True, '', 'RackId', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 35, '/seq/4'), value_type=Text()),
        Field('client_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 40, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('client_id', 'text', False, '', 'ClientId', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 45, '/seq/6'), value_type=Text()),
        Field('client_host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 49, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('client_host', 'text', False, '', 'ClientHost', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 54, '/seq/8'), value_type=Text()),
        Field('rebalance_timeout_ms', 'integer', False, '', 'RebalanceTimeoutMs', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 58, '/seq/9'), value_type=Integer(32, True)),
        Field('topology_epoch', 'integer', False, '', 'TopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 62, '/seq/10'), value_type=Integer(32, True)),
        Field('process_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 65, '/seq/11'), value_type=Integer(32, False), hidden=True),
        Field('process_id', 'text', False, '', 'ProcessId', None, None, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 70, '/seq/12'), value_type=Text()),
        Field('user_endpoint_presence', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 74, '/seq/13'), value_type=Integer(8, True), presence=Presence('user_endpoint', 1, -1), hidden=True),
        Field('user_endpoint', 'structure', True, '', 'UserEndpoint', None, TYPE_streams_group_member_metadata_value__endpoint, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 81, '/seq/14'), value_type=Structure('streams_group_member_metadata_value::endpoint')),
        Field('client_tags_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_member_metadata_value.ksy', 85, '/seq/15'), value_type=Integer(32, False), hidden=True),
        Field('client_tags', 'list', False, '', 'ClientTags', None, TYPE_streams_group_member_metadata_value__key_value, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 90, '/seq/16'), value_type=ListOf(Structure('streams_group_member_metadata_value::key_value'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_member_metadata_value.ksy', 95, '/seq/17'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='instance_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='instance_id', condition=Expression('>=', (Expression('name', (), ('instance_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('instance_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='rack_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='rack_id', condition=Expression('>=', (Expression('name', (), ('rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='client_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='client_id_length', rule=Expression('>=', (Expression('name', (), ('client_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='client_id', size=Expression('-', (Expression('name', (), ('client_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='client_host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='client_host_length', rule=Expression('>=', (Expression('name', (), ('client_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='client_host', size=Expression('-', (Expression('name', (), ('client_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='rebalance_timeout_ms', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='topology_epoch', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='process_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='process_id_length', rule=Expression('>=', (Expression('name', (), ('process_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='process_id', size=Expression('-', (Expression('name', (), ('process_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='user_endpoint_presence', kind=Integer(8, True), little_endian=False),
        ReadType(name='user_endpoint', condition=Expression('>=', (Expression('name', (), ('user_endpoint_presence',), Integer(8, True), -128, 127), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), type=TYPE_streams_group_member_metadata_value__endpoint),
        ReadVarint(name='client_tags_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='client_tags_count', rule=Expression('>=', (Expression('name', (), ('client_tags_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='client_tags', element=ReadType(name='client_tags', type=TYPE_streams_group_member_metadata_value__key_value), count=Expression('-', (Expression('name', (), ('client_tags_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=55,
    is_root=True,
)
PROGRAM = Program('streams_group_member_metadata_value', TYPE_streams_group_member_metadata_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'streams_group_member_metadata_value::endpoint': TYPE_streams_group_member_metadata_value__endpoint, 'streams_group_member_metadata_value::key_value': TYPE_streams_group_member_metadata_value__key_value, 'streams_group_member_metadata_value': TYPE_streams_group_member_metadata_value}, {})
