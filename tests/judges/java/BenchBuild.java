import @RECORDS@.MemoryRecords;
import @RECORDS@.MemoryRecordsBuilder;
import @RECORDS@.RecordBatch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.compress.GzipCompression;
import org.apache.kafka.common.compress.Lz4Compression;
import org.apache.kafka.common.compress.SnappyCompression;
import org.apache.kafka.common.compress.ZstdCompression;
import org.apache.kafka.common.record.TimestampType;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds with Kafka's classes the batches that bench/building.py measures beside ours.
 *
 * A line of standard input per piece of work, a line of answer when it is done:
 *
 *   cpu                      CPU nanoseconds of this process so far, its threads for compiling and collecting too
 *   load FILE KEY VALUE T    take the records from a file: keys and values of so many bytes, one behind the other;
 *                            timestamps count from T. The number of records
 *   build CODEC COUNT        build batches of COUNT records each, as a producer's accumulator does; all are dropped.
 *                            How many bytes they have
 *   write CODEC COUNT FILE   the same, to a file; how many bytes
 */
public final class BenchBuild {
    private static final int BATCH_SIZE = 16384;

    private static final List<byte[]> KEYS = new ArrayList<>();
    private static final List<byte[]> VALUES = new ArrayList<>();
    private static long first;

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
            case "load":
                return load(Path.of(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]),
                    Long.parseLong(words[4]));
            case "build":
                return build(words[1], Integer.parseInt(words[2]), null);
            case "write":
                return build(words[1], Integer.parseInt(words[2]), Path.of(words[3]));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static int load(Path file, int keyBytes, int valueBytes, long timestamp) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(file));
        KEYS.clear();
        VALUES.clear();
        while (data.hasRemaining()) {
            byte[] key = new byte[keyBytes];
            byte[] value = new byte[valueBytes];
            data.get(key).get(value);
            KEYS.add(key);
            VALUES.add(value);
        }
        first = timestamp;
        return KEYS.size();
    }

    private static Compression compression(String codec) {
        switch (codec) {
            case "none":
                return Compression.NONE;
            case "gzip":
                return new GzipCompression.Builder().build();
            case "snappy":
                return new SnappyCompression.Builder().build();
            case "lz4":
                return new Lz4Compression.Builder().build();
            case "zstd":
                return new ZstdCompression.Builder().build();
            default:
                throw new IllegalArgumentException(codec);
        }
    }

    private static long build(String codec, int count, Path file) throws Exception {
        Compression compression = compression(codec);
        long bytes = 0;
        ByteBuffer buffer = ByteBuffer.allocate(BATCH_SIZE);
        var out = file == null ? null : Files.newOutputStream(file);
        for (int start = 0; start < KEYS.size(); start += count) {
            buffer.clear();
            MemoryRecordsBuilder builder = MemoryRecords.builder(
                buffer, RecordBatch.MAGIC_VALUE_V2, compression, TimestampType.CREATE_TIME, start);
            int end = Math.min(start + count, KEYS.size());
            for (int number = start; number < end; number++) {
                builder.append(first + number, KEYS.get(number), VALUES.get(number));
            }
            MemoryRecords records = builder.build();
            bytes += records.sizeInBytes();
            if (out != null) {
                byte[] written = new byte[records.sizeInBytes()];
                records.buffer().get(written);
                out.write(written);
            }
        }
        if (out != null) {
            out.close();
        }
        return bytes;
    }
}
