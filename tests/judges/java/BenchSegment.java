import @LOG@.UnifiedLog;
import @RECORDS@.FileRecords;
import @RECORDS@.MemoryRecords;
import @RECORDS@.MemoryRecordsBuilder;
import @RECORDS@.Record;
import @RECORDS@.RecordBatch;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Does with Kafka's classes what bench/engine.py measures beside the engine.
 *
 * A line of standard input per piece of work, a line of answer when it is done; files and folders are made and removed
 * by who asks:
 *
 *   cpu                          CPU nanoseconds of this process so far, its threads for compiling and collecting too
 *   segment LOG FOLDER SIZE      append the batches of a .log, each SIZE bytes, to a segment made there
 *   leader LOG FOLDER SIZE       append them as producers' batches, which are checked and get offsets
 *   lookup INDEX COUNT SPAN      look offsets up; the sum of the positions
 *   translate FOLDER COUNT SPAN  have a segment find offsets; the sum of the positions
 *   read FOLDER COUNT SPAN       read records by their offsets, checksums verified; the sum of what was found
 *   times FOLDER COUNT SPAN MS   look timestamps up, from MS on; the sum of the offsets
 *   records FOLDER COUNT         append so many records, put into batches of 16 KB, as a leader; the log's end
 *   compact FOLDER SIZE MAP      compact a log whose segments have SIZE bytes, with a map of MAP bytes; the new end
 *   recover FOLDER               rebuild the indexes of the segment at offset 0; the bytes cut off
 *
 * The offsets looked up are i * 2654435761 mod SPAN, i from 0 to COUNT.
 */
public final class BenchSegment {
    private static final long STEP = 2_654_435_761L;

