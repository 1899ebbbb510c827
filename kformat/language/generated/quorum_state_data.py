"""The program of formats/quorum_state_data.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'quorum_state_data': 952678579, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_quorum_state_data__voter = TypeProgram(
    name='quorum_state_data::voter',
    digest='fbaab07a42aaa7197c90218904c27ad5a8d164e7abf909e98440201bb767c469',
    doc='',
    original_id='Voter',
    fields=(
        Field('voter_id', 'integer', False, '', 'VoterId', None, None, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 72, '/types/voter/seq/0'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 75, '/types/voter/seq/1'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='voter_id', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=8,
)
TYPE_quorum_state_data = TypeProgram(
    name='quorum_state_data',
    digest='fbaab07a42aaa7197c90218904c27ad5a8d164e7abf909e98440201bb767c469',
    doc='What a node has voted for; the file `quorum-state` has it as JSON.',
    original_id='QuorumStateData',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/quorum_state_data.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('cluster_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/quorum_state_data.ksy', 23, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('cluster_id', 'text', True, '', 'ClusterId', None, None, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 29, '/seq/2'), value_type=Text()),
        Field('leader_id', 'integer', False, '', 'LeaderId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/quorum_state_data.ksy', 34, '/seq/3'), value_type=Integer(32, True)),
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/quorum_state_data.ksy', 38, '/seq/4'), value_type=Integer(32, True)),
        Field('voted_id', 'integer', False, '', 'VotedId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/quorum_state_data.ksy', 42, '/seq/5'), value_type=Integer(32, True)),
        Field('voted_directory_id', 'bytes', True, '', 'VotedDirectoryId', None, None, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 46, '/seq/6'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('applied_offset', 'integer', True, '', 'AppliedOffset', None, None, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 51, '/seq/7'), value_type=Integer(64, True)),
        Field('current_voters_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/quorum_state_data.ksy', 55, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('current_voters', 'list', True, '', 'CurrentVoters', None, TYPE_quorum_state_data__voter, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 59, '/seq/9'), value_type=ListOf(Structure('quorum_state_data::voter'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/quorum_state_data.ksy', 65, '/seq/10'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='<= 1'),
        ReadVarint(name='cluster_id_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='cluster_id_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('cluster_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='cluster_id', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('cluster_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='leader_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='voted_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='voted_directory_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='applied_offset', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadVarint(name='current_voters_count', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='current_voters', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), 0, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('current_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), element=ReadType(name='current_voters', type=TYPE_quorum_state_data__voter), count=Expression('-', (Expression('name', (), ('current_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=29,
    is_root=True,
)
PROGRAM = Program('quorum_state_data', TYPE_quorum_state_data, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'quorum_state_data::voter': TYPE_quorum_state_data__voter, 'quorum_state_data': TYPE_quorum_state_data}, {})
