"""The program of formats/feature_level_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'feature_level_record_2_8': 547382773, 'varint': 752136197}
TYPE_feature_level_record_2_8 = TypeProgram(
    name='feature_level_record_2_8',
    digest='8c704c42c0c18fdfb423900c175778454ea7f82b3c03ed75bc8db42482006530',
    doc='Metadata: the level of a feature; `metadata.version` decides which records there are.',
    original_id='FeatureLevelRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 12, Integer(64, True), 12, 12), None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/feature_level_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 36, '/seq/4'), value_type=Text()),
        Field('min_feature_level', 'integer', False, '', 'MinFeatureLevel', None, None, None, None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 40, '/seq/5'), value_type=Integer(16, True)),
        Field('max_feature_level', 'integer', False, '', 'MaxFeatureLevel', None, None, None, None, False, Mark('formats/messages/feature_level_record_2_8.ksy', 43, '/seq/6'), value_type=Integer(16, True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), expected='12'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='min_feature_level', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_feature_level', kind=Integer(16, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=11,
    is_root=True,
)
PROGRAM = Program('feature_level_record_2_8', TYPE_feature_level_record_2_8, {'feature_level_record_2_8': TYPE_feature_level_record_2_8}, {})
