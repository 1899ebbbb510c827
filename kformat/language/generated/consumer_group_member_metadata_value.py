"""The program of formats/consumer_group_member_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Presence, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'consumer_group_member_metadata_value': 4034572670, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_consumer_group_member_metadata_value__classic_protocol = TypeProgram(
    name='consumer_group_member_metadata_value::classic_protocol',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='',
    original_id='ClassicProtocol',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 114, '/types/classic_protocol/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 119, '/types/classic_protocol/seq/1'), value_type=Text()),
        Field('metadata_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 123, '/types/classic_protocol/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('metadata', 'bytes', False, '', 'Metadata', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 128, '/types/classic_protocol/seq/3'), value_type=Bytes()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 131, '/types/classic_protocol/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='metadata_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='metadata_length', rule=Expression('>=', (Expression('name', (), ('metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='metadata', size=Expression('-', (Expression('name', (), ('metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=13,
)
TYPE_consumer_group_member_metadata_value__classic_member_metadata = TypeProgram(
    name='consumer_group_member_metadata_value::classic_member_metadata',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='',
    original_id='ClassicMemberMetadata',
    fields=(
        Field('session_timeout_ms', 'integer', False, '', 'SessionTimeoutMs', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 95, '/types/classic_member_metadata/seq/0'), value_type=Integer(32, True)),
        Field('supported_protocols_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 98, '/types/classic_member_metadata/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('supported_protocols', 'list', False, '', 'SupportedProtocols', None, TYPE_consumer_group_member_metadata_value__classic_protocol, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 103, '/types/classic_member_metadata/seq/2'), value_type=ListOf(Structure('consumer_group_member_metadata_value::classic_protocol'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 108, '/types/classic_member_metadata/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='session_timeout_ms', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='supported_protocols_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='supported_protocols_count', rule=Expression('>=', (Expression('name', (), ('supported_protocols_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='supported_protocols', element=ReadType(name='supported_protocols', type=TYPE_consumer_group_member_metadata_value__classic_protocol), count=Expression('-', (Expression('name', (), ('supported_protocols_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=25,
)
TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_classic_member_metadata_tag = TypeProgram(
    name='consumer_group_member_metadata_value::consumer_group_member_metadata_value_classic_member_metadata_tag',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='',
    original_id='',
    fields=(
        Field('classic_member_metadata_presence', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 158, "/types/'consumer_group_member_metadata_value_classic_member_metadat.../seq/0"), value_type=Integer(32, False), presence=Presence('classic_member_metadata', 1, 0), hidden=True),
        Field('classic_member_metadata', 'structure', True, '', 'ClassicMemberMetadata', None, TYPE_consumer_group_member_metadata_value__classic_member_metadata, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 165, "/types/'consumer_group_member_metadata_value_classic_member_metadat.../seq/1"), value_type=Structure('consumer_group_member_metadata_value::classic_member_metadata')),
    ),
    steps=(
        ReadVarint(name='classic_member_metadata_presence', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadType(name='classic_member_metadata', condition=Expression('>=', (Expression('name', (), ('classic_member_metadata_presence',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), type=TYPE_consumer_group_member_metadata_value__classic_member_metadata),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=27,
)
TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_field = TypeProgram(
    name='consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_field',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 145, '/types/consumer_group_member_metadata_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 147, '/types/consumer_group_member_metadata_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 150, '/types/consumer_group_member_metadata_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_classic_member_metadata_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=33,
)
TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_fields = TypeProgram(
    name='consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_fields',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 136, '/types/consumer_group_member_metadata_value_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_field, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 139, '/types/consumer_group_member_metadata_value_tagged_fields/seq/1'), value_type=ListOf(Structure('consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=36,
)
TYPE_consumer_group_member_metadata_value = TypeProgram(
    name='consumer_group_member_metadata_value',
    digest='96d6a07e2090e3545457b0c1eaf53723517cdec322bfa868336f710c2b024fcf',
    doc='Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a group of\nthe consumer protocol (KIP-848).',
    original_id='ConsumerGroupMemberMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('instance_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('instance_id', 'text', True, '', 'InstanceId', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 27, '/seq/2'), value_type=Text()),
        Field('rack_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 32, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('rack_id', 'text', True, '', 'RackId', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 35, '/seq/4'), value_type=Text()),
        Field('client_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 40, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('client_id', 'text', False, '', 'ClientId', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 45, '/seq/6'), value_type=Text()),
        Field('client_host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 49, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('client_host', 'text', False, '', 'ClientHost', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 54, '/seq/8'), value_type=Text()),
        Field('subscribed_topic_names_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 58, '/seq/9'), value_type=Integer(32, False), hidden=True),
        Field('subscribed_topic_names', 'list', False, '', 'SubscribedTopicNames', None, TYPE_kafka_types__compact_string, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 63, '/seq/10'), value_type=ListOf(Structure('kafka_types::compact_string'))),
        Field('subscribed_topic_regex_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 68, '/seq/11'), value_type=Integer(32, False), hidden=True),
        Field('subscribed_topic_regex', 'text', True, '', 'SubscribedTopicRegex', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 71, '/seq/12'), value_type=Text()),
        Field('rebalance_timeout_ms', 'integer', False, '', 'RebalanceTimeoutMs', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 76, '/seq/13'), value_type=Integer(32, True)),
        Field('server_assignor_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 80, '/seq/14'), value_type=Integer(32, False), hidden=True),
        Field('server_assignor', 'text', True, '', 'ServerAssignor', None, None, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 83, '/seq/15'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_fields, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 88, '/seq/16'), value_type=Structure('consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_fields'), hidden=True),
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
        ReadVarint(name='subscribed_topic_names_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='subscribed_topic_names_count', rule=Expression('>=', (Expression('name', (), ('subscribed_topic_names_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='subscribed_topic_names', element=ReadType(name='subscribed_topic_names', type=TYPE_kafka_types__compact_string, foreign=True), count=Expression('-', (Expression('name', (), ('subscribed_topic_names_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='subscribed_topic_regex_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='subscribed_topic_regex', condition=Expression('>=', (Expression('name', (), ('subscribed_topic_regex_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('subscribed_topic_regex_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='rebalance_timeout_ms', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='server_assignor_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='server_assignor', condition=Expression('>=', (Expression('name', (), ('server_assignor_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('server_assignor_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=62,
    is_root=True,
    tagged=(
        TaggedField(Field('classic_member_metadata', 'structure', True, '', 'ClassicMemberMetadata', None, TYPE_consumer_group_member_metadata_value__classic_member_metadata, None, None, False, Mark('formats/messages/consumer_group_member_metadata_value.ksy', 165, "/types/'consumer_group_member_metadata_value_classic_member_metadat.../seq/1"), value_type=Structure('consumer_group_member_metadata_value::classic_member_metadata')), 0, (('session_timeout_ms', 0), ('supported_protocols', ())), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_classic_member_metadata_tag),
    ),
)
PROGRAM = Program('consumer_group_member_metadata_value', TYPE_consumer_group_member_metadata_value, {'kafka_types::compact_string': TYPE_kafka_types__compact_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'consumer_group_member_metadata_value::classic_protocol': TYPE_consumer_group_member_metadata_value__classic_protocol, 'consumer_group_member_metadata_value::classic_member_metadata': TYPE_consumer_group_member_metadata_value__classic_member_metadata, 'consumer_group_member_metadata_value::consumer_group_member_metadata_value_classic_member_metadata_tag': TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_classic_member_metadata_tag, 'consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_field': TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_field, 'consumer_group_member_metadata_value::consumer_group_member_metadata_value_tagged_fields': TYPE_consumer_group_member_metadata_value__consumer_group_member_metadata_value_tagged_fields, 'consumer_group_member_metadata_value': TYPE_consumer_group_member_metadata_value}, {})
