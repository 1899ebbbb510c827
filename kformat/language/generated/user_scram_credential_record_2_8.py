"""The program of formats/user_scram_credential_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'user_scram_credential_record_2_8': 3386956078, 'varint': 752136197}
ENUM_user_scram_credential_record_2_8__scram_mechanism = Enum(
    name='user_scram_credential_record_2_8::scram_mechanism',
    members={0: 'unknown', 1: 'scram_sha_256', 2: 'scram_sha_512'},
    original_ids={},
    docs={},
)
TYPE_user_scram_credential_record_2_8__credential_info = TypeProgram(
    name='user_scram_credential_record_2_8::credential_info',
    digest='e5359e5f3216af4b19579e959d19311dc47d3d077e184b32097238b5c76b6e26',
    doc='',
    original_id='CredentialInfo',
    fields=(
        Field('mechanism', 'integer', False, '', 'Mechanism', ENUM_user_scram_credential_record_2_8__scram_mechanism, None, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 54, '/types/credential_info/seq/0'), value_type=EnumType('user_scram_credential_record_2_8::scram_mechanism')),
        Field('salt_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 58, '/types/credential_info/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('salt', 'bytes', False, '', 'Salt', None, None, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 63, '/types/credential_info/seq/2'), value_type=Bytes()),
        Field('salted_password_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 66, '/types/credential_info/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('salted_password', 'bytes', False, '', 'SaltedPassword', None, None, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 71, '/types/credential_info/seq/4'), value_type=Bytes()),
        Field('iterations', 'integer', False, '', 'Iterations', None, None, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 74, '/types/credential_info/seq/5'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='mechanism', kind=Integer(8, True), little_endian=False, enum=ENUM_user_scram_credential_record_2_8__scram_mechanism),
        ReadInteger(name='salt_length', kind=Integer(32, True), little_endian=False),
        Check(name='salt_length', rule=Expression('>=', (Expression('name', (), ('salt_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='salt', size=Expression('name', (), ('salt_length',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='salted_password_length', kind=Integer(32, True), little_endian=False),
        Check(name='salted_password_length', rule=Expression('>=', (Expression('name', (), ('salted_password_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='salted_password', size=Expression('name', (), ('salted_password_length',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='iterations', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=8,
)
TYPE_user_scram_credential_record_2_8 = TypeProgram(
    name='user_scram_credential_record_2_8',
    digest='e5359e5f3216af4b19579e959d19311dc47d3d077e184b32097238b5c76b6e26',
    doc="Metadata: what a user's password is checked with.",
    original_id='UserScramCredentialRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 11, Integer(64, True), 11, 11), None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 36, '/seq/4'), value_type=Text()),
        Field('credential_infos_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 40, '/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('credential_infos', 'list', False, '', 'CredentialInfos', None, TYPE_user_scram_credential_record_2_8__credential_info, None, None, False, Mark('formats/messages/user_scram_credential_record_2_8.ksy', 45, '/seq/6'), value_type=ListOf(Structure('user_scram_credential_record_2_8::credential_info'))),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), expected='11'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='credential_infos_count', kind=Integer(32, True), little_endian=False),
        Check(name='credential_infos_count', rule=Expression('>=', (Expression('name', (), ('credential_infos_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='credential_infos', element=ReadType(name='credential_infos', type=TYPE_user_scram_credential_record_2_8__credential_info), count=Expression('name', (), ('credential_infos_count',), Integer(32, True), 0, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=21,
    is_root=True,
)
PROGRAM = Program('user_scram_credential_record_2_8', TYPE_user_scram_credential_record_2_8, {'user_scram_credential_record_2_8::credential_info': TYPE_user_scram_credential_record_2_8__credential_info, 'user_scram_credential_record_2_8': TYPE_user_scram_credential_record_2_8}, {'user_scram_credential_record_2_8::scram_mechanism': ENUM_user_scram_credential_record_2_8__scram_mechanism})
