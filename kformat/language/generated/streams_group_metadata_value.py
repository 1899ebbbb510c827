"""The program of formats/streams_group_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'streams_group_metadata_value': 3658913910, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_streams_group_metadata_value__streams_group_metadata_value_validated_topology_epoch_tag = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_validated_topology_epoch_tag',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('validated_topology_epoch', 'integer', False, '', 'ValidatedTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 85, '/types/streams_group_metadata_value_validated_topology_epoch_tag/seq/0'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='validated_topology_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=1,
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
TYPE_streams_group_metadata_value__last_assignment_config = TypeProgram(
    name='streams_group_metadata_value::last_assignment_config',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='LastAssignmentConfig',
    fields=(
        Field('key_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_metadata_value.ksy', 37, '/types/last_assignment_config/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('key', 'text', False, '', 'Key', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 42, '/types/last_assignment_config/seq/1'), value_type=Text()),
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_metadata_value.ksy', 46, '/types/last_assignment_config/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', False, '', 'Value', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 51, '/types/last_assignment_config/seq/3'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 55, '/types/last_assignment_config/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
TYPE_streams_group_metadata_value__streams_group_metadata_value_last_assignment_configs_tag = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_last_assignment_configs_tag',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('last_assignment_configs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_metadata_value.ksy', 91, '/types/streams_group_metadata_value_last_assignment_configs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('last_assignment_configs', 'list', True, '', 'LastAssignmentConfigs', None, TYPE_streams_group_metadata_value__last_assignment_config, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 94, '/types/streams_group_metadata_value_last_assignment_configs_tag/seq/1'), value_type=ListOf(Structure('streams_group_metadata_value::last_assignment_config'))),
    ),
    steps=(
        ReadVarint(name='last_assignment_configs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='last_assignment_configs', condition=Expression('>=', (Expression('name', (), ('last_assignment_configs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadType(name='last_assignment_configs', type=TYPE_streams_group_metadata_value__last_assignment_config), count=Expression('-', (Expression('name', (), ('last_assignment_configs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=16,
)
TYPE_streams_group_metadata_value__streams_group_metadata_value_stored_description_topology_epoch_tag = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_stored_description_topology_epoch_tag',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('stored_description_topology_epoch', 'integer', False, '', 'StoredDescriptionTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 103, "/types/'streams_group_metadata_value_stored_description_topology_ep.../seq/0"), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='stored_description_topology_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=1,
)
TYPE_streams_group_metadata_value__streams_group_metadata_value_failed_description_topology_epoch_tag = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_failed_description_topology_epoch_tag',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('failed_description_topology_epoch', 'integer', False, '', 'FailedDescriptionTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 109, "/types/'streams_group_metadata_value_failed_description_topology_ep.../seq/0"), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='failed_description_topology_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=1,
)
TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_field = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_tagged_field',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 69, '/types/streams_group_metadata_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_metadata_value.ksy', 71, '/types/streams_group_metadata_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 74, '/types/streams_group_metadata_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_validated_topology_epoch_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_last_assignment_configs_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_stored_description_topology_epoch_tag),)),)), Case(Expression('constant', (), 3, Integer(64, True), 3, 3), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_failed_description_topology_epoch_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=31,
)
TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_fields = TypeProgram(
    name='streams_group_metadata_value::streams_group_metadata_value_tagged_fields',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_metadata_value.ksy', 60, '/types/streams_group_metadata_value_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_field, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 63, '/types/streams_group_metadata_value_tagged_fields/seq/1'), value_type=ListOf(Structure('streams_group_metadata_value::streams_group_metadata_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=34,
)
TYPE_streams_group_metadata_value = TypeProgram(
    name='streams_group_metadata_value',
    digest='4324ab530f15c23e59a24b3854398f508cee2668651e68f67a10ee4d2fd6c8a6',
    doc="Value of a record of `__consumer_offsets`: the group's epoch, which grows with its members and subscriptions, in a\nstreams group (KIP-1071).",
    original_id='StreamsGroupMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('epoch', 'integer', False, '', 'Epoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('metadata_hash', 'integer', False, '', 'MetadataHash', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 27, '/seq/2'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_fields, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 30, '/seq/3'), value_type=Structure('streams_group_metadata_value::streams_group_metadata_value_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='metadata_hash', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=40,
    is_root=True,
    tagged=(
        TaggedField(Field('validated_topology_epoch', 'integer', False, '', 'ValidatedTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 85, '/types/streams_group_metadata_value_validated_topology_epoch_tag/seq/0'), value_type=Integer(32, True)), 0, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_streams_group_metadata_value__streams_group_metadata_value_validated_topology_epoch_tag),
        TaggedField(Field('last_assignment_configs', 'list', True, '', 'LastAssignmentConfigs', None, TYPE_streams_group_metadata_value__last_assignment_config, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 94, '/types/streams_group_metadata_value_last_assignment_configs_tag/seq/1'), value_type=ListOf(Structure('streams_group_metadata_value::last_assignment_config'))), 1, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_streams_group_metadata_value__streams_group_metadata_value_last_assignment_configs_tag),
        TaggedField(Field('stored_description_topology_epoch', 'integer', False, '', 'StoredDescriptionTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 103, "/types/'streams_group_metadata_value_stored_description_topology_ep.../seq/0"), value_type=Integer(32, True)), 2, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_streams_group_metadata_value__streams_group_metadata_value_stored_description_topology_epoch_tag, since='4.4.0'),
        TaggedField(Field('failed_description_topology_epoch', 'integer', False, '', 'FailedDescriptionTopologyEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_metadata_value.ksy', 109, "/types/'streams_group_metadata_value_failed_description_topology_ep.../seq/0"), value_type=Integer(32, True)), 3, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_streams_group_metadata_value__streams_group_metadata_value_failed_description_topology_epoch_tag, since='4.4.0'),
    ),
)
PROGRAM = Program('streams_group_metadata_value', TYPE_streams_group_metadata_value, {'streams_group_metadata_value::streams_group_metadata_value_validated_topology_epoch_tag': TYPE_streams_group_metadata_value__streams_group_metadata_value_validated_topology_epoch_tag, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'streams_group_metadata_value::last_assignment_config': TYPE_streams_group_metadata_value__last_assignment_config, 'streams_group_metadata_value::streams_group_metadata_value_last_assignment_configs_tag': TYPE_streams_group_metadata_value__streams_group_metadata_value_last_assignment_configs_tag, 'streams_group_metadata_value::streams_group_metadata_value_stored_description_topology_epoch_tag': TYPE_streams_group_metadata_value__streams_group_metadata_value_stored_description_topology_epoch_tag, 'streams_group_metadata_value::streams_group_metadata_value_failed_description_topology_epoch_tag': TYPE_streams_group_metadata_value__streams_group_metadata_value_failed_description_topology_epoch_tag, 'streams_group_metadata_value::streams_group_metadata_value_tagged_field': TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_field, 'streams_group_metadata_value::streams_group_metadata_value_tagged_fields': TYPE_streams_group_metadata_value__streams_group_metadata_value_tagged_fields, 'streams_group_metadata_value': TYPE_streams_group_metadata_value}, {})
