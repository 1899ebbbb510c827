"""The program of formats/leader_change_message_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'leader_change_message_2_8': 471084814, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_leader_change_message_2_8__voter = TypeProgram(
    name='leader_change_message_2_8::voter',
    digest='6c89bc2b8ea17b0955d9385fbbed844caf0e6f0657451d4c159f2ed716cd6d1a',
    doc='',
    original_id='Voter',
    fields=(
        Field('voter_id', 'integer', False, '', 'VoterId', None, None, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 54, '/types/voter/seq/0'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 57, '/types/voter/seq/1'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
TYPE_leader_change_message_2_8 = TypeProgram(
    name='leader_change_message_2_8',
    digest='6c89bc2b8ea17b0955d9385fbbed844caf0e6f0657451d4c159f2ed716cd6d1a',
    doc='Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since\n2.7). Brokers up to 4.4.0 write version 0.',
    original_id='LeaderChangeMessage',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('leader_id', 'integer', False, '', 'LeaderId', None, None, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('voters_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/leader_change_message_2_8.ksy', 27, '/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('voters', 'list', False, '', 'Voters', None, TYPE_leader_change_message_2_8__voter, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 32, '/seq/3'), value_type=ListOf(Structure('leader_change_message_2_8::voter'))),
        Field('granting_voters_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/leader_change_message_2_8.ksy', 37, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('granting_voters', 'list', False, '', 'GrantingVoters', None, TYPE_leader_change_message_2_8__voter, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 42, '/seq/5'), value_type=ListOf(Structure('leader_change_message_2_8::voter'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/leader_change_message_2_8.ksy', 47, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='leader_id', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='voters_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='voters_count', rule=Expression('>=', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='voters', element=ReadType(name='voters', type=TYPE_leader_change_message_2_8__voter), count=Expression('-', (Expression('name', (), ('voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='granting_voters_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='granting_voters_count', rule=Expression('>=', (Expression('name', (), ('granting_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='granting_voters', element=ReadType(name='granting_voters', type=TYPE_leader_change_message_2_8__voter), count=Expression('-', (Expression('name', (), ('granting_voters_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=35,
    is_root=True,
)
PROGRAM = Program('leader_change_message_2_8', TYPE_leader_change_message_2_8, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'leader_change_message_2_8::voter': TYPE_leader_change_message_2_8__voter, 'leader_change_message_2_8': TYPE_leader_change_message_2_8}, {})
