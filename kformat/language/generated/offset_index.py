"""The program of formats/offset_index.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, ReadList, ReadType, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Structure

MADE_FROM = {'offset_index': 385283595}
TYPE_offset_index__entry = TypeProgram(
    name='offset_index::entry',
    digest='105720f4b8a1e772d3adc941d5504ed3533dce7d74c4682d4d26cdcd0275a320',
    doc='Written after more than `index.interval.bytes` of log since the previous entry. Its offset depends on the\nwriter: the last of the batch at `position` (3.9.1 and 4.0 on), the last of the append that begins there\n(2.0 to 3.9.0), its first (up to 1.1).',
    original_id='',
    fields=(
        Field('relative_offset', 'integer', False, "Offset less the base offset of the segment, which is the file's name.", 'relativeOffset', None, None, None, None, False, Mark('formats/offset_index.ksy', 30, '/types/entry/seq/0'), value_type=Integer(32, True)),
        Field('position', 'integer', False, 'Bytes from the start of the `.log` to the batch, or to the first batch of the append.', '', None, None, None, None, False, Mark('formats/offset_index.ksy', 36, '/types/entry/seq/1'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='relative_offset', kind=Integer(32, True), little_endian=False),
        Check(name='relative_offset', rule=Expression('>=', (Expression('name', (), ('relative_offset',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='position', kind=Integer(32, True), little_endian=False),
        Check(name='position', rule=Expression('>=', (Expression('name', (), ('position',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
    ),
    parameters=(),
    row=True,
    row_checks=(
        ('increasing', 'relative_offset'),
        ('increasing', 'position'),
    ),
    bits=(),
    minimum_size=8,
    steps_count=4,
)
TYPE_offset_index = TypeProgram(
    name='offset_index',
    digest='105720f4b8a1e772d3adc941d5504ed3533dce7d74c4682d4d26cdcd0275a320',
    doc='`<base offset>.index`: a sparse, sorted map from offsets to positions in its `.log`. No header, no checksum.\nWhile its segment is active, the file has its full preallocated size and ends in zeros, which are not entries; it is\ntrimmed to its entries when the segment is closed.',
    original_id='',
    fields=(
        Field('entries', 'list', False, 'Offsets and positions rise from one to the next; the lookup is a binary search.', '', None, TYPE_offset_index__entry, None, None, False, Mark('formats/offset_index.ksy', 15, '/seq/0'), value_type=ListOf(Structure('offset_index::entry'))),
    ),
    steps=(
        ReadList(name='entries', element=ReadType(name='entries', type=TYPE_offset_index__entry), count=None),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=6,
    is_root=True,
)
PROGRAM = Program('offset_index', TYPE_offset_index, {'offset_index::entry': TYPE_offset_index__entry, 'offset_index': TYPE_offset_index}, {})
