"""The program of formats/voters_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'voters_record': 3133251300, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_voters_record__endpoint = TypeProgram(
    name='voters_record::endpoint',
    digest='e2fc8b85c52c4bc078256b48596140e4638011383d594772dc7124a255a33db5',
    doc='',
    original_id='Endpoint',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/voters_record.ksy', 64, '/types/endpoint/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 69, '/types/endpoint/seq/1'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/voters_record.ksy', 73, '/types/endpoint/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 78, '/types/endpoint/seq/3'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 82, '/types/endpoint/seq/4'), value_type=Integer(16, False)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/voters_record.ksy', 85, '/types/endpoint/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
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
    minimum_size=5,
    steps_count=14,
)
TYPE_voters_record__kraft_version_feature = TypeProgram(
    name='voters_record::kraft_version_feature',
    digest='e2fc8b85c52c4bc078256b48596140e4638011383d594772dc7124a255a33db5',
    doc='',
    original_id='KRaftVersionFeature',
    fields=(
        Field('min_supported_version', 'integer', False, '', 'MinSupportedVersion', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 91, '/types/kraft_version_feature/seq/0'), value_type=Integer(16, True)),
        Field('max_supported_version', 'integer', False, '', 'MaxSupportedVersion', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 94, '/types/kraft_version_feature/seq/1'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/voters_record.ksy', 97, '/types/kraft_version_feature/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='min_supported_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_supported_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=9,
)
TYPE_voters_record__voter = TypeProgram(
    name='voters_record::voter',
    digest='e2fc8b85c52c4bc078256b48596140e4638011383d594772dc7124a255a33db5',
    doc='',
    original_id='Voter',
    fields=(
        Field('voter_id', 'integer', False, '', 'VoterId', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 38, '/types/voter/seq/0'), value_type=Integer(32, True)),
        Field('voter_directory_id', 'bytes', False, '', 'VoterDirectoryId', None, None, None, None, False, Mark('formats/messages/voters_record.ksy', 41, '/types/voter/seq/1'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('endpoints_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/voters_record.ksy', 45, '/types/voter/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('endpoints', 'list', False, '', 'Endpoints', None, TYPE_voters_record__endpoint, None, None, False, Mark('formats/messages/voters_record.ksy', 50, '/types/voter/seq/3'), value_type=ListOf(Structure('voters_record::endpoint'))),
        Field('kraft_version_feature', 'structure', False, '', 'KRaftVersionFeature', None, TYPE_voters_record__kraft_version_feature, None, None, False, Mark('formats/messages/voters_record.ksy', 55, '/types/voter/seq/4'), value_type=Structure('voters_record::kraft_version_feature')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/voters_record.ksy', 58, '/types/voter/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='voter_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='voter_directory_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='endpoints_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='endpoints_count', rule=Expression('>=', (Expression('name', (), ('endpoints_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='endpoints', element=ReadType(name='endpoints', type=TYPE_voters_record__endpoint), count=Expression('-', (Expression('name', (), ('endpoints_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='kraft_version_feature', type=TYPE_voters_record__kraft_version_feature),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=27,
    steps_count=37,
)
TYPE_voters_record = TypeProgram(
    name='voters_record',
    digest='e2fc8b85c52c4bc078256b48596140e4638011383d594772dc7124a255a33db5',
    doc='Value of the control record `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).',
    original_id='VotersRecord',
    fields=(
        Field('version', 'integer', False, '', 'Version', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/voters_record.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('voters_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/voters_record.ksy', 21, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('voters', 'list', False, '', 'Voters', None, TYPE_voters_record__voter, None, None, False, Mark('formats/messages/voters_record.ksy', 26, '/seq/2'), value_type=ListOf(Structure('voters_record::voter'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/voters_record.ksy', 31, '/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        ReadVarint(name='voters_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='voters_count', rule=Expression('>=', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='voters', element=ReadType(name='voters', type=TYPE_voters_record__voter), count=Expression('-', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=49,
    is_root=True,
)
PROGRAM = Program('voters_record', TYPE_voters_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'voters_record::endpoint': TYPE_voters_record__endpoint, 'voters_record::kraft_version_feature': TYPE_voters_record__kraft_version_feature, 'voters_record::voter': TYPE_voters_record__voter, 'voters_record': TYPE_voters_record}, {})
