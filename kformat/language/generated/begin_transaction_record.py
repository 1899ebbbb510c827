"""The program of formats/begin_transaction_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Program, ReadBytes, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Integer, ListOf, Structure, Text

MADE_FROM = {'begin_transaction_record': 1031963868, 'varint': 752136197}
TYPE_begin_transaction_record__begin_transaction_record_name_tag = TypeProgram(
    name='begin_transaction_record::begin_transaction_record_name_tag',
    digest='a146da7254f1a471b8cae964ac1b5c170c709e0e3dbc7de6f3644ad4a9db4507',
    doc='',
    original_id='',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/begin_transaction_record.ksy', 59, '/types/begin_transaction_record_name_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', True, '', 'Name', None, None, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 62, '/types/begin_transaction_record_name_tag/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='name', condition=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=2,
)
TYPE_begin_transaction_record__begin_transaction_record_tagged_field = TypeProgram(
    name='begin_transaction_record::begin_transaction_record_tagged_field',
    digest='a146da7254f1a471b8cae964ac1b5c170c709e0e3dbc7de6f3644ad4a9db4507',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 46, '/types/begin_transaction_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/begin_transaction_record.ksy', 48, '/types/begin_transaction_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 51, '/types/begin_transaction_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_begin_transaction_record__begin_transaction_record_name_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=8,
)
TYPE_begin_transaction_record__begin_transaction_record_tagged_fields = TypeProgram(
    name='begin_transaction_record::begin_transaction_record_tagged_fields',
    digest='a146da7254f1a471b8cae964ac1b5c170c709e0e3dbc7de6f3644ad4a9db4507',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/begin_transaction_record.ksy', 37, '/types/begin_transaction_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_begin_transaction_record__begin_transaction_record_tagged_field, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 40, '/types/begin_transaction_record_tagged_fields/seq/1'), value_type=ListOf(Structure('begin_transaction_record::begin_transaction_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_begin_transaction_record__begin_transaction_record_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=11,
)
TYPE_begin_transaction_record = TypeProgram(
    name='begin_transaction_record',
    digest='a146da7254f1a471b8cae964ac1b5c170c709e0e3dbc7de6f3644ad4a9db4507',
    doc='Metadata: the records up to `end_transaction_record` count together, or not at all.',
    original_id='BeginTransactionRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/begin_transaction_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 23, Integer(64, True), 23, 23), None, False, Mark('formats/messages/begin_transaction_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/begin_transaction_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_begin_transaction_record__begin_transaction_record_tagged_fields, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 31, '/seq/3'), value_type=Structure('begin_transaction_record::begin_transaction_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 23, Integer(64, True), 23, 23)), None, Boolean(), 0, 1), expected='23'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadType(name='tagged_fields', type=TYPE_begin_transaction_record__begin_transaction_record_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=18,
    is_root=True,
    tagged=(
        TaggedField(Field('name', 'text', True, '', 'Name', None, None, None, None, False, Mark('formats/messages/begin_transaction_record.ksy', 62, '/types/begin_transaction_record_name_tag/seq/1'), value_type=Text()), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_begin_transaction_record__begin_transaction_record_name_tag),
    ),
)
PROGRAM = Program('begin_transaction_record', TYPE_begin_transaction_record, {'begin_transaction_record::begin_transaction_record_name_tag': TYPE_begin_transaction_record__begin_transaction_record_name_tag, 'begin_transaction_record::begin_transaction_record_tagged_field': TYPE_begin_transaction_record__begin_transaction_record_tagged_field, 'begin_transaction_record::begin_transaction_record_tagged_fields': TYPE_begin_transaction_record__begin_transaction_record_tagged_fields, 'begin_transaction_record': TYPE_begin_transaction_record}, {})
