import @RECORDS@.FileRecords;
import @RECORDS@.Record;
import @RECORDS@.RecordBatch;

import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;

import java.io.File;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one .log file with Kafka's record classes and prints a line of JSON per batch; the first error of a batch, of
 * its header or of a record, stands beside what was read of it, an error of the framing is the last line.
 */
public final class ReadBatches {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        int position = 0;
        try (FileRecords records = FileRecords.open(new File(arguments[0]), false)) {
            for (RecordBatch batch : records.batches()) {
                System.out.println(JSON.writeValueAsString(describe(batch, position)));
                position += batch.sizeInBytes();
            }
            if (position != records.sizeInBytes()) {
                System.out.println(JSON.writeValueAsString(Map.of("position", position, "error", "trailing bytes")));
            }
        } catch (RuntimeException error) {
            System.out.println(JSON.writeValueAsString(Map.of("position", position, "error", error.toString())));
        }
    }

    private static Map<String, Object> describe(RecordBatch batch, int position) {
        Map<String, Object> line = new LinkedHashMap<>();
        List<Object> records = new ArrayList<>();
        line.put("position", position);
        line.put("size", batch.sizeInBytes());
        line.put("magic", batch.magic());
        try {
            line.put("last_offset", batch.lastOffset());
            line.put("partition_leader_epoch", batch.partitionLeaderEpoch());
            line.put("timestamp_type", batch.timestampType().name);
            line.put("max_timestamp", batch.maxTimestamp());
            line.put("producer_id", batch.producerId());
            line.put("producer_epoch", batch.producerEpoch());
            line.put("base_sequence", batch.baseSequence());
            line.put("last_sequence", batch.lastSequence());
            line.put("is_transactional", batch.isTransactional());
            line.put("is_control", batch.isControlBatch());
            line.put("delete_horizon_ms", batch.deleteHorizonMs().isPresent() ? batch.deleteHorizonMs().getAsLong() : null);
            line.put("records_count", batch.countOrNull());
            line.put("crc", batch.checksum());
            line.put("is_valid", batch.isValid());
            line.put("compression", batch.compressionType().name);
            line.put("base_offset", batch.baseOffset()); // of a wrapper it has to be found among its messages
            for (Record record : batch) {
                records.add(describe(record));
            }
        } catch (RuntimeException | Error error) {
            // An error, too: snappy's is one, and a count of two thousand million does not fit the heap.
            line.put("error", error.toString());
        }
        line.put("records", records);
        return line;
    }

    private static Map<String, Object> describe(Record record) {
        Map<String, Object> line = new LinkedHashMap<>();
        List<Object> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            List<String> pair = new ArrayList<>();
            pair.add(header.key());
            pair.add(base64(header.value() == null ? null : ByteBuffer.wrap(header.value())));
            headers.add(pair);
        }
        line.put("offset", record.offset());
        line.put("timestamp", record.timestamp());
        line.put("sequence", record.sequence());
        line.put("key", base64(record.key()));
        line.put("value", base64(record.value()));
        line.put("headers", headers);
        return line;
    }

    private static String base64(ByteBuffer bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(Utils.toArray(bytes));
    }
}
