import @RECORDS@.FileRecords;
import @RECORDS@.MemoryRecords;
import @RECORDS@.RecordBatch;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a segment with Kafka's LogSegment, whose index files are then there to be compared.
 *
 * Arguments: mode, partition directory, base offset, index.interval.bytes, segment.index.bytes, and, unless the mode
 * is recover, a .log file and how many of its batches each append call gets ("1" for one each, "3,2" for a list that
 * is repeated). Modes: "close" appends and closes; "open" appends and leaves the indexes as they are while active;
 * "recover" rebuilds the indexes of the .log that is already in the directory, prints the bytes cut off, closes.
 */
public final class BuildIndexes {
    public static void main(String[] arguments) throws Exception {
        String mode = arguments[0];
        File directory = new File(arguments[1]);
        long baseOffset = Long.parseLong(arguments[2]);
        LogConfig config = new LogConfig(Map.of(
            "index.interval.bytes", arguments[3], "segment.index.bytes", arguments[4]));
        boolean recovers = mode.equals("recover");
        LogSegment segment = LogSegment.open(directory, baseOffset, config, Time.SYSTEM, recovers, 0, false, "");
        if (recovers) {
            System.out.println(recover(segment, directory));
        } else {
            appendAll(segment, new File(arguments[5]), arguments[6].split(","));
        }
        if (mode.equals("open")) {
            segment.flush();
        } else {
            // Since 4.4 a segment's close leaves that to who closes the log; what was done before, is not done again.
            segment.onBecomeInactiveSegment();
            segment.close();
        }
    }

    private static void appendAll(LogSegment segment, File source, String[] sizes) throws Exception {
        try (FileRecords records = FileRecords.open(source, false)) {
            List<RecordBatch> group = new ArrayList<>();
            int appended = 0;
            for (RecordBatch batch : records.batches()) {
                group.add(batch);
                if (group.size() == Integer.parseInt(sizes[appended % sizes.length])) {
                    append(segment, group);
                    group.clear();
                    appended += 1;
                }
            }
            if (!group.isEmpty()) {
                append(segment, group);
            }
        }
    }

    private static void append(LogSegment segment, List<RecordBatch> group) throws Exception {
        int size = group.stream().mapToInt(RecordBatch::sizeInBytes).sum();
        ByteBuffer buffer = ByteBuffer.allocate(size);
        RecordBatch largest = group.get(0);
        for (RecordBatch batch : group) {
            batch.writeTo(buffer);
            if (batch.maxTimestamp() > largest.maxTimestamp()) {
                largest = batch;
            }
        }
        buffer.flip();
        MemoryRecords records = MemoryRecords.readableRecords(buffer);
        long lastOffset = group.get(group.size() - 1).lastOffset();
        for (Method method : LogSegment.class.getMethods()) {
            if (method.getName().equals("append")) {
                // Up to 3.9.0 the caller says which timestamp is the largest and whose offset goes with it.
                Object[] values = method.getParameterCount() == 4
                    ? new Object[] {lastOffset, largest.maxTimestamp(), largest.lastOffset(), records}
                    : new Object[] {lastOffset, records};
                call(method, segment, values);
                return;
            }
        }
        throw new NoSuchMethodException("LogSegment.append");
    }

    private static Object recover(LogSegment segment, File directory) throws Exception {
        TopicPartition partition = new TopicPartition("judged", 0);
        ProducerStateManager producers = new ProducerStateManager(
            partition, directory, 900_000, new ProducerStateManagerConfig(86_400_000, false), Time.SYSTEM);
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        try {
            LeaderEpochFileCache epochs = new LeaderEpochFileCache(
                partition, new LeaderEpochCheckpointFile(
                    LeaderEpochCheckpointFile.newFile(directory), new LogDirFailureChannel(1)), scheduler);
            for (Method method : LogSegment.class.getMethods()) {
                if (method.getName().equals("recover")) {
                    boolean optional = method.getParameterTypes()[1] == Optional.class;
                    return call(method, segment, producers, optional ? Optional.of(epochs) : epochs);
                }
            }
            throw new NoSuchMethodException("LogSegment.recover");
        } finally {
            scheduler.shutdown();
        }
    }

    private static Object call(Method method, Object target, Object... values) throws Exception {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException wrapped) {
            throw (Exception) wrapped.getCause();
        }
    }
}
