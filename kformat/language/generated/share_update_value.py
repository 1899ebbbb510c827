"""The program of formats/share_update_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'share_update_value': 1960608405, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_share_update_value__state_batch = TypeProgram(
    name='share_update_value::state_batch',
    digest='76d778df199d070b8db3010f090a994f40b89288553a3973e4f0e239d9a71071',
    doc='',
    original_id='StateBatch',
    fields=(
        Field('first_offset', 'integer', False, '', 'FirstOffset', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 49, '/types/state_batch/seq/0'), value_type=Integer(64, True)),
        Field('last_offset', 'integer', False, '', 'LastOffset', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 52, '/types/state_batch/seq/1'), value_type=Integer(64, True)),
        Field('delivery_state', 'integer', False, '', 'DeliveryState', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 55, '/types/state_batch/seq/2'), value_type=Integer(8, True)),
        Field('delivery_count', 'integer', False, '', 'DeliveryCount', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 58, '/types/state_batch/seq/3'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_update_value.ksy', 61, '/types/state_batch/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='first_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='last_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='delivery_state', kind=Integer(8, True), little_endian=False),
        ReadInteger(name='delivery_count', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=20,
    steps_count=11,
)
TYPE_share_update_value__share_update_value_delivery_complete_count_tag = TypeProgram(
    name='share_update_value::share_update_value_delivery_complete_count_tag',
    digest='76d778df199d070b8db3010f090a994f40b89288553a3973e4f0e239d9a71071',
    doc='',
    original_id='',
    fields=(
        Field('delivery_complete_count', 'integer', False, '', 'DeliveryCompleteCount', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 88, '/types/share_update_value_delivery_complete_count_tag/seq/0'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='delivery_complete_count', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=1,
)
TYPE_share_update_value__share_update_value_tagged_field = TypeProgram(
    name='share_update_value::share_update_value_tagged_field',
    digest='76d778df199d070b8db3010f090a994f40b89288553a3973e4f0e239d9a71071',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 75, '/types/share_update_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_update_value.ksy', 77, '/types/share_update_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 80, '/types/share_update_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_share_update_value__share_update_value_delivery_complete_count_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=7,
)
TYPE_share_update_value__share_update_value_tagged_fields = TypeProgram(
    name='share_update_value::share_update_value_tagged_fields',
    digest='76d778df199d070b8db3010f090a994f40b89288553a3973e4f0e239d9a71071',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_update_value.ksy', 66, '/types/share_update_value_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_share_update_value__share_update_value_tagged_field, None, None, False, Mark('formats/messages/share_update_value.ksy', 69, '/types/share_update_value_tagged_fields/seq/1'), value_type=ListOf(Structure('share_update_value::share_update_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_share_update_value__share_update_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=10,
)
TYPE_share_update_value = TypeProgram(
    name='share_update_value',
    digest='76d778df199d070b8db3010f090a994f40b89288553a3973e4f0e239d9a71071',
    doc='Value of a record of `__share_group_state`: what has changed since the latest whole state.',
    original_id='ShareUpdateValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/share_update_value.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('snapshot_epoch', 'integer', False, '', 'SnapshotEpoch', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 23, '/seq/1'), value_type=Integer(32, True)),
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 26, '/seq/2'), value_type=Integer(32, True)),
        Field('start_offset', 'integer', False, '', 'StartOffset', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 29, '/seq/3'), value_type=Integer(64, True)),
        Field('state_batches_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_update_value.ksy', 32, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('state_batches', 'list', False, '', 'StateBatches', None, TYPE_share_update_value__state_batch, None, None, False, Mark('formats/messages/share_update_value.ksy', 37, '/seq/5'), value_type=ListOf(Structure('share_update_value::state_batch'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_share_update_value__share_update_value_tagged_fields, None, None, False, Mark('formats/messages/share_update_value.ksy', 42, '/seq/6'), value_type=Structure('share_update_value::share_update_value_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='snapshot_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='start_offset', kind=Integer(64, True), little_endian=False),
        ReadVarint(name='state_batches_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='state_batches_count', rule=Expression('>=', (Expression('name', (), ('state_batches_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='state_batches', element=ReadType(name='state_batches', type=TYPE_share_update_value__state_batch), count=Expression('-', (Expression('name', (), ('state_batches_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_share_update_value__share_update_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=20,
    steps_count=32,
    is_root=True,
    tagged=(
        TaggedField(Field('delivery_complete_count', 'integer', False, '', 'DeliveryCompleteCount', None, None, None, None, False, Mark('formats/messages/share_update_value.ksy', 88, '/types/share_update_value_delivery_complete_count_tag/seq/0'), value_type=Integer(32, True)), 0, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_share_update_value__share_update_value_delivery_complete_count_tag, 'state_batches'),
    ),
)
PROGRAM = Program('share_update_value', TYPE_share_update_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'share_update_value::state_batch': TYPE_share_update_value__state_batch, 'share_update_value::share_update_value_delivery_complete_count_tag': TYPE_share_update_value__share_update_value_delivery_complete_count_tag, 'share_update_value::share_update_value_tagged_field': TYPE_share_update_value__share_update_value_tagged_field, 'share_update_value::share_update_value_tagged_fields': TYPE_share_update_value__share_update_value_tagged_fields, 'share_update_value': TYPE_share_update_value}, {})