    public static void main(String[] arguments) throws Exception {
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            System.out.println(answer(line.split(" ")));
            System.out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private static Object answer(String[] words) throws Exception {
        switch (words[0]) {
            case "cpu":
                return ((com.sun.management.OperatingSystemMXBean)
                    ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
            case "segment":
                return appendToSegment(Path.of(words[1]), new File(words[2]), Integer.parseInt(words[3]));
            case "leader":
                return appendAsLeader(Path.of(words[1]), new File(words[2]), Integer.parseInt(words[3]));
            case "lookup":
                return lookUp(new File(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
            case "translate":
                return translate(new File(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
            case "read":
                return read(new File(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
            case "times":
                return times(
                    new File(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
            case "records":
                return appendRecords(new File(words[1]), Integer.parseInt(words[2]));
            case "compact":
                return compact(new File(words[1]), words[2], Integer.parseInt(words[3]));
            case "recover":
                return recover(new File(words[1]));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static LogConfig config() {
        return new LogConfig(Map.of("segment.bytes", Integer.toString(Integer.MAX_VALUE)));
    }

    private static LogSegment open(File folder, boolean exists) throws Exception {
        return LogSegment.open(folder, 0, config(), Time.SYSTEM, exists, 0, false, "");
    }

    private static MappedByteBuffer mapped(Path log) throws Exception {
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    private static long appendToSegment(Path log, File folder, int size) throws Exception {
        MappedByteBuffer batches = mapped(log);
        LogSegment segment = open(folder, false);
        for (int position = 0; position < batches.capacity(); position += size) {
            MemoryRecords records = MemoryRecords.readableRecords(batches.slice(position, size));
            segment.append(records.lastBatch().get().lastOffset(), records);
        }
        segment.onBecomeInactiveSegment(); // from 4.4.0 on, closing a segment alone does not trim its indexes
        segment.close();
        return batches.capacity();
    }

    /** The batches are copied first: a leader writes offsets into them. */
    private static long appendAsLeader(Path log, File folder, int size) throws Exception {
        MappedByteBuffer batches = mapped(log);
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        try {
            UnifiedLog unified = PlayLog.open(folder, config(), true, 0, 0, scheduler, Time.SYSTEM);
            for (int position = 0; position < batches.capacity(); position += size) {
                ByteBuffer copy = ByteBuffer.allocate(size);
                copy.put(batches.slice(position, size)).flip();
                PlayLog.appendAsLeader(unified, MemoryRecords.readableRecords(copy), 0);
            }
            unified.activeSegment().onBecomeInactiveSegment();
            unified.close();
        } finally {
            scheduler.shutdown();
        }
        return batches.capacity();
    }

    private static long lookUp(File file, int count, long span) throws Exception {
        OffsetIndex index = new OffsetIndex(file, 0, -1, false);
        long sum = 0;
        for (long i = 0; i < count; i++) {
            sum += index.lookup(i * STEP % span).indexValue();
        }
        index.@RELEASE@();
        return sum;
    }

    private static long translate(File folder, int count, long span) throws Exception {
        LogSegment segment = open(folder, true);
        long sum = 0;
        for (long i = 0; i < count; i++) {
            FileRecords.LogOffsetPosition found = segment.translateOffset(i * STEP % span);
            sum += found.position;
        }
        segment.close();
        return sum;
    }

    /** As a consumer gets it: the broker's segment finds the batch, the consumer verifies it and passes over records. */
    private static long read(File folder, int count, long span) throws Exception {
        LogSegment segment = open(folder, true);
        long sum = 0;
        for (long i = 0; i < count; i++) {
            sum += valueBytesAt(segment, i * STEP % span);
        }
        segment.close();
        return sum;
    }

    private static long valueBytesAt(LogSegment segment, long offset) throws Exception {
        FileRecords stored = (FileRecords) segment.read(offset, 16384).records;
        ByteBuffer bytes = ByteBuffer.allocate(stored.sizeInBytes());
        stored.readInto(bytes, 0);
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                if (record.offset() >= offset) {
                    byte[] value = new byte[record.valueSize()];
                    record.value().get(value);
                    return record.offset() + value.length;
                }
            }
        }
        throw new IllegalStateException("no record at " + offset);
    }

    private static long times(File folder, int count, long span, long startMs) throws Exception {
        LogSegment segment = open(folder, true);
        long sum = 0;
        for (long i = 0; i < count; i++) {
            sum += segment.findOffsetByTimestamp(startMs + i * STEP % span, 0@BOUND@).get().offset;
        }
        segment.close();
        return sum;
    }

    private static long appendRecords(File folder, int count) throws Exception {
        byte[] value = new byte[100];
        Arrays.fill(value, (byte) 'v');
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        try {
            UnifiedLog unified = PlayLog.open(folder, config(), true, 0, 0, scheduler, Time.SYSTEM);
            int number = 0;
            while (number < count) {
                MemoryRecordsBuilder builder = MemoryRecords.builder(
                    ByteBuffer.allocate(16384), Compression.NONE, TimestampType.CREATE_TIME, 0L);
                byte[] key = key(number);
                long now = Time.SYSTEM.milliseconds();
                while (number < count && builder.hasRoomFor(now, key, value, Record.EMPTY_HEADERS)) {
                    builder.append(now, key, value);
                    key = key(++number);
                }
                PlayLog.appendAsLeader(unified, builder.build(), 0);
            }
            unified.close();
        } finally {
            scheduler.shutdown();
        }
        return count;
    }

    private static byte[] key(int number) {
        return String.format("key-%06d", number % 1_000_000).getBytes(StandardCharsets.US_ASCII);
    }

    private static long compact(File folder, String segmentBytes, int mapBytes) throws Exception {
        LogConfig config = new LogConfig(Map.of("segment.bytes", segmentBytes, "cleanup.policy", "compact"));
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        try {
            UnifiedLog unified = PlayLog.open(folder, config, true, 0, 0, scheduler, Time.SYSTEM);
            unified.updateHighWatermark(unified.logEndOffset());
            long end = PlayLog.clean(PlayLog.toClean(unified), mapBytes, Time.SYSTEM);
            unified.close();
            return end;
        } finally {
            scheduler.shutdown();
        }
    }

    private static int recover(File folder) throws Exception {
        TopicPartition partition = new TopicPartition("bench", 0);
        ProducerStateManager producers = new ProducerStateManager(
            partition, folder, 900_000, new ProducerStateManagerConfig(86_400_000, false), Time.SYSTEM);
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        LogSegment segment = open(folder, true);
        try {
            LeaderEpochFileCache epochs = new LeaderEpochFileCache(
                partition, new LeaderEpochCheckpointFile(
                    LeaderEpochCheckpointFile.newFile(folder), new LogDirFailureChannel(1)), scheduler);
            for (Method method : LogSegment.class.getMethods()) {
                if (method.getName().equals("recover")) {
                    boolean optional = method.getParameterTypes()[1] == Optional.class;
                    return (int) method.invoke(segment, producers, optional ? Optional.of(epochs) : epochs);
                }
            }
            throw new NoSuchMethodException("LogSegment.recover");
        } catch (InvocationTargetException wrapped) {
            throw (Exception) wrapped.getCause();
        } finally {
            segment.close();
            scheduler.shutdown();
        }
    }
}
