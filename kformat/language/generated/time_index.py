"""The program of formats/time_index.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Structure

MADE_FROM = {'time_index': 52178927}
TYPE_time_index__entry = TypeProgram(
    name='time_index::entry',
    digest='7fe5f845829cd13d172b5834b61d95a8666c5352b8d7961eda66a5914dbad82a',
    doc='A largest timestamp so far and an offset that belongs to it; which one depends on the writer.',
    original_id='',
    fields=(
        Field('timestamp', 'integer', False, 'Largest timestamp of the segment when the entry was written, milliseconds since 1970.', '', None, None, None, None, False, Mark('formats/time_index.ksy', 27, '/types/entry/seq/0'), value_type=Integer(64, True)),
        Field('relative_offset', 'integer', False, "Offset that belongs to it, less the base offset of the segment; the record's up to 3.7, its batch's last since.", 'relativeOffset', None, None, None, None, False, Mark('formats/time_index.ksy', 30, '/types/entry/seq/1'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='relative_offset', kind=Integer(32, True), little_endian=False),
        Check(name='relative_offset', rule=Expression('>=', (Expression('name', (), ('relative_offset',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
    ),
    parameters=(),
    row=True,
    row_checks=(
        ('increasing', 'timestamp'),
        ('non_decreasing', 'relative_offset'),
    ),
    bits=(),
    minimum_size=12,
    steps_count=3,
)
TYPE_time_index = TypeProgram(
    name='time_index',
    digest='7fe5f845829cd13d172b5834b61d95a8666c5352b8d7961eda66a5914dbad82a',
    doc='`<base offset>.timeindex`, since 0.10.1: a sparse, sorted map from timestamps to offsets. An entry (T, O) says that\nevery record of the segment with a timestamp above T has an offset above O. No header, no checksum; preallocated,\nzero-filled and trimmed like the offset index.',
    original_id='',
    fields=(
        Field('entries', 'list', False, 'One whenever the offset index gets one, and when the segment is closed, if the largest timestamp has grown since.', '', None, TYPE_time_index__entry, None, None, False, Mark('formats/time_index.ksy', 15, '/seq/0'), value_type=ListOf(Structure('time_index::entry'))),
    ),
    steps=(
        ReadList(name='entries', element=ReadType(name='entries', type=TYPE_time_index__entry), count=None),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=5,
    is_root=True,
)
PROGRAM = Program('time_index', TYPE_time_index, {'time_index::entry': TYPE_time_index__entry, 'time_index': TYPE_time_index}, {})
