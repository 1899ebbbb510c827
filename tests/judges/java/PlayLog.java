import @LOG@.Cleaner;
import @LOG@.LogCleanerManager;
import @LOG@.LogToClean;
import @LOG@.PreCleanStats;
import @LOG@.UnifiedLog;
import @RECORDS@.FileRecords;
import @RECORDS@.MemoryRecords;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.AbstractIndex;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.utils.Throttler;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32;

/**
 * Plays scripts on Kafka's own log (UnifiedLog: it decides when to roll, and has LocalLog and LogSegment do the rest).
 *
 * Arguments: a file of scripts, and a file of batches that they append slices of. A script begins with
 * "script DIRECTORY CLOCK-MS CONFIG=VALUE ..." and has an operation per line:
 *
 *   open STATE RECOVERY-POINT             STATE is clean or unclean; the log's start is what it was when it was left
 *   close                                 begins a segment first where a truncation left the log's end above that of
 *                                         its files: Kafka forgets that end when it closes, the engine does not
 *   abandon                               leaves the files as a killed broker would
 *   append leader EPOCH POSITION SIZE | append follower EPOCH POSITION SIZE
 *   truncate OFFSET                       asks first for the largest timestamps, as retention does every few minutes:
 *                                         a segment that was just opened forgets its own otherwise
 *   roll | truncate_fully OFFSET | delete_records OFFSET | retain
 *   compact MAP-BYTES                     by Kafka's cleaner, if its manager says that it is due: the answer has where
 *                                         the dirty part begins and has to end, and the new checkpoint
 *   clock MS                              tasks that are due then are run, after every operation
 *   state | translate OFFSET | time TIMESTAMP | find BASE-OFFSET TIMESTAMP OFFSET
 *   read OFFSET MAX-BYTES MIN-ONE         MIN-ONE is 0 or 1
 *   delete NAME-ENDING | cut BYTES        cut that many bytes from the end of the last .log
 *   spoil BYTES                           invert the byte that lies so far before the end of the last .log
 *
 * Prints a line per script: the answers of its operations, separated by tabs. What Kafka throws is the answer
 * "error CLASS". Where an index refuses an entry, in the middle of an append, a roll or a recovery, what is left is
 * undefined: the answer is "broken" from then on. Other exceptions end the program.
 */
public final class PlayLog {
    /** A clock that stands still until it is set. */
    static final class SetClock implements Time {
        long now;

        @Override
        public long milliseconds() {
            return now;
        }

        @Override
        public long nanoseconds() {
            return now * 1_000_000;
        }

        @Override
        public void sleep(long ms) {
            now += ms;
        }

