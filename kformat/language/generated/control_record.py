"""The program of formats/control_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'control_record': 137534406, 'varint': 752136197}
ENUM_control_record__control_type = Enum(
    name='control_record::control_type',
    members={0: 'abort', 1: 'commit', 2: 'leader_change', 3: 'snapshot_header', 4: 'snapshot_footer', 5: 'kraft_version', 6: 'kraft_voters'},
    original_ids={},
    docs={0: 'Ends a transaction whose records do not count.', 1: 'Ends a transaction whose records count.', 2: 'A new leader of a KRaft quorum.', 3: 'First record of a KRaft snapshot.', 4: 'Last record of a KRaft snapshot.', 5: "Version of the quorum's protocol.", 6: "The quorum's voters."},
)
TYPE_control_record = TypeProgram(
    name='control_record',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc="A control batch (`attributes.is_control`) holds records that the broker wrote for itself. The key of such a record is\ndeclared here; its `type` says which of the types below the record's value is. A newer version than the reader knows\nis read as the newest it knows, so that bytes may follow what is declared.",
    original_id='',
    fields=(
        Field('version', 'integer', False, '0 so far.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 16, '/seq/0'), value_type=Integer(16, True)),
        Field('type', 'integer', False, 'Kind of the record, set by the broker that writes it; readers ignore a type that they do not know. 0 and 1 since\n0.11, 2 since 2.7, 3 and 4 since 3.0, 5 and 6 since 3.8.', '', ENUM_control_record__control_type, None, None, None, False, Mark('formats/control_record.ksy', 22, '/seq/1'), value_type=EnumType('control_record::control_type')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False, enum=ENUM_control_record__control_type),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=3,
    is_root=True,
)
TYPE_control_record__end_transaction_marker = TypeProgram(
    name='control_record::end_transaction_marker',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `abort` and `commit`, the last record of a transaction in a partition. Written by the transaction coordinator, since 0.11.',
    original_id='EndTransactionMarker',
    fields=(
        Field('version', 'integer', False, '0 so far.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 34, '/types/end_transaction_marker/seq/0'), value_type=Integer(16, True)),
        Field('coordinator_epoch', 'integer', False, 'Epoch of the coordinator that ended the transaction.', 'coordinatorEpoch', None, None, None, None, False, Mark('formats/control_record.ksy', 40, '/types/end_transaction_marker/seq/1'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='coordinator_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=3,
)
TYPE_control_record__tagged_field = TypeProgram(
    name='control_record::tagged_field',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='A field that a later version added.',
    original_id='',
    fields=(
        Field('tag', 'integer', False, 'Which field it is.', '', None, None, None, None, False, Mark('formats/control_record.ksy', 260, '/types/tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, 'Bytes of `data`.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 263, '/types/tagged_field/seq/1'), value_type=Integer(32, False)),
        Field('data', 'bytes', False, 'Kept as it is.', '', None, None, None, None, False, Mark('formats/control_record.ksy', 266, '/types/tagged_field/seq/2'), value_type=Bytes()),
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
TYPE_control_record__tagged_fields = TypeProgram(
    name='control_record::tagged_fields',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='The tail of every structure in a flexible message version (KIP-482).',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, 'Number of tagged fields; 0 as a rule.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 250, '/types/tagged_fields/seq/0'), value_type=Integer(32, False)),
        Field('fields', 'list', False, '', '', None, TYPE_control_record__tagged_field, None, None, False, Mark('formats/control_record.ksy', 253, '/types/tagged_fields/seq/1'), value_type=ListOf(Structure('control_record::tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_control_record__tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=6,
)
TYPE_control_record__voter = TypeProgram(
    name='control_record::voter',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='A node of the quorum, as a leader change names it.',
    original_id='Voter',
    fields=(
        Field('voter_id', 'integer', False, 'Node id of the voter.', 'VoterId', None, None, None, None, False, Mark('formats/control_record.ksy', 90, '/types/voter/seq/0'), value_type=Integer(32, True)),
        Field('voter_directory_id', 'bytes', True, 'A UUID, since version 1.', 'VoterDirectoryId', None, None, None, None, False, Mark('formats/control_record.ksy', 94, '/types/voter/seq/1'), value_type=Bytes()),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 99, '/types/voter/seq/2'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='voter_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='voter_directory_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=9,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_control_record__leader_change = TypeProgram(
    name='control_record::leader_change',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since 2.7). The schema has a version 1 since 4.0 (KIP-853); brokers up to 4.4.0 write 0.',
    original_id='LeaderChangeMessage',
    fields=(
        Field('version', 'integer', False, '0 or 1; decides whether voters carry a directory id.', '', None, None, None, None, False, Mark('formats/control_record.ksy', 49, '/types/leader_change/seq/0'), value_type=Integer(16, True)),
        Field('leader_id', 'integer', False, 'The node that was elected.', 'LeaderId', None, None, None, None, False, Mark('formats/control_record.ksy', 54, '/types/leader_change/seq/1'), value_type=Integer(32, True)),
        Field('voters_length', 'integer', False, 'Number of voters plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 58, '/types/leader_change/seq/2'), value_type=Integer(32, False)),
        Field('voters', 'list', False, 'The quorum.', 'Voters', None, TYPE_control_record__voter, None, None, False, Mark('formats/control_record.ksy', 63, '/types/leader_change/seq/3'), value_type=ListOf(Structure('control_record::voter'))),
        Field('granting_voters_length', 'integer', False, 'Number of granting voters plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 69, '/types/leader_change/seq/4'), value_type=Integer(32, False)),
        Field('granting_voters', 'list', False, 'Those that voted for the leader.', 'GrantingVoters', None, TYPE_control_record__voter, None, None, False, Mark('formats/control_record.ksy', 74, '/types/leader_change/seq/5'), value_type=ListOf(Structure('control_record::voter'))),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 80, '/types/leader_change/seq/6'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='leader_id', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='voters_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='voters_length', rule=Expression('>=', (Expression('name', (), ('voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='voters', element=ReadType(name='voters', type=TYPE_control_record__voter, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), 0, 32767)),)), count=Expression('-', (Expression('name', (), ('voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='granting_voters_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='granting_voters_length', rule=Expression('>=', (Expression('name', (), ('granting_voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='granting_voters', element=ReadType(name='granting_voters', type=TYPE_control_record__voter, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), 0, 32767)),)), count=Expression('-', (Expression('name', (), ('granting_voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=36,
)
TYPE_control_record__snapshot_header = TypeProgram(
    name='control_record::snapshot_header',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `snapshot_header`, the first record of a KRaft snapshot (since 3.0).',
    original_id='SnapshotHeaderRecord',
    fields=(
        Field('version', 'integer', False, '0 so far; ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 107, '/types/snapshot_header/seq/0'), value_type=Integer(16, True)),
        Field('last_contained_log_timestamp', 'integer', False, 'When the last record that went into the snapshot was appended to the log, in milliseconds since 1970.', 'LastContainedLogTimestamp', None, None, None, None, False, Mark('formats/control_record.ksy', 111, '/types/snapshot_header/seq/1'), value_type=Integer(64, True)),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 115, '/types/snapshot_header/seq/2'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='last_contained_log_timestamp', kind=Integer(64, True), little_endian=False),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=11,
    steps_count=9,
)
TYPE_control_record__snapshot_footer = TypeProgram(
    name='control_record::snapshot_footer',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `snapshot_footer`, the last record of a KRaft snapshot (since 3.0).',
    original_id='SnapshotFooterRecord',
    fields=(
        Field('version', 'integer', False, '0 so far; ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 123, '/types/snapshot_footer/seq/0'), value_type=Integer(16, True)),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 127, '/types/snapshot_footer/seq/1'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=8,
)
TYPE_control_record__kraft_version = TypeProgram(
    name='control_record::kraft_version',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `kraft_version`, in the metadata log and its snapshots (since 3.8, KIP-853).',
    original_id='KRaftVersionRecord',
    fields=(
        Field('version', 'integer', False, '0 so far; ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 135, '/types/kraft_version/seq/0'), value_type=Integer(16, True)),
        Field('kraft_version', 'integer', False, '0 for a quorum of voters that the configuration names, 1 for one whose voters stand in the log.', 'KRaftVersion', None, None, None, None, False, Mark('formats/control_record.ksy', 139, '/types/kraft_version/seq/1'), value_type=Integer(16, True)),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 143, '/types/kraft_version/seq/2'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='kraft_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=9,
)
TYPE_control_record__endpoint = TypeProgram(
    name='control_record::endpoint',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='A listener at which a voter is reached.',
    original_id='VotersRecord.Endpoint',
    fields=(
        Field('name_length', 'integer', False, 'Bytes of `name` plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 203, '/types/endpoint/seq/0'), value_type=Integer(32, False)),
        Field('name', 'text', False, "The listener's name.", 'Name', None, None, None, None, False, Mark('formats/control_record.ksy', 208, '/types/endpoint/seq/1'), value_type=Text()),
        Field('host_length', 'integer', False, 'Bytes of `host` plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 214, '/types/endpoint/seq/2'), value_type=Integer(32, False)),
        Field('host', 'text', False, 'Host name or address.', 'Host', None, None, None, None, False, Mark('formats/control_record.ksy', 219, '/types/endpoint/seq/3'), value_type=Text()),
        Field('port', 'integer', False, 'TCP port.', 'Port', None, None, None, None, False, Mark('formats/control_record.ksy', 225, '/types/endpoint/seq/4'), value_type=Integer(16, False)),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 229, '/types/endpoint/seq/5'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(16, False), little_endian=False),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=14,
)
TYPE_control_record__kraft_version_feature = TypeProgram(
    name='control_record::kraft_version_feature',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc="Which versions of the quorum's protocol a voter supports.",
    original_id='VotersRecord.KRaftVersionFeature',
    fields=(
        Field('min_supported_version', 'integer', False, 'Lowest `kraft_version`.', 'MinSupportedVersion', None, None, None, None, False, Mark('formats/control_record.ksy', 236, '/types/kraft_version_feature/seq/0'), value_type=Integer(16, True)),
        Field('max_supported_version', 'integer', False, 'Highest `kraft_version`.', 'MaxSupportedVersion', None, None, None, None, False, Mark('formats/control_record.ksy', 240, '/types/kraft_version_feature/seq/1'), value_type=Integer(16, True)),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 244, '/types/kraft_version_feature/seq/2'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='min_supported_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_supported_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=9,
)
TYPE_control_record__kraft_voter = TypeProgram(
    name='control_record::kraft_voter',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='A node of the quorum, with its addresses and what it can do.',
    original_id='VotersRecord.Voter',
    fields=(
        Field('voter_id', 'integer', False, 'Node id of the voter.', 'VoterId', None, None, None, None, False, Mark('formats/control_record.ksy', 173, '/types/kraft_voter/seq/0'), value_type=Integer(32, True)),
        Field('voter_directory_id', 'bytes', False, "UUID of the directory that holds the voter's metadata log; zeros if unknown.", 'VoterDirectoryId', None, None, None, None, False, Mark('formats/control_record.ksy', 177, '/types/kraft_voter/seq/1'), value_type=Bytes()),
        Field('endpoints_length', 'integer', False, 'Number of endpoints plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 181, '/types/kraft_voter/seq/2'), value_type=Integer(32, False)),
        Field('endpoints', 'list', False, 'Where the voter listens.', 'Endpoints', None, TYPE_control_record__endpoint, None, None, False, Mark('formats/control_record.ksy', 186, '/types/kraft_voter/seq/3'), value_type=ListOf(Structure('control_record::endpoint'))),
        Field('kraft_version_feature', 'structure', False, "Which versions of the quorum's protocol it can speak.", 'KRaftVersionFeature', None, TYPE_control_record__kraft_version_feature, None, None, False, Mark('formats/control_record.ksy', 192, '/types/kraft_voter/seq/4'), value_type=Structure('control_record::kraft_version_feature')),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 196, '/types/kraft_voter/seq/5'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='voter_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='voter_directory_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='endpoints_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='endpoints_length', rule=Expression('>=', (Expression('name', (), ('endpoints_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='endpoints', element=ReadType(name='endpoints', type=TYPE_control_record__endpoint), count=Expression('-', (Expression('name', (), ('endpoints_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='kraft_version_feature', type=TYPE_control_record__kraft_version_feature),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=27,
    steps_count=37,
)
TYPE_control_record__kraft_voters = TypeProgram(
    name='control_record::kraft_voters',
    digest='a82730f667d902862dc16fcc400cf44257a0cd5c0f1607843fdd98c3268b50b6',
    doc='Value of `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).',
    original_id='VotersRecord',
    fields=(
        Field('version', 'integer', False, '0 so far; ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/control_record.ksy', 151, '/types/kraft_voters/seq/0'), value_type=Integer(16, True)),
        Field('voters_length', 'integer', False, 'Number of voters plus one.', '', None, None, None, None, True, Mark('formats/control_record.ksy', 155, '/types/kraft_voters/seq/1'), value_type=Integer(32, False)),
        Field('voters', 'list', False, 'The quorum.', 'Voters', None, TYPE_control_record__kraft_voter, None, None, False, Mark('formats/control_record.ksy', 160, '/types/kraft_voters/seq/2'), value_type=ListOf(Structure('control_record::kraft_voter'))),
        Field('tags', 'structure', False, 'Fields of later versions; ignored by readers that do not know them.', '', None, TYPE_control_record__tagged_fields, None, None, False, Mark('formats/control_record.ksy', 166, '/types/kraft_voters/seq/3'), value_type=Structure('control_record::tagged_fields')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        ReadVarint(name='voters_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='voters_length', rule=Expression('>=', (Expression('name', (), ('voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='voters', element=ReadType(name='voters', type=TYPE_control_record__kraft_voter), count=Expression('-', (Expression('name', (), ('voters_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tags', type=TYPE_control_record__tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=49,
)
PROGRAM = Program('control_record', TYPE_control_record, {'control_record': TYPE_control_record, 'control_record::end_transaction_marker': TYPE_control_record__end_transaction_marker, 'control_record::tagged_field': TYPE_control_record__tagged_field, 'control_record::tagged_fields': TYPE_control_record__tagged_fields, 'control_record::voter': TYPE_control_record__voter, 'control_record::leader_change': TYPE_control_record__leader_change, 'control_record::snapshot_header': TYPE_control_record__snapshot_header, 'control_record::snapshot_footer': TYPE_control_record__snapshot_footer, 'control_record::kraft_version': TYPE_control_record__kraft_version, 'control_record::endpoint': TYPE_control_record__endpoint, 'control_record::kraft_version_feature': TYPE_control_record__kraft_version_feature, 'control_record::kraft_voter': TYPE_control_record__kraft_voter, 'control_record::kraft_voters': TYPE_control_record__kraft_voters}, {'control_record::control_type': ENUM_control_record__control_type})
