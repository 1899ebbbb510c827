import @RECORDS@.MemoryRecords;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Has Kafka's own classes write one control batch of each kind that KRaft knows, one behind the other, into a file. */
public final class ControlRecords {
    private static final RawTaggedField TAG = new RawTaggedField(300, new byte[] {1, 2, 3});

    public static void main(String[] arguments) throws Exception {
        try (OutputStream out = new FileOutputStream(arguments[0])) {
            SnapshotHeaderRecord header = new SnapshotHeaderRecord().setLastContainedLogTimestamp(1700000000123L);
            header.unknownTaggedFields().add(TAG);
            write(out, MemoryRecords.withSnapshotHeaderRecord(0, 1000, 7, buffer(), header));
            KRaftVersionRecord version = new KRaftVersionRecord().setKRaftVersion((short) 1);
            write(out, MemoryRecords.withKRaftVersionRecord(1, 1001, 7, buffer(), version));
            write(out, MemoryRecords.withVotersRecord(2, 1002, 7, buffer(), voters()));
            write(out, MemoryRecords.withVotersRecord(3, 1003, 7, buffer(), new VotersRecord()));
            LeaderChangeMessage change = new LeaderChangeMessage()
                .setLeaderId(3)
                .setVoters(List.of(
                    new LeaderChangeMessage.Voter().setVoterId(3), new LeaderChangeMessage.Voter().setVoterId(4)))
                .setGrantingVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(3)));
            write(out, MemoryRecords.withLeaderChangeMessage(4, 1004, 7, buffer(), change));
            SnapshotFooterRecord footer = new SnapshotFooterRecord();
            write(out, MemoryRecords.withSnapshotFooterRecord(5, 1005, 7, buffer(), footer));
        }
    }

    private static VotersRecord voters() {
        VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
        endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("node-1.example").setPort(65535));
        endpoints.add(new VotersRecord.Endpoint().setName("zo\u00eb \"\\\n\u0001\u001f\u007f").setHost("").setPort(0));
        VotersRecord.Voter first = new VotersRecord.Voter()
            .setVoterId(3)
            .setVoterDirectoryId(new Uuid(0x0001020304050607L, 0xf8f9fafbfcfdfeffL))
            .setEndpoints(endpoints)
            .setKRaftVersionFeature(
                new VotersRecord.KRaftVersionFeature().setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1));
        first.unknownTaggedFields().add(TAG);
        return new VotersRecord().setVoters(List.of(first, new VotersRecord.Voter().setVoterId(4)));
    }

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(1024);
    }

    private static void write(OutputStream out, MemoryRecords records) throws Exception {
        ByteBuffer bytes = records.buffer();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.write(copy);
    }
}
