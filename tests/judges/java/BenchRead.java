import @RECORDS@.FileRecords;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/**
 * Reads with Kafka's classes what bench/columns.py measures beside the columns.
 *
 * A line of standard input per piece of work, a line of answer when it is done:
 *
 *   cpu       CPU nanoseconds of this process so far, its threads for compiling and collecting too
 *   read LOG  read a .log from beginning to end, checksums verified and every record visited; what is answered is
 *             the number of records and the sums of offsets, timestamps, lengths of keys and lengths of values
 */
public final class BenchRead {
    public static void main(String[] arguments) throws Exception {
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            System.out.println(answer(line.split(" ")));
            System.out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "cpu":
                return Long.toString(((com.sun.management.OperatingSystemMXBean)
                    ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime());
            case "read":
                return read(new File(words[1]));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static String read(File log) throws Exception {
        long count = 0;
        long offsets = 0;
        long timestamps = 0;
        long keys = 0;
        long values = 0;
        try (FileRecords file = FileRecords.open(log, false)) {
            for (var batch : file.batches()) {
                batch.ensureValid();
                for (var record : batch) {
                    ByteBuffer key = record.key();
                    ByteBuffer value = record.value();
                    count++;
                    offsets += record.offset();
                    timestamps += record.timestamp();
                    keys += key == null ? 0 : key.remaining();
                    values += value == null ? 0 : value.remaining();
                }
            }
        }
        return count + " " + offsets + " " + timestamps + " " + keys + " " + values;
    }
}
