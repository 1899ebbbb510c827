"""The program of formats/api_versions_response.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'api_versions_response': 4059538824, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_api_versions_response__api_version = TypeProgram(
    name='api_versions_response::api_version',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='ApiVersion',
    fields=(
        Field('api_key', 'integer', False, '', 'ApiKey', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 53, '/types/api_version/seq/0'), value_type=Integer(16, True)),
        Field('min_version', 'integer', False, '', 'MinVersion', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 56, '/types/api_version/seq/1'), value_type=Integer(16, True)),
        Field('max_version', 'integer', False, '', 'MaxVersion', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 59, '/types/api_version/seq/2'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/api_versions_response.ksy', 62, '/types/api_version/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='api_key', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='min_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=10,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_api_versions_response__supported_feature_key = TypeProgram(
    name='api_versions_response::supported_feature_key',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='SupportedFeatureKey',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 69, '/types/supported_feature_key/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 74, '/types/supported_feature_key/seq/1'), value_type=Text()),
        Field('min_version', 'integer', False, '', 'MinVersion', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 78, '/types/supported_feature_key/seq/2'), value_type=Integer(16, True)),
        Field('max_version', 'integer', False, '', 'MaxVersion', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 81, '/types/supported_feature_key/seq/3'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/api_versions_response.ksy', 84, '/types/supported_feature_key/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='min_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=12,
)
TYPE_api_versions_response__api_versions_response_supported_features_tag = TypeProgram(
    name='api_versions_response::api_versions_response_supported_features_tag',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('supported_features_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 135, '/types/api_versions_response_supported_features_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('supported_features', 'list', False, '', 'SupportedFeatures', None, TYPE_api_versions_response__supported_feature_key, None, None, False, Mark('formats/messages/api_versions_response.ksy', 140, '/types/api_versions_response_supported_features_tag/seq/1'), value_type=ListOf(Structure('api_versions_response::supported_feature_key'))),
    ),
    steps=(
        ReadVarint(name='supported_features_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='supported_features_count', rule=Expression('>=', (Expression('name', (), ('supported_features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='supported_features', element=ReadType(name='supported_features', type=TYPE_api_versions_response__supported_feature_key), count=Expression('-', (Expression('name', (), ('supported_features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=16,
)
TYPE_api_versions_response__api_versions_response_finalized_features_epoch_tag = TypeProgram(
    name='api_versions_response::api_versions_response_finalized_features_epoch_tag',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('finalized_features_epoch', 'integer', False, '', 'FinalizedFeaturesEpoch', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 148, '/types/api_versions_response_finalized_features_epoch_tag/seq/0'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='finalized_features_epoch', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
TYPE_api_versions_response__finalized_feature_key = TypeProgram(
    name='api_versions_response::finalized_feature_key',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='FinalizedFeatureKey',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 90, '/types/finalized_feature_key/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 95, '/types/finalized_feature_key/seq/1'), value_type=Text()),
        Field('max_version_level', 'integer', False, '', 'MaxVersionLevel', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 99, '/types/finalized_feature_key/seq/2'), value_type=Integer(16, True)),
        Field('min_version_level', 'integer', False, '', 'MinVersionLevel', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 102, '/types/finalized_feature_key/seq/3'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/api_versions_response.ksy', 105, '/types/finalized_feature_key/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='max_version_level', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='min_version_level', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=12,
)
TYPE_api_versions_response__api_versions_response_finalized_features_tag = TypeProgram(
    name='api_versions_response::api_versions_response_finalized_features_tag',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('finalized_features_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 154, '/types/api_versions_response_finalized_features_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('finalized_features', 'list', False, '', 'FinalizedFeatures', None, TYPE_api_versions_response__finalized_feature_key, None, None, False, Mark('formats/messages/api_versions_response.ksy', 159, '/types/api_versions_response_finalized_features_tag/seq/1'), value_type=ListOf(Structure('api_versions_response::finalized_feature_key'))),
    ),
    steps=(
        ReadVarint(name='finalized_features_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='finalized_features_count', rule=Expression('>=', (Expression('name', (), ('finalized_features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='finalized_features', element=ReadType(name='finalized_features', type=TYPE_api_versions_response__finalized_feature_key), count=Expression('-', (Expression('name', (), ('finalized_features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=16,
)
TYPE_api_versions_response__api_versions_response_zk_migration_ready_tag = TypeProgram(
    name='api_versions_response::api_versions_response_zk_migration_ready_tag',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('zk_migration_ready', 'integer', False, '', 'ZkMigrationReady', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 167, '/types/api_versions_response_zk_migration_ready_tag/seq/0'), value_type=Integer(8, True), logical=LogicalType('bool')),
    ),
    steps=(
        ReadInteger(name='zk_migration_ready', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_api_versions_response__api_versions_response_tagged_field = TypeProgram(
    name='api_versions_response::api_versions_response_tagged_field',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 119, '/types/api_versions_response_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 121, '/types/api_versions_response_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 124, '/types/api_versions_response_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_api_versions_response__api_versions_response_supported_features_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_api_versions_response__api_versions_response_finalized_features_epoch_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_api_versions_response__api_versions_response_finalized_features_tag),)),)), Case(Expression('constant', (), 3, Integer(64, True), 3, 3), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_api_versions_response__api_versions_response_zk_migration_ready_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=46,
)
TYPE_api_versions_response__api_versions_response_tagged_fields = TypeProgram(
    name='api_versions_response::api_versions_response_tagged_fields',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 110, '/types/api_versions_response_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_api_versions_response__api_versions_response_tagged_field, None, None, False, Mark('formats/messages/api_versions_response.ksy', 113, '/types/api_versions_response_tagged_fields/seq/1'), value_type=ListOf(Structure('api_versions_response::api_versions_response_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_api_versions_response__api_versions_response_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=49,
)
TYPE_api_versions_response = TypeProgram(
    name='api_versions_response',
    digest='ac3b965fd8e6dca8826b1126c5fa1c2d6488f4c950a88e360f9d42fc899b60af',
    doc='',
    original_id='ApiVersionsResponse',
    fields=(
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('api_keys_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 21, '/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('compact_api_keys_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/api_versions_response.ksy', 27, '/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('api_keys', 'list', False, '', 'ApiKeys', None, TYPE_api_versions_response__api_version, None, None, False, Mark('formats/messages/api_versions_response.ksy', 33, '/seq/3'), value_type=ListOf(Structure('api_versions_response::api_version'))),
        Field('throttle_time_ms', 'integer', True, '', 'ThrottleTimeMs', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 38, '/seq/4'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_api_versions_response__api_versions_response_tagged_fields, None, None, False, Mark('formats/messages/api_versions_response.ksy', 42, '/seq/5'), value_type=Structure('api_versions_response::api_versions_response_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='api_keys_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='api_keys_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('api_keys_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_api_keys_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_api_keys_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_api_keys_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='api_keys', element=ReadType(name='api_keys', type=TYPE_api_versions_response__api_version, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_api_keys_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('api_keys_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='throttle_time_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), type=TYPE_api_versions_response__api_versions_response_tagged_fields),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=68,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
    tagged=(
        TaggedField(Field('supported_features', 'list', False, '', 'SupportedFeatures', None, TYPE_api_versions_response__supported_feature_key, None, None, False, Mark('formats/messages/api_versions_response.ksy', 140, '/types/api_versions_response_supported_features_tag/seq/1'), value_type=ListOf(Structure('api_versions_response::supported_feature_key'))), 0, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_api_versions_response__api_versions_response_supported_features_tag),
        TaggedField(Field('finalized_features_epoch', 'integer', False, '', 'FinalizedFeaturesEpoch', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 148, '/types/api_versions_response_finalized_features_epoch_tag/seq/0'), value_type=Integer(64, True)), 1, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_api_versions_response__api_versions_response_finalized_features_epoch_tag),
        TaggedField(Field('finalized_features', 'list', False, '', 'FinalizedFeatures', None, TYPE_api_versions_response__finalized_feature_key, None, None, False, Mark('formats/messages/api_versions_response.ksy', 159, '/types/api_versions_response_finalized_features_tag/seq/1'), value_type=ListOf(Structure('api_versions_response::finalized_feature_key'))), 2, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_api_versions_response__api_versions_response_finalized_features_tag),
        TaggedField(Field('zk_migration_ready', 'integer', False, '', 'ZkMigrationReady', None, None, None, None, False, Mark('formats/messages/api_versions_response.ksy', 167, '/types/api_versions_response_zk_migration_ready_tag/seq/0'), value_type=Integer(8, True), logical=LogicalType('bool')), 3, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_api_versions_response__api_versions_response_zk_migration_ready_tag, since='3.9.2'),
    ),
)
PROGRAM = Program('api_versions_response', TYPE_api_versions_response, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'api_versions_response::api_version': TYPE_api_versions_response__api_version, 'api_versions_response::supported_feature_key': TYPE_api_versions_response__supported_feature_key, 'api_versions_response::api_versions_response_supported_features_tag': TYPE_api_versions_response__api_versions_response_supported_features_tag, 'api_versions_response::api_versions_response_finalized_features_epoch_tag': TYPE_api_versions_response__api_versions_response_finalized_features_epoch_tag, 'api_versions_response::finalized_feature_key': TYPE_api_versions_response__finalized_feature_key, 'api_versions_response::api_versions_response_finalized_features_tag': TYPE_api_versions_response__api_versions_response_finalized_features_tag, 'api_versions_response::api_versions_response_zk_migration_ready_tag': TYPE_api_versions_response__api_versions_response_zk_migration_ready_tag, 'api_versions_response::api_versions_response_tagged_field': TYPE_api_versions_response__api_versions_response_tagged_field, 'api_versions_response::api_versions_response_tagged_fields': TYPE_api_versions_response__api_versions_response_tagged_fields, 'api_versions_response': TYPE_api_versions_response}, {})
