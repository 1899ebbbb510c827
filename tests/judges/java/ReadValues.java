import @RECORDS@.ControlRecordType;
import @RECORDS@.ControlRecordUtils;
import @RECORDS@.EndTransactionMarker;

import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.VotersRecord;
import @ABORTED@;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.TransactionIndex;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads small files and the keys and values of control records with Kafka's own classes. Argument: a file of lines
 * "format hex". Prints a line of JSON for each: fields under their declared names, or an error.
 */
public final class ReadValues {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        File scratch = File.createTempFile("kformat-values-", ".bytes");
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] parts = line.split(" ", -1);
            Map<String, Object> answer = new LinkedHashMap<>();
            try {
                read(parts[0], HexFormat.of().parseHex(parts[1]), scratch, answer);
            } catch (Exception | Error error) {
                answer.put("error", error.toString());
            }
            System.out.println(JSON.writeValueAsString(answer));
        }
        scratch.delete();
    }

    private static void read(String format, byte[] data, File scratch, Map<String, Object> answer) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        switch (format) {
            case "control_record_type_schema" -> answer.put("type", ControlRecordType.parseTypeId(bytes));
            case "end_txn_marker" -> answer.put("coordinator_epoch", marker(bytes));
            case "leader_change_message" -> {
                LeaderChangeMessage change = ControlRecordUtils.deserializeLeaderChangeMessage(bytes);
                answer.put("leader_id", change.leaderId());
                answer.put("voters", voters(change.voters()));
                answer.put("granting_voters", voters(change.grantingVoters()));
            }
            case "snapshot_header_record" -> answer.put("last_contained_log_timestamp",
                ControlRecordUtils.deserializeSnapshotHeaderRecord(bytes).lastContainedLogTimestamp());
            case "snapshot_footer_record" -> ControlRecordUtils.deserializeSnapshotFooterRecord(bytes);
            case "kraft_version_record" -> answer.put("kraft_version",
                ControlRecordUtils.deserializeKRaftVersionRecord(bytes).kRaftVersion());
            case "voters_record" -> answer.put("voters", kraftVoters(bytes));
            case "transaction_index" -> {
                Files.write(scratch.toPath(), data);
                List<Object> entries = new ArrayList<>();
                TransactionIndex index = new TransactionIndex(0, scratch);
                try {
                    for (AbortedTxn entry : index.allAbortedTxns()) {
                        entries.add(List.of(version(entry), entry.producerId(), entry.firstOffset(),
                            entry.lastOffset(), entry.lastStableOffset()));
                    }
                } finally {
                    index.close();
                }
                answer.put("entries", entries);
            }
            case "producer_snapshot" -> {
                Files.write(scratch.toPath(), data);
                List<Object> entries = new ArrayList<>();
                for (ProducerStateEntry entry : ProducerStateManager.readSnapshot(scratch)) {
                    entries.add(List.of(entry.producerId(), entry.producerEpoch(), entry.coordinatorEpoch(),
                        entry.lastTimestamp(), entry.currentTxnFirstOffset().orElse(-1)));
                }
                answer.put("entries", entries);
            }
            default -> throw new IllegalArgumentException(format);
        }
    }

    /** An entry told its version up to 4.3; since then it is a message, and what is read has the version that is known. */
    private static short version(AbortedTxn entry) throws Exception {
        try {
            return (short) AbortedTxn.class.getMethod("version").invoke(entry);
        } catch (NoSuchMethodException none) {
            return AbortedTxn.class.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        }
    }

    private static int marker(ByteBuffer bytes) throws Exception {
        Method method = EndTransactionMarker.class
            .getDeclaredMethod("deserializeValue", ControlRecordType.class, ByteBuffer.class);
        method.setAccessible(true);
        try {
            return ((EndTransactionMarker) method.invoke(null, ControlRecordType.COMMIT, bytes)).coordinatorEpoch();
        } catch (InvocationTargetException wrapped) {
            throw (Exception) wrapped.getCause();
        }
    }

    private static List<Object> voters(List<LeaderChangeMessage.Voter> voters) {
        List<Object> found = new ArrayList<>();
        voters.forEach(voter -> found.add(voter.voterId()));
        return found;
    }

    private static List<Object> kraftVoters(ByteBuffer bytes) {
        List<Object> found = new ArrayList<>();
        for (VotersRecord.Voter voter : ControlRecordUtils.deserializeVotersRecord(bytes).voters()) {
            List<Object> endpoints = new ArrayList<>();
            voter.endpoints().forEach(endpoint ->
                endpoints.add(List.of(endpoint.name(), endpoint.host(), endpoint.port())));
            found.add(List.of(voter.voterId(), endpoints, voter.kRaftVersionFeature().minSupportedVersion(),
                voter.kRaftVersionFeature().maxSupportedVersion()));
        }
        return found;
    }
}
