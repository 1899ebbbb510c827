import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.io.BufferedWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks a broker, with the clients of its own version, for all that it says about partition 0 of some topics.
 *
 * Arguments: BOOTSTRAP DIRECTORY THREADS. DIRECTORY/wanted has a line per topic: its name and the timestamps to look
 * for, between blanks. Written are, all fields between tabs, bytes in base64, "-" for null:
 *
 *   read_uncommitted, read_committed    TOPIC OFFSET TIMESTAMP TYPE LEADER-EPOCH KEY VALUE [HEADER-KEY HEADER-VALUE]...
 *                                       of all records that a consumer of that isolation level gets
 *   times                               TOPIC WANTED OFFSET TIMESTAMP LEADER-EPOCH; OFFSET is -1 where there is none
 *   named                               TOPIC NAME OFFSET TIMESTAMP LEADER-EPOCH; NAME as OffsetSpec's method
 *
 * A leader epoch that the broker does not tell is -1.
 */
public final class AskBroker {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        Path directory = Path.of(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        Map<TopicPartition, long[]> wanted = new LinkedHashMap<>();
        for (String line : Files.readAllLines(directory.resolve("wanted"), StandardCharsets.UTF_8)) {
            String[] words = line.split(" ");
            long[] timestamps = Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray();
            wanted.put(new TopicPartition(words[0], 0), timestamps);
        }
        for (String isolation : List.of("read_uncommitted", "read_committed")) {
            try (BufferedWriter out = Files.newBufferedWriter(directory.resolve(isolation))) {
                read(bootstrap, isolation, wanted.keySet(), out);
            }
        }
        try (BufferedWriter out = Files.newBufferedWriter(directory.resolve("times"))) {
            findTimes(bootstrap, wanted, threads, out);
        }
        try (BufferedWriter out = Files.newBufferedWriter(directory.resolve("named"))) {
            findNamed(bootstrap, wanted.keySet(), out);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, String isolation) {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"); // an offset out of range is an error
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void read(String bootstrap, String isolation, Collection<TopicPartition> partitions, Writer out)
            throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap, isolation)) {
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
            consumer.beginningOffsets(partitions, PATIENCE).forEach(consumer::seek);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey(), PATIENCE) < end.getValue())) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("not at the end of all partitions in time");
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    out.write(describe(record));
                }
            }
        }
    }

    private static String describe(ConsumerRecord<byte[], byte[]> record) {
        StringBuilder line = new StringBuilder(record.topic())
            .append('\t').append(record.offset())
            .append('\t').append(record.timestamp())
            .append('\t').append(record.timestampType().name)
            .append('\t').append(record.leaderEpoch().orElse(-1))
            .append('\t').append(base64(record.key()))
            .append('\t').append(base64(record.value()));
        for (Header header : record.headers()) {
            line.append('\t').append(base64(header.key().getBytes(StandardCharsets.UTF_8)));
            line.append('\t').append(base64(header.value()));
        }
        return line.append('\n').toString();
    }

    private static String base64(byte[] bytes) {
        return bytes == null ? "-" : Base64.getEncoder().encodeToString(bytes);
    }

    /** A request takes one timestamp of a partition, so each asks for one of every partition. */
    private static void findTimes(String bootstrap, Map<TopicPartition, long[]> wanted, int threads, Writer out)
            throws Exception {
        int rounds = wanted.values().stream().mapToInt(timestamps -> timestamps.length).max().orElse(0);
        AtomicInteger next = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<StringBuilder>> answers = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            answers.add(pool.submit(() -> {
                StringBuilder lines = new StringBuilder();
                try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap, "read_uncommitted")) {
                    consumer.assign(wanted.keySet());
                    for (int round = next.getAndIncrement(); round < rounds; round = next.getAndIncrement()) {
                        Map<TopicPartition, Long> asked = new HashMap<>();
                        for (Map.Entry<TopicPartition, long[]> each : wanted.entrySet()) {
                            if (round < each.getValue().length) {
                                asked.put(each.getKey(), each.getValue()[round]);
                            }
                        }
                        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(asked, PATIENCE);
                        asked.forEach((partition, timestamp) -> {
                            OffsetAndTimestamp one = found.get(partition);
                            lines.append(partition.topic()).append('\t').append(timestamp).append('\t');
                            append(lines, one == null ? -1 : one.offset(), one == null ? -1 : one.timestamp(),
                                one == null ? Optional.empty() : one.leaderEpoch());
                        });
                    }
                }
                return lines;
            }));
        }
        for (Future<StringBuilder> answer : answers) {
            out.append(answer.get());
        }
        pool.shutdown();
    }

    private static void findNamed(String bootstrap, Collection<TopicPartition> partitions, Writer out) throws Exception {
        Map<String, OffsetSpec> specs = Map.of("earliest", OffsetSpec.earliest(), "latest", OffsetSpec.latest(),
            "maxTimestamp", OffsetSpec.maxTimestamp(), "earliestLocal", OffsetSpec.earliestLocal(),
            "latestTiered", OffsetSpec.latestTiered());
        StringBuilder lines = new StringBuilder();
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            for (Map.Entry<String, OffsetSpec> spec : specs.entrySet()) {
                Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
                partitions.forEach(partition -> asked.put(partition, spec.getValue()));
                Map<TopicPartition, ListOffsetsResultInfo> found = admin.listOffsets(asked).all().get();
                found.forEach((partition, one) -> {
                    lines.append(partition.topic()).append('\t').append(spec.getKey()).append('\t');
                    append(lines, one.offset(), one.timestamp(), one.leaderEpoch());
                });
            }
        }
        out.append(lines);
    }

    private static void append(StringBuilder lines, long offset, long timestamp, Optional<Integer> leaderEpoch) {
        lines.append(offset).append('\t').append(timestamp).append('\t').append(leaderEpoch.orElse(-1)).append('\n');
    }
}
