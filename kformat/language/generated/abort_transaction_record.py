"""The program of formats/abort_transaction_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Program, ReadBytes, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Integer, ListOf, Structure, Text

MADE_FROM = {'abort_transaction_record': 546866576, 'varint': 752136197}
TYPE_abort_transaction_record__abort_transaction_record_reason_tag = TypeProgram(
    name='abort_transaction_record::abort_transaction_record_reason_tag',
    digest='88b4a468c0e705d1618cb1cbae63e2bc47ff4ac5b11e91a78d54d2a52bd4890b',
    doc='',
    original_id='',
    fields=(
        Field('reason_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/abort_transaction_record.ksy', 59, '/types/abort_transaction_record_reason_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('reason', 'text', True, '', 'Reason', None, None, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 62, '/types/abort_transaction_record_reason_tag/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='reason_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='reason', condition=Expression('>=', (Expression('name', (), ('reason_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('reason_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=2,
)
TYPE_abort_transaction_record__abort_transaction_record_tagged_field = TypeProgram(
    name='abort_transaction_record::abort_transaction_record_tagged_field',
    digest='88b4a468c0e705d1618cb1cbae63e2bc47ff4ac5b11e91a78d54d2a52bd4890b',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 46, '/types/abort_transaction_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/abort_transaction_record.ksy', 48, '/types/abort_transaction_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 51, '/types/abort_transaction_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_abort_transaction_record__abort_transaction_record_reason_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=8,
)
TYPE_abort_transaction_record__abort_transaction_record_tagged_fields = TypeProgram(
    name='abort_transaction_record::abort_transaction_record_tagged_fields',
    digest='88b4a468c0e705d1618cb1cbae63e2bc47ff4ac5b11e91a78d54d2a52bd4890b',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/abort_transaction_record.ksy', 37, '/types/abort_transaction_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_abort_transaction_record__abort_transaction_record_tagged_field, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 40, '/types/abort_transaction_record_tagged_fields/seq/1'), value_type=ListOf(Structure('abort_transaction_record::abort_transaction_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_abort_transaction_record__abort_transaction_record_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=11,
)
TYPE_abort_transaction_record = TypeProgram(
    name='abort_transaction_record',
    digest='88b4a468c0e705d1618cb1cbae63e2bc47ff4ac5b11e91a78d54d2a52bd4890b',
    doc='Metadata: the records since `begin_transaction_record` do not count.',
    original_id='AbortTransactionRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/abort_transaction_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 25, Integer(64, True), 25, 25), None, False, Mark('formats/messages/abort_transaction_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/abort_transaction_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_abort_transaction_record__abort_transaction_record_tagged_fields, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 31, '/seq/3'), value_type=Structure('abort_transaction_record::abort_transaction_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 25, Integer(64, True), 25, 25)), None, Boolean(), 0, 1), expected='25'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadType(name='tagged_fields', type=TYPE_abort_transaction_record__abort_transaction_record_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=18,
    is_root=True,
    tagged=(
        TaggedField(Field('reason', 'text', True, '', 'Reason', None, None, None, None, False, Mark('formats/messages/abort_transaction_record.ksy', 62, '/types/abort_transaction_record_reason_tag/seq/1'), value_type=Text()), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_abort_transaction_record__abort_transaction_record_reason_tag),
    ),
)
PROGRAM = Program('abort_transaction_record', TYPE_abort_transaction_record, {'abort_transaction_record::abort_transaction_record_reason_tag': TYPE_abort_transaction_record__abort_transaction_record_reason_tag, 'abort_transaction_record::abort_transaction_record_tagged_field': TYPE_abort_transaction_record__abort_transaction_record_tagged_field, 'abort_transaction_record::abort_transaction_record_tagged_fields': TYPE_abort_transaction_record__abort_transaction_record_tagged_fields, 'abort_transaction_record': TYPE_abort_transaction_record}, {})
