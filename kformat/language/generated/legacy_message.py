"""The program of formats/legacy_message.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import BitField, Check, CheckEnd, Checksum, Enum, Field, Program, ReadBits, ReadBytes, ReadInteger, ReadList, ReadType, TypeProgram, Window
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure

MADE_FROM = {'legacy_message': 96255291}
ENUM_legacy_message__timestamp_type = Enum(
    name='legacy_message::timestamp_type',
    members={0: 'create_time', 1: 'log_append_time'},
    original_ids={0: 'CreateTime', 1: 'LogAppendTime'},
    docs={0: "The producer's clock, or what the application gave.", 1: 'The clock of the broker that appended the message.'},
)
ENUM_legacy_message__compression_type = Enum(
    name='legacy_message::compression_type',
    members={0: 'none', 1: 'gzip', 2: 'snappy', 3: 'lz4'},
    original_ids={},
    docs={},
)
TYPE_legacy_message__attributes = TypeProgram(
    name='legacy_message::attributes',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc='One byte of flags; from the producer, `timestamp_type` from the broker.',
    original_id='',
    fields=(
        Field('reserved', 'integer', False, 'Not used.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/legacy_message.ksy', 100, '/types/attributes/seq/0'), value_type=Integer(4, False)),
        Field('timestamp_type', 'integer', False, "Who gave the timestamp; set by the broker, by the topic's `message.timestamp.type`, since magic 1. Messages in a wrapper take the wrapper's.", 'timestampType', ENUM_legacy_message__timestamp_type, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/legacy_message.ksy', 104, '/types/attributes/seq/1'), value_type=EnumType('legacy_message::timestamp_type')),
        Field('compression', 'integer', False, 'How the messages in the value are compressed; set by the producer, or by the broker for a topic with a\n`compression.type` of its own. LZ4 since 0.8.2, in magic 0 with a wrong header checksum; zstd came with 2.1\nand has no place here.', 'compressionType', ENUM_legacy_message__compression_type, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/legacy_message.ksy', 110, '/types/attributes/seq/2'), value_type=EnumType('legacy_message::compression_type')),
    ),
    steps=(
        Check(name='compression', rule=Expression('or', (Expression('or', (Expression('==', (Expression('name', (), ('compression',), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 0, EnumType('legacy_message::compression_type'), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('compression',), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 1, EnumType('legacy_message::compression_type'), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('or', (Expression('==', (Expression('name', (), ('compression',), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 2, EnumType('legacy_message::compression_type'), 2, 2)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('compression',), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 3, EnumType('legacy_message::compression_type'), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='one of 0 none, 1 gzip, 2 snappy, 3 lz4'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(
        BitField('reserved', 4, 4, None),
        BitField('timestamp_type', 3, 1, ENUM_legacy_message__timestamp_type),
        BitField('compression', 0, 3, ENUM_legacy_message__compression_type),
    ),
    minimum_size=1,
    steps_count=1,
)
TYPE_legacy_message__plain_message = TypeProgram(
    name='legacy_message::plain_message',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc='A message in a wrapper; it cannot be a wrapper itself.',
    original_id='LegacyRecord',
    fields=(
        Field('crc', 'integer', False, 'CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the producer; a\nbroker computes it again when it writes the timestamp.', '', None, None, None, None, True, Mark('formats/legacy_message.ksy', 65, '/types/head/seq/0'), value_type=Integer(32, False)),
        Field('magic', 'integer', False, 'Version of the format; at the same position in record batches.', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/legacy_message.ksy', 70, '/types/head/seq/1'), value_type=Integer(8, True)),
        Field('attributes', 'structure', False, 'Who gave the timestamp, and how the messages of a wrapper are compressed.', '', None, TYPE_legacy_message__attributes, None, None, False, Mark('formats/legacy_message.ksy', 76, '/types/head/seq/2'), value_type=Structure('legacy_message::attributes')),
        Field('timestamp', 'integer', True, 'Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest of its\nmessages, or with `log_append_time` the time of the append, which then holds for all of them.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 79, '/types/head/seq/3'), value_type=Integer(64, True)),
        Field('key_length', 'integer', False, 'Any negative value means null; -1 is what writers use.', 'keySize', None, None, None, None, True, Mark('formats/legacy_message.ksy', 85, '/types/head/seq/4'), value_type=Integer(32, True)),
        Field('key', 'bytes', True, 'Absent where `key_length` is negative; always in a wrapper that a broker accepts.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 89, '/types/head/seq/5'), value_type=Bytes()),
        Field('value_length', 'integer', False, 'Any negative value means null; with a key that is a tombstone. In a wrapper the size of its compressed messages.', 'valueSize', None, None, None, None, True, Mark('formats/legacy_message.ksy', 93, '/types/head/seq/6'), value_type=Integer(32, True)),
        Field('value', 'bytes', True, 'Absent where `value_length` is negative.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 156, '/types/plain_message/seq/1'), value_type=Bytes()),
    ),
    steps=(
        ReadInteger(name='crc', kind=Integer(32, False), little_endian=False),
        Checksum(name='crc', algorithm='crc32', length=None, to_limit=True),
        ReadInteger(name='magic', kind=Integer(8, True), little_endian=False),
        Check(name='magic', rule=Expression('or', (Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='one of 0, 1'),
        ReadBits(name='attributes', size=1, bits=(BitField('reserved', 4, 4, None), BitField('timestamp_type', 3, 1, ENUM_legacy_message__timestamp_type), BitField('compression', 0, 3, ENUM_legacy_message__compression_type)), type=TYPE_legacy_message__attributes),
        ReadInteger(name='timestamp', condition=Expression('>=', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='key_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='key', condition=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='value_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='value', condition=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647)),
        CheckEnd(name='end_of_message'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=11,
)
TYPE_legacy_message__wrapped_message = TypeProgram(
    name='legacy_message::wrapped_message',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc='An entry of a wrapper, like those of a log.',
    original_id='',
    fields=(
        Field('offset', 'integer', False, "In a wrapper of magic 0 the message's offset; in one of magic 1 its number, from 0.", '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/legacy_message.ksy', 131, '/types/wrapped_message/seq/0'), value_type=Integer(64, True)),
        Field('message_size', 'integer', False, 'Bytes after this field.', 'size', None, None, None, None, True, Mark('formats/legacy_message.ksy', 135, '/types/wrapped_message/seq/1'), value_type=Integer(32, True)),
        Field('message', 'structure', False, 'The message itself.', '', None, TYPE_legacy_message__plain_message, None, None, False, Mark('formats/legacy_message.ksy', 141, '/types/wrapped_message/seq/2'), value_type=Structure('legacy_message::plain_message')),
    ),
    steps=(
        ReadInteger(name='offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='message_size', kind=Integer(32, True), little_endian=False),
        Check(name='message_size', rule=Expression('>=', (Expression('name', (), ('message_size',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), expected='>= 14'),
        Window(name='message', size=Expression('name', (), ('message_size',), Integer(32, True), 14, 2147483647), codec=None, steps=(ReadType(name='message', type=TYPE_legacy_message__plain_message),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=12,
    steps_count=16,
)
TYPE_legacy_message__message_set = TypeProgram(
    name='legacy_message::message_set',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc="A wrapper's value after decompression.",
    original_id='',
    fields=(
        Field('messages', 'list', False, 'At least one, in the order of their offsets.', '', None, TYPE_legacy_message__wrapped_message, None, None, False, Mark('formats/legacy_message.ksy', 124, '/types/message_set/seq/0'), value_type=ListOf(Structure('legacy_message::wrapped_message'))),
    ),
    steps=(
        ReadList(name='messages', element=ReadType(name='messages', type=TYPE_legacy_message__wrapped_message), count=None),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=18,
)
TYPE_legacy_message__message = TypeProgram(
    name='legacy_message::message',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc='A message, or a wrapper where `attributes.compression` names a codec.',
    original_id='LegacyRecord',
    fields=(
        Field('crc', 'integer', False, 'CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the producer; a\nbroker computes it again when it writes the timestamp.', '', None, None, None, None, True, Mark('formats/legacy_message.ksy', 65, '/types/head/seq/0'), value_type=Integer(32, False)),
        Field('magic', 'integer', False, 'Version of the format; at the same position in record batches.', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/legacy_message.ksy', 70, '/types/head/seq/1'), value_type=Integer(8, True)),
        Field('attributes', 'structure', False, 'Who gave the timestamp, and how the messages of a wrapper are compressed.', '', None, TYPE_legacy_message__attributes, None, None, False, Mark('formats/legacy_message.ksy', 76, '/types/head/seq/2'), value_type=Structure('legacy_message::attributes')),
        Field('timestamp', 'integer', True, 'Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest of its\nmessages, or with `log_append_time` the time of the append, which then holds for all of them.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 79, '/types/head/seq/3'), value_type=Integer(64, True)),
        Field('key_length', 'integer', False, 'Any negative value means null; -1 is what writers use.', 'keySize', None, None, None, None, True, Mark('formats/legacy_message.ksy', 85, '/types/head/seq/4'), value_type=Integer(32, True)),
        Field('key', 'bytes', True, 'Absent where `key_length` is negative; always in a wrapper that a broker accepts.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 89, '/types/head/seq/5'), value_type=Bytes()),
        Field('value_length', 'integer', False, 'Any negative value means null; with a key that is a tombstone. In a wrapper the size of its compressed messages.', 'valueSize', None, None, None, None, True, Mark('formats/legacy_message.ksy', 93, '/types/head/seq/6'), value_type=Integer(32, True)),
        Field('value', 'bytes', True, 'Absent where `value_length` is negative, and in a wrapper.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 45, '/types/message/seq/1'), value_type=Bytes()),
        Field('message_set', 'structure', True, "A wrapper's messages, compressed together.", '', None, TYPE_legacy_message__message_set, None, None, False, Mark('formats/legacy_message.ksy', 49, '/types/message/seq/2'), value_type=Structure('legacy_message::message_set')),
    ),
    steps=(
        ReadInteger(name='crc', kind=Integer(32, False), little_endian=False),
        Checksum(name='crc', algorithm='crc32', length=None, to_limit=True),
        ReadInteger(name='magic', kind=Integer(8, True), little_endian=False),
        Check(name='magic', rule=Expression('or', (Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='one of 0, 1'),
        ReadBits(name='attributes', size=1, bits=(BitField('reserved', 4, 4, None), BitField('timestamp_type', 3, 1, ENUM_legacy_message__timestamp_type), BitField('compression', 0, 3, ENUM_legacy_message__compression_type)), type=TYPE_legacy_message__attributes),
        ReadInteger(name='timestamp', condition=Expression('>=', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='key_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='key', condition=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='value_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='value', condition=Expression('and', (Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('attributes', 'compression'), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 0, EnumType('legacy_message::compression_type'), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647)),
        Window(name='message_set', condition=Expression('and', (Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('!=', (Expression('name', (), ('attributes', 'compression'), EnumType('legacy_message::compression_type'), 0, 7), Expression('constant', (), 0, EnumType('legacy_message::compression_type'), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), codec=Expression('name', (), ('attributes', 'compression'), EnumType('legacy_message::compression_type'), 0, 7), steps=(ReadType(name='message_set', type=TYPE_legacy_message__message_set),), magic=Expression('name', (), ('magic',), Integer(8, True), -128, 127)),
        CheckEnd(name='end_of_message'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=31,
)
TYPE_legacy_message = TypeProgram(
    name='legacy_message',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc="What a segment file consisted of before Kafka 0.11 (magic 1 since 0.10, magic 0 before), and for topics whose\n`message.format.version` said so until 3.x: a sequence of entries, each an offset, a size and a message. Files of later\nbrokers may begin with such entries and continue with record batches.\n\nCompressed messages are stored together in the value of one message, the wrapper. Its offset is the offset of the last\nmessage in it. In a wrapper of magic 0 the messages have their own offsets; in one of magic 1 they are numbered from 0,\nand a reader adds the wrapper's offset less the number of the last one.",
    original_id='',
    fields=(
        Field('offset', 'integer', False, 'Offset of the message, or of the last message in a wrapper; assigned by the leader.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/legacy_message.ksy', 19, '/seq/0'), value_type=Integer(64, True)),
        Field('message_size', 'integer', False, 'Bytes after this field.', 'size', None, None, None, None, True, Mark('formats/legacy_message.ksy', 23, '/seq/1'), value_type=Integer(32, True)),
        Field('message', 'structure', False, 'The message itself.', '', None, TYPE_legacy_message__message, None, None, False, Mark('formats/legacy_message.ksy', 29, '/seq/2'), value_type=Structure('legacy_message::message')),
    ),
    steps=(
        ReadInteger(name='offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='message_size', kind=Integer(32, True), little_endian=False),
        Check(name='message_size', rule=Expression('>=', (Expression('name', (), ('message_size',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), expected='>= 14'),
        Window(name='message', size=Expression('name', (), ('message_size',), Integer(32, True), 14, 2147483647), codec=None, steps=(ReadType(name='message', type=TYPE_legacy_message__message),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=12,
    steps_count=36,
    is_root=True,
)
TYPE_legacy_message__head = TypeProgram(
    name='legacy_message::head',
    digest='33ea71fb21c803b705311a2870d1fbfd136a57c9dac244ee188ab96135e78dad',
    doc='The fields before the value.',
    original_id='',
    fields=(
        Field('crc', 'integer', False, 'CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the producer; a\nbroker computes it again when it writes the timestamp.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 65, '/types/head/seq/0'), value_type=Integer(32, False)),
        Field('magic', 'integer', False, 'Version of the format; at the same position in record batches.', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/legacy_message.ksy', 70, '/types/head/seq/1'), value_type=Integer(8, True)),
        Field('attributes', 'structure', False, 'Who gave the timestamp, and how the messages of a wrapper are compressed.', '', None, TYPE_legacy_message__attributes, None, None, False, Mark('formats/legacy_message.ksy', 76, '/types/head/seq/2'), value_type=Structure('legacy_message::attributes')),
        Field('timestamp', 'integer', True, 'Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest of its\nmessages, or with `log_append_time` the time of the append, which then holds for all of them.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 79, '/types/head/seq/3'), value_type=Integer(64, True)),
        Field('key_length', 'integer', False, 'Any negative value means null; -1 is what writers use.', 'keySize', None, None, None, None, True, Mark('formats/legacy_message.ksy', 85, '/types/head/seq/4'), value_type=Integer(32, True)),
        Field('key', 'bytes', True, 'Absent where `key_length` is negative; always in a wrapper that a broker accepts.', '', None, None, None, None, False, Mark('formats/legacy_message.ksy', 89, '/types/head/seq/5'), value_type=Bytes()),
        Field('value_length', 'integer', False, 'Any negative value means null; with a key that is a tombstone. In a wrapper the size of its compressed messages.', 'valueSize', None, None, None, None, False, Mark('formats/legacy_message.ksy', 93, '/types/head/seq/6'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='crc', kind=Integer(32, False), little_endian=False),
        ReadInteger(name='magic', kind=Integer(8, True), little_endian=False),
        Check(name='magic', rule=Expression('or', (Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='one of 0, 1'),
        ReadBits(name='attributes', size=1, bits=(BitField('reserved', 4, 4, None), BitField('timestamp_type', 3, 1, ENUM_legacy_message__timestamp_type), BitField('compression', 0, 3, ENUM_legacy_message__compression_type)), type=TYPE_legacy_message__attributes),
        ReadInteger(name='timestamp', condition=Expression('>=', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='key_length', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='key', condition=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='value_length', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=8,
)
PROGRAM = Program('legacy_message', TYPE_legacy_message, {'legacy_message::attributes': TYPE_legacy_message__attributes, 'legacy_message::plain_message': TYPE_legacy_message__plain_message, 'legacy_message::wrapped_message': TYPE_legacy_message__wrapped_message, 'legacy_message::message_set': TYPE_legacy_message__message_set, 'legacy_message::message': TYPE_legacy_message__message, 'legacy_message': TYPE_legacy_message, 'legacy_message::head': TYPE_legacy_message__head}, {'legacy_message::timestamp_type': ENUM_legacy_message__timestamp_type, 'legacy_message::compression_type': ENUM_legacy_message__compression_type})
