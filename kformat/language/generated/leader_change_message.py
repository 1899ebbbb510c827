"""The program of formats/leader_change_message.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'leader_change_message': 1125807077, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_leader_change_message__voter = TypeProgram(
    name='leader_change_message::voter',
    digest='23001d5141105510e08a6cf7e4f28981dc2a1500dfbe981539cacb5390d74a7b',
    doc='',
    original_id='Voter',
    fields=(
        Field('voter_id', 'integer', False, '', 'VoterId', None, None, None, None, False, Mark('formats/messages/leader_change_message.ksy', 57, '/types/voter/seq/0'), value_type=Integer(32, True)),
        Field('voter_directory_id', 'bytes', True, '', 'VoterDirectoryId', None, None, None, None, False, Mark('formats/messages/leader_change_message.ksy', 60, '/types/voter/seq/1'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/leader_change_message.ksy', 65, '/types/voter/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='voter_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='voter_directory_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=9,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_leader_change_message = TypeProgram(
    name='leader_change_message',
    digest='23001d5141105510e08a6cf7e4f28981dc2a1500dfbe981539cacb5390d74a7b',
    doc='Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since\n2.7). Brokers up to 4.4.0 write version 0.',
    original_id='LeaderChangeMessage',
    fields=(
        Field('version', 'integer', False, '', 'Version', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/leader_change_message.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('leader_id', 'integer', False, '', 'LeaderId', None, None, None, None, False, Mark('formats/messages/leader_change_message.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('voters_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/leader_change_message.ksy', 27, '/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('voters', 'list', False, '', 'Voters', None, TYPE_leader_change_message__voter, None, None, False, Mark('formats/messages/leader_change_message.ksy', 32, '/seq/3'), value_type=ListOf(Structure('leader_change_message::voter'))),
        Field('granting_voters_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/leader_change_message.ksy', 37, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('granting_voters', 'list', False, '', 'GrantingVoters', None, TYPE_leader_change_message__voter, None, None, False, Mark('formats/messages/leader_change_message.ksy', 42, '/seq/5'), value_type=ListOf(Structure('leader_change_message::voter'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/leader_change_message.ksy', 47, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='leader_id', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='voters_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='voters_count', rule=Expression('>=', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='voters', element=ReadType(name='voters', type=TYPE_leader_change_message__voter, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), 0, 32767)),)), count=Expression('-', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='granting_voters_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='granting_voters_count', rule=Expression('>=', (Expression('name', (), ('granting_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='granting_voters', element=ReadType(name='granting_voters', type=TYPE_leader_change_message__voter, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), 0, 32767)),)), count=Expression('-', (Expression('name', (), ('granting_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=36,
    is_root=True,
)
PROGRAM = Program('leader_change_message', TYPE_leader_change_message, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'leader_change_message::voter': TYPE_leader_change_message__voter, 'leader_change_message': TYPE_leader_change_message}, {})
