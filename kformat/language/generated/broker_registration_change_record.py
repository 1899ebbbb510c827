"""The program of formats/broker_registration_change_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'broker_registration_change_record': 261266676, 'varint': 752136197}
TYPE_broker_registration_change_record__broker_registration_change_record_fenced_tag = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_fenced_tag',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('fenced', 'integer', False, '', 'Fenced', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 74, '/types/broker_registration_change_record_fenced_tag/seq/0'), value_type=Integer(8, True)),
    ),
    steps=(
        ReadInteger(name='fenced', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_broker_registration_change_record__broker_registration_change_record_in_controlled_shutdown_tag = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_in_controlled_shutdown_tag',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('in_controlled_shutdown', 'integer', False, '', 'InControlledShutdown', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 80, '/types/broker_registration_change_record_in_controlled_shutdown_tag/seq/0'), value_type=Integer(8, True)),
    ),
    steps=(
        ReadInteger(name='in_controlled_shutdown', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_broker_registration_change_record__broker_registration_change_record_log_dirs_tag = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_log_dirs_tag',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('log_dirs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/broker_registration_change_record.ksy', 86, '/types/broker_registration_change_record_log_dirs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('log_dirs', 'list', False, '', 'LogDirs', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 91, '/types/broker_registration_change_record_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='log_dirs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='log_dirs_count', rule=Expression('>=', (Expression('name', (), ('log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='log_dirs', element=ReadBytes(name='log_dirs', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=4,
)
TYPE_broker_registration_change_record__broker_registration_change_record_cordoned_log_dirs_tag = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_cordoned_log_dirs_tag',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('cordoned_log_dirs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/broker_registration_change_record.ksy', 100, '/types/broker_registration_change_record_cordoned_log_dirs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('cordoned_log_dirs', 'list', True, '', 'CordonedLogDirs', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 103, '/types/broker_registration_change_record_cordoned_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='cordoned_log_dirs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='cordoned_log_dirs', condition=Expression('>=', (Expression('name', (), ('cordoned_log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadBytes(name='cordoned_log_dirs', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('cordoned_log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_broker_registration_change_record__broker_registration_change_record_tagged_field = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_tagged_field',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 58, '/types/broker_registration_change_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/broker_registration_change_record.ksy', 60, '/types/broker_registration_change_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 63, '/types/broker_registration_change_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('or', (Expression('or', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_broker_registration_change_record__broker_registration_change_record_fenced_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_broker_registration_change_record__broker_registration_change_record_in_controlled_shutdown_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_broker_registration_change_record__broker_registration_change_record_log_dirs_tag),)),)), Case(Expression('constant', (), 3, Integer(64, True), 3, 3), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_broker_registration_change_record__broker_registration_change_record_cordoned_log_dirs_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=21,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_broker_registration_change_record__broker_registration_change_record_tagged_fields = TypeProgram(
    name='broker_registration_change_record::broker_registration_change_record_tagged_fields',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/broker_registration_change_record.ksy', 46, '/types/broker_registration_change_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_broker_registration_change_record__broker_registration_change_record_tagged_field, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 49, '/types/broker_registration_change_record_tagged_fields/seq/1'), value_type=ListOf(Structure('broker_registration_change_record::broker_registration_change_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_broker_registration_change_record__broker_registration_change_record_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=24,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_broker_registration_change_record = TypeProgram(
    name='broker_registration_change_record',
    digest='025909e5d181af50f699e3b1be0189dbb5cba7367e8bdc306213434ec36ddbcd',
    doc='Metadata: a broker was fenced or unfenced, or has other directories.',
    original_id='BrokerRegistrationChangeRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/broker_registration_change_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 17, Integer(64, True), 17, 17), None, False, Mark('formats/messages/broker_registration_change_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/broker_registration_change_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('broker_epoch', 'integer', False, '', 'BrokerEpoch', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 34, '/seq/4'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_broker_registration_change_record__broker_registration_change_record_tagged_fields, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 37, '/seq/5'), value_type=Structure('broker_registration_change_record::broker_registration_change_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 17, Integer(64, True), 17, 17)), None, Boolean(), 0, 1), expected='17'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='<= 3'),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='broker_epoch', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_broker_registration_change_record__broker_registration_change_record_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(32, False), 0, 4294967295)),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=16,
    steps_count=33,
    is_root=True,
    tagged=(
        TaggedField(Field('fenced', 'integer', False, '', 'Fenced', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 74, '/types/broker_registration_change_record_fenced_tag/seq/0'), value_type=Integer(8, True)), 0, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_broker_registration_change_record__broker_registration_change_record_fenced_tag),
        TaggedField(Field('in_controlled_shutdown', 'integer', False, '', 'InControlledShutdown', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 80, '/types/broker_registration_change_record_in_controlled_shutdown_tag/seq/0'), value_type=Integer(8, True)), 1, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_broker_registration_change_record__broker_registration_change_record_in_controlled_shutdown_tag),
        TaggedField(Field('log_dirs', 'list', False, '', 'LogDirs', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 91, '/types/broker_registration_change_record_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)), 2, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_broker_registration_change_record__broker_registration_change_record_log_dirs_tag),
        TaggedField(Field('cordoned_log_dirs', 'list', True, '', 'CordonedLogDirs', None, None, None, None, False, Mark('formats/messages/broker_registration_change_record.ksy', 103, '/types/broker_registration_change_record_cordoned_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)), 3, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_broker_registration_change_record__broker_registration_change_record_cordoned_log_dirs_tag),
    ),
)
PROGRAM = Program('broker_registration_change_record', TYPE_broker_registration_change_record, {'broker_registration_change_record::broker_registration_change_record_fenced_tag': TYPE_broker_registration_change_record__broker_registration_change_record_fenced_tag, 'broker_registration_change_record::broker_registration_change_record_in_controlled_shutdown_tag': TYPE_broker_registration_change_record__broker_registration_change_record_in_controlled_shutdown_tag, 'broker_registration_change_record::broker_registration_change_record_log_dirs_tag': TYPE_broker_registration_change_record__broker_registration_change_record_log_dirs_tag, 'broker_registration_change_record::broker_registration_change_record_cordoned_log_dirs_tag': TYPE_broker_registration_change_record__broker_registration_change_record_cordoned_log_dirs_tag, 'broker_registration_change_record::broker_registration_change_record_tagged_field': TYPE_broker_registration_change_record__broker_registration_change_record_tagged_field, 'broker_registration_change_record::broker_registration_change_record_tagged_fields': TYPE_broker_registration_change_record__broker_registration_change_record_tagged_fields, 'broker_registration_change_record': TYPE_broker_registration_change_record}, {})
