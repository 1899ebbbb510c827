"""The program of formats/share_group_partition_metadata_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'share_group_partition_metadata_key': 1681389011}
TYPE_share_group_partition_metadata_key = TypeProgram(
    name='share_group_partition_metadata_key',
    digest='be086233f0e3f3ba9e4fe9d8abd91a3a1a9cae53fc395dbb97b2718521a9aa83',
    doc='Key of a record of `__consumer_offsets`: the partitions that it reads, in a share group (KIP-932).',
    original_id='ShareGroupPartitionMetadataKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 9, Integer(64, True), 9, 9), None, False, Mark('formats/messages/share_group_partition_metadata_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_key.ksy', 23, '/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), expected='9'),
        ReadInteger(name='group_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group_id', size=Expression('name', (), ('group_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=5,
    is_root=True,
)
PROGRAM = Program('share_group_partition_metadata_key', TYPE_share_group_partition_metadata_key, {'share_group_partition_metadata_key': TYPE_share_group_partition_metadata_key}, {})
