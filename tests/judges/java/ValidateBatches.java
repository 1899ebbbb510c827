import @RECORDS@.CompressionType;
import @RECORDS@.MemoryRecords;
import @RECORDS@.RecordBatch;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import @UTILS@.BufferSupplier;
import @UTILS@.PrimitiveRef;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Has Kafka's LogValidator take batches as the leader of a partition does.
 *
 * The argument is a file of lines: next offset, leader epoch, clock (ms), message.timestamp.type, its bounds before and
 * after (ms), compression.type, whether the topic is compacted, batches in hex. For each a line is printed: "ok", the
 * largest timestamp, and the batches in hex; or "error", the exception's class and message.
 */
public final class ValidateBatches {
    private static final LogValidator.MetricsRecorder METRICS = new LogValidator.MetricsRecorder() {
        @Override
        public void recordInvalidMagic() { }

        @Override
        public void recordInvalidOffset() { }

        @Override
        public void recordInvalidSequence() { }

        @Override
        public void recordInvalidChecksums() { }

        @Override
        public void recordNoKeyCompactedTopic() { }
    };

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String answer;
            try {
                answer = validated(line.split("\t"));
            } catch (Exception error) {
                Throwable cause = error.getClass().getSimpleName().equals("RecordValidationException")
                    ? (Throwable) error.getClass().getMethod("invalidException").invoke(error) : error;
                answer = "error\t" + cause.getClass().getSimpleName() + "\t" + cause.getMessage();
            }
            System.out.println(answer.replace('\n', ' '));
        }
    }

    private static String validated(String[] given) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(given[8]);
        MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
        CompressionType source = CompressionType.NONE;
        int validBytes = 0;
        // What UnifiedLog does before, to each batch and without the lock.
        for (RecordBatch batch : records.batches()) {
            if (batch.magic() >= RecordBatch.MAGIC_VALUE_V2 && batch.baseOffset() != 0) {
                throw new InvalidRecordException("The baseOffset of the record batch should be 0");
            }
            batch.ensureValid();
            validBytes += batch.sizeInBytes();
            if (batch.compressionType() != CompressionType.NONE) {
                source = batch.compressionType();
            }
        }
        records = MemoryRecords.readableRecords(ByteBuffer.wrap(Arrays.copyOf(bytes, validBytes)));
        String wanted = given[6];
        Compression target = wanted.equals("producer")
            ? Compression.of(source).build() : Compression.of(wanted.equals("uncompressed") ? "none" : wanted).build();
        List<Object> values = new ArrayList<>(List.of(
            records, new TopicPartition("judged", 0), clock(Long.parseLong(given[2])), source, target,
            Boolean.parseBoolean(given[7]), RecordBatch.CURRENT_MAGIC_VALUE, TimestampType.forName(given[3]),
            Long.parseLong(given[4]), Long.parseLong(given[5]), Integer.parseInt(given[1]), AppendOrigin.CLIENT));
        Constructor<?> make = LogValidator.class.getConstructors()[0];
        if (make.getParameterCount() > values.size()) { // up to 3.9 the version that brokers speak to each other
            values.add(MetadataVersion.latestTesting());
        }
        LogValidator.ValidationResult result;
        try {
            result = ((LogValidator) make.newInstance(values.toArray())).validateMessagesAndAssignOffsets(
                PrimitiveRef.ofLong(Long.parseLong(given[0])), METRICS, BufferSupplier.NO_CACHING);
        } catch (InvocationTargetException wrapped) {
            throw (Exception) wrapped.getCause();
        }
        MemoryRecords made = (MemoryRecords) member(result, "validatedRecords");
        return "ok\t" + member(result, "maxTimestampMs") + "\t" + HexFormat.of().formatHex(Utils.toArray(made.buffer()));
    }

    /** A field up to 3.9, a method of a record later. */
    private static Object member(Object result, String name) throws Exception {
        return result.getClass().isRecord()
            ? result.getClass().getMethod(name).invoke(result) : result.getClass().getField(name).get(result);
    }

    private static Time clock(long now) {
        return (Time) Proxy.newProxyInstance(Time.class.getClassLoader(), new Class<?>[] {Time.class},
            (proxy, method, values) -> switch (method.getName()) {
                case "milliseconds" -> now;
                case "nanoseconds" -> 0L;
                default -> throw new UnsupportedOperationException(method.getName());
            });
    }
}