        @Override
        public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
            throw new UnsupportedOperationException();
        }
    }

    /** What Kafka gets back for a task: nothing that it would ask of it. */
    static final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {
        final long dueMs;

        Task(Runnable work, long dueMs) {
            super(work, null);
            this.dueMs = dueMs;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(dueMs, ((Task) other).dueMs);
        }
    }

    /** Keeps what Kafka would do later; repeated tasks are left alone. */
    static final class SetScheduler implements Scheduler {
        final SetClock clock;
        final List<Task> waiting = new ArrayList<>();

        SetScheduler(SetClock clock) {
            this.clock = clock;
        }

        void runWhatIsDue() throws Exception {
            while (true) {
                Optional<Task> next = waiting.stream().filter(task -> task.dueMs <= clock.now)
                    .min(Comparator.naturalOrder());
                if (next.isEmpty()) {
                    return;
                }
                waiting.remove(next.get());
                next.get().run();
                if (!next.get().isCancelled()) {
                    next.get().get();
                }
            }
        }

        @Override
        public void startup() {
        }

        @Override
        public void shutdown() {
            waiting.clear();
        }

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable work, long delayMs, long periodMs) {
            Task task = new Task(work, clock.now + Math.max(delayMs, 0));
            if (periodMs <= 0) {
                waiting.add(task);
            }
            return task;
        }

        @Override
        public void resizeThreadPool(int size) {
        }
    }

    static final Object TOPIC_STATS = topicStats();

    private final File directory;
    private final LogConfig config;
    private final byte[] batches;
    private final SetClock clock = new SetClock();
    private final SetScheduler scheduler = new SetScheduler(clock);
    private UnifiedLog log;
    private long logStart = 0;
    private boolean isBroken = false;

    private PlayLog(File directory, long now, LogConfig config, byte[] batches) {
        this.directory = directory;
        this.config = config;
        this.batches = batches;
        clock.now = now;
    }

    public static void main(String[] arguments) throws Exception {
        byte[] batches = Files.readAllBytes(Path.of(arguments[1]));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        PlayLog play = null;
        List<String> answers = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] words = line.split(" ");
            if (words[0].equals("script")) {
                if (play != null) {
                    out.println(String.join("\t", answers));
                }
                answers.clear();
                Map<String, String> settings = new HashMap<>();
                for (int i = 3; i < words.length; i++) {
                    settings.put(words[i].substring(0, words[i].indexOf('=')),
                        words[i].substring(words[i].indexOf('=') + 1));
                }
                File directory = new File(words[1]);
                Files.createDirectories(directory.toPath());
                play = new PlayLog(directory, Long.parseLong(words[2]), new LogConfig(settings), batches);
            } else {
                answers.add(play.answer(words));
            }
        }
        if (play != null) {
            out.println(String.join("\t", answers));
        }
        out.flush();
    }

    private String answer(String[] words) throws Exception {
        if (isBroken) {
            return "broken";
        }
        try {
            String answer = act(words);
            scheduler.runWhatIsDue();
            return answer;
        } catch (RuntimeException | IOException refused) {
            String name = refused.getClass().getSimpleName();
            if (String.valueOf(refused.getMessage()).matches("Attempt to append (an offset|a timestamp|to a full) .*")) {
                isBroken = true;
                return "broken";
            } else if (refused.getClass().getName().matches("(org\\.apache\\.)?kafka\\..*")) {
                return "error " + name;
            }
            throw new IllegalStateException(directory + ": " + String.join(" ", words), refused);
        }
    }

    private String act(String[] words) throws Exception {
        switch (words[0]) {
            case "open":
                log = open(
                    directory, config, words[1].equals("clean"), Long.parseLong(words[2]), logStart, scheduler, clock);
                return ends();
            case "close":
                logStart = log.logStartOffset();
                if (log.activeSegment().readNextOffset() < log.logEndOffset()) {
                    call(method("roll"), log, Optional.empty());
                }
                // Since 4.4 a log leaves that to who stops it; what was done before, is not done again.
                log.activeSegment().onBecomeInactiveSegment();
                log.close();
                scheduler.shutdown();
                return "ok";
            case "abandon":
                logStart = log.logStartOffset();
                log.@ABANDON@();
                scheduler.shutdown();
                return "ok";
            case "append":
                return append(words);
            case "roll":
                call(method("roll"), log, Optional.empty());
                return ends();
            case "truncate":
                for (LogSegment segment : segments()) {
                    segment.maxTimestampSoFar();
                }
                boolean wasCut = log.truncateTo(Long.parseLong(words[1]));
                lowerCheckpoint();
                return wasCut + " " + ends();
            case "truncate_fully":
                call(method("truncateFullyAndStartAt"), log, Long.parseLong(words[1]), Optional.empty());
                lowerCheckpoint();
                return ends();
            case "compact":
                return compact(Integer.parseInt(words[1]));
            case "delete_records":
                log.updateHighWatermark(log.logEndOffset());
                log.maybeIncrementLogStartOffset(
                    Long.parseLong(words[1]), LogStartOffsetIncrementReason.ClientRecordDeletion);
                return ends();
            case "retain":
                log.updateHighWatermark(log.logEndOffset());
                log.deleteOldSegments();
                return ends();
            case "clock":
                clock.now = Long.parseLong(words[1]);
                return "ok";
            case "state":
                return state();
            case "translate":
                return translate(Long.parseLong(words[1]));
            case "time":
                return byTime(Long.parseLong(words[1]));
            case "find":
                return found(segment(Long.parseLong(words[1])).findOffsetByTimestamp(
                    Long.parseLong(words[2]), Long.parseLong(words[3])@BOUND@));
            case "read":
                return read(Long.parseLong(words[1]), Integer.parseInt(words[2]), words[3].equals("1"));
            case "delete":
                return delete(words[1]);
            case "cut":
            case "spoil":
                return damage(words[0].equals("cut"), Long.parseLong(words[1]));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    /** A log of a partition's folder, made or loaded, with producers that never come to play a part. */
    static UnifiedLog open(
            File directory, LogConfig config, boolean clean, long recoveryPoint, long logStart, Scheduler scheduler,
            Time time) throws Exception {
        ProducerStateManagerConfig producers = new ProducerStateManagerConfig(86_400_000, false);
        LogDirFailureChannel failures = new LogDirFailureChannel(1);
        for (Method method : UnifiedLog.class.getMethods()) {
            // Scala's, to 4.0, has one argument more: whether partition.metadata is kept.
            boolean scala = method.getName().equals("apply") && method.getParameterCount() == 17;
            if (scala || method.getName().equals("create") && method.getParameterCount() == 16) {
                List<Object> values = new ArrayList<>(List.of(
                    directory, config, logStart, recoveryPoint, scheduler, TOPIC_STATS, time, 900_000, producers,
                    600_000, failures, clean, Optional.empty()));
                if (scala) {
                    values.add(false);
                }
                values.addAll(List.of(
                    new ConcurrentHashMap<String, Integer>(), false, LogOffsetsListener.NO_OP_OFFSETS_LISTENER));
                return (UnifiedLog) call(method, null, values.toArray());
            }
        }
        throw new NoSuchMethodException("UnifiedLog.create");
    }

    private static final Method APPEND_AS_LEADER = method("appendAsLeader");

    static void appendAsLeader(UnifiedLog log, MemoryRecords records, int epoch) throws Exception {
        Object[] values = new Object[APPEND_AS_LEADER.getParameterCount()];
        values[0] = records;
        values[1] = epoch;
        // Scala's other arguments have defaults.
        for (int i = 2; i < values.length; i++) {
            values[i] = UnifiedLog.class.getMethod("appendAsLeader$default$" + (i + 1)).invoke(log);
        }
        call(APPEND_AS_LEADER, log, values);
    }

    /** The log's method of that name with the fewest arguments, but not none. */
    private static Method method(String name) {
        return Arrays.stream(UnifiedLog.class.getMethods())
            .filter(method -> method.getName().equals(name) && method.getParameterCount() > 0)
            .min(Comparator.comparing(Method::getParameterCount)).orElseThrow();
    }

    private String append(String[] words) throws Exception {
        int epoch = Integer.parseInt(words[2]);
        ByteBuffer buffer = ByteBuffer.allocate(Integer.parseInt(words[4]));
        buffer.put(batches, Integer.parseInt(words[3]), buffer.capacity()).flip();
        MemoryRecords records = MemoryRecords.readableRecords(buffer);
        if (words[1].equals("follower")) {
            log.appendAsFollower(records, epoch);
            return ends();
        }
        appendAsLeader(log, records, epoch);
        return ends();
    }

    /** What LogManager does after it had a log cut. */
    private void lowerCheckpoint() throws Exception {
        if (config.compact) {
            LogCleanerManager manager = manager();
            manager.maybeTruncateCheckpoint(directory.getParentFile(), log.topicPartition(), log.activeSegment().baseOffset());
            manager.removeMetrics();
        }
    }

    private String compact(int mapBytes) throws Exception {
        log.updateHighWatermark(log.logEndOffset());
        LogCleanerManager manager = manager();
        Optional<?> found = toOptional(LogCleanerManager.class
            .getMethod("grabFilthiestCompactedLog", Time.class, PreCleanStats.class)
            .invoke(manager, clock, new PreCleanStats()));
        String answer = "none ";
        if (found.isPresent()) {
            LogToClean cleanable = (LogToClean) found.get();
            long end = clean(cleanable, mapBytes, clock);
            manager.doneCleaning(log.topicPartition(), directory.getParentFile(), end);
            answer = cleanable.firstDirtyOffset() + " " + cleanable.firstUncleanableOffset() + " " + end + " ";
        }
        manager.removeMetrics();
        return answer + ends();
    }

    /** Clean a log with a map of so many bytes; up to which offset that was done. */
    static long clean(LogToClean cleanable, int mapBytes, Time time) throws Exception {
        Throttler throttler = new Throttler(Double.MAX_VALUE, Long.MAX_VALUE, "cleaner-io", "bytes", time);
        Constructor<?> constructor = Cleaner.class.getConstructors()[0];
        Object checkDone = constructor.getParameterTypes()[7] == Consumer.class
            ? (Consumer<TopicPartition>) ignored -> { }
            : scalaFunction(constructor.getParameterTypes()[7]);
        Cleaner cleaner = (Cleaner) constructor.newInstance(
            0, new SkimpyOffsetMap(mapBytes), 262_144, 1 << 20, 0.9, throttler, time, checkDone);
        Object cleaned = call(Cleaner.class.getMethod("clean", LogToClean.class), cleaner, cleanable);
        return (Long) (cleaned instanceof Map.Entry
            ? ((Map.Entry<?, ?>) cleaned).getKey()
            : cleaned.getClass().getMethod("_1").invoke(cleaned));
    }

    /** A log that is to be cleaned up to its active segment. */
    static LogToClean toClean(UnifiedLog log) throws Exception {
        Constructor<?> constructor = LogToClean.class.getConstructors()[0];
        List<Object> values = new ArrayList<>(List.of(log, 0L, log.activeSegment().baseOffset(), false));
        if (constructor.getParameterCount() > values.size()) {
            values.add(0, log.topicPartition());  // Scala's
        }
        return (LogToClean) constructor.newInstance(values.toArray());
    }

    /** A function that does nothing, as Scala has it. */
    private static Object scalaFunction(Class<?> type) {
        return java.lang.reflect.Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }

    /** A manager of the cleaner with this log alone: its checkpoint is in the folder above the log's. */
    private LogCleanerManager manager() throws Exception {
        Constructor<?> constructor = LogCleanerManager.class.getConstructors()[0];
        List<File> directories = List.of(directory.getParentFile());
        LogDirFailureChannel failures = new LogDirFailureChannel(1);
        if (constructor.getParameterTypes()[0] == List.class) {
            ConcurrentHashMap<TopicPartition, UnifiedLog> logs = new ConcurrentHashMap<>(Map.of(log.topicPartition(), log));
            return (LogCleanerManager) constructor.newInstance(directories, logs, failures);
        }
        Class<?> poolClass = constructor.getParameterTypes()[1];
        Object none = Class.forName("scala.Option").getMethod("empty").invoke(null);
        Object pool = poolClass.getConstructors()[0].newInstance(none);
        poolClass.getMethod("put", Object.class, Object.class).invoke(pool, log.topicPartition(), log);
        Object buffer = Class.forName("scala.jdk.javaapi.CollectionConverters")
            .getMethod("asScala", List.class).invoke(null, directories);
        Object sequence = Class.forName("scala.collection.IterableOnceOps").getMethod("toSeq").invoke(buffer);
        return (LogCleanerManager) constructor.newInstance(sequence, pool, failures);
    }

    private String ends() {
        return log.logStartOffset() + " " + log.logEndOffset() + " " + log.activeSegment().baseOffset();
    }

    private Collection<LogSegment> segments() {
        return log.logSegments();
    }

    private LogSegment segment(long baseOffset) {
        return segments().stream().filter(segment -> segment.baseOffset() == baseOffset).findFirst().orElseThrow();
    }

    /** Per segment: its base offset; the log's size, length, CRC; unless it is empty, of each index length, entries, CRC. */
    private String state() throws Exception {
        StringBuilder answer = new StringBuilder(ends());
        for (LogSegment segment : segments()) {
            byte[] data = Files.readAllBytes(segment.log().file().toPath());
            answer.append("; ").append(segment.baseOffset()).append(" log ").append(segment.size()).append(' ');
            answer.append(data.length).append(' ').append(crc(data, data.length));
            if (segment.size() == 0) {
                continue;  // When Kafka asks an index for something for the first time, and so makes it, is its affair.
            }
            answer.append(" index ");
            // To ask for it would make it.
            answer.append(segment.offsetIndexFile().exists() ? of(segment.offsetIndex(), 8) : "-");
            answer.append(" timeindex ");
            answer.append(segment.timeIndexFile().exists() ? of(segment.timeIndex(), 12) : "-");
        }
        return answer.toString();
    }

    private static String of(AbstractIndex index, int entrySize) throws IOException {
        byte[] data = Files.readAllBytes(index.file().toPath());
        return data.length + " " + index.entries() + " " + crc(data, index.entries() * entrySize);
    }

    private static String crc(byte[] data, int size) {
        CRC32 crc = new CRC32();
        crc.update(data, 0, size);
        return Long.toHexString(crc.getValue());
    }

    private String translate(long offset) throws IOException {
        LogSegment floor = null;
        for (LogSegment segment : segments()) {
            floor = segment.baseOffset() <= offset ? segment : floor;
        }
        if (floor == null) {
            return "none";
        }
        FileRecords.LogOffsetPosition found = floor.translateOffset(offset);
        // What else is found is the batch's last offset in 3.9, its first in 4.3.
        return floor.baseOffset() + " " + (found == null ? "none" : found.position + " " + found.size);
    }

    private String byTime(long timestamp) throws Exception {
        Object answer = call(method("fetchOffsetByTimestamp"), log, timestamp, Optional.empty());
        if (answer.getClass().getSimpleName().equals("OffsetResultHolder")) {
            answer = answer.getClass().getMethod("timestampAndOffsetOpt").invoke(answer);
        }
        return found(toOptional(answer));
    }

    private static String found(Optional<?> answer) {
        if (answer.isEmpty()) {
            return "none";
        }
        FileRecords.TimestampAndOffset found = (FileRecords.TimestampAndOffset) answer.get();
        return found.timestamp + " " + found.offset + " " + found.leaderEpoch.map(Object::toString).orElse("-");
    }

    private String read(long offset, int maxBytes, boolean minOne) throws Exception {
        Method method = method("read");
        Object untilEnd = enumValue(method.getParameterTypes()[2], "LOG_END");
        FetchDataInfo fetched = (FetchDataInfo) call(method, log, offset, maxBytes, untilEnd, minOne);
        ByteBuffer data = ByteBuffer.allocate(fetched.records.sizeInBytes());
        if (data.capacity() == 0) {
            return "empty";
        }
        ((FileRecords) fetched.records).readInto(data, 0);
        return fetched.fetchOffsetMetadata.segmentBaseOffset
            + " " + fetched.fetchOffsetMetadata.relativePositionInSegment + " " + data.capacity()
            + " " + crc(data.array(), data.capacity()) + " " + fetched.firstEntryIncomplete;
    }

    private String delete(String ending) throws IOException {
        for (File file : directory.listFiles()) {
            if (file.getName().endsWith(ending)) {
                Files.delete(file.toPath());
            }
        }
        return "ok";
    }

    private String damage(boolean cut, long bytes) throws IOException {
        File last = Arrays.stream(directory.listFiles()).filter(file -> file.getName().endsWith(".log"))
            .max(Comparator.comparing(File::getName)).orElseThrow();
        try (RandomAccessFile file = new RandomAccessFile(last, "rw")) {
            long position = file.length() - bytes;
            if (position < 0) {
                return "too short";
            } else if (cut) {
                file.setLength(position);
            } else {
                file.seek(position);
                int old = file.read();
                file.seek(position);
                file.write(~old);
            }
            return Long.toString(position);
        }
    }

    private static Object topicStats() {
        for (String name : List.of("org.apache.kafka.storage.log.metrics.BrokerTopicStats",
                                   "kafka.server.BrokerTopicStats")) {
            try {
                return Class.forName(name).getConstructor(boolean.class).newInstance(false);
            } catch (ClassNotFoundException elsewhere) {
                continue;
            } catch (ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
        throw new IllegalStateException("no BrokerTopicStats");
    }

    private static Object enumValue(Class<?> type, String name) {
        for (Object value : type.getEnumConstants()) {
            if (value.toString().equals(name)) {
                return value;
            }
        }
        throw new IllegalArgumentException(type + " has no " + name);
    }

    /** Call a method whose optional arguments are Java's or Scala's. */
    private static Object call(Method method, Object target, Object... values) throws Exception {
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Optional && method.getParameterTypes()[i].getName().equals("scala.Option")) {
                values[i] = Class.forName("scala.Option").getMethod("empty").invoke(null);
            }
        }
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Exception) {
                throw (Exception) wrapped.getCause();
            }
            throw wrapped;
        }
    }

    private static Optional<?> toOptional(Object answer) throws Exception {
        if (answer instanceof Optional) {
            return (Optional<?>) answer;
        }
        boolean isEmpty = (boolean) answer.getClass().getMethod("isEmpty").invoke(answer);
        return isEmpty ? Optional.empty() : Optional.of(answer.getClass().getMethod("get").invoke(answer));
    }
}
