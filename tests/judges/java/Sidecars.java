import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.MetaProperties;
import org.apache.kafka.metadata.properties.PropertiesUtils;
import org.apache.kafka.raft.ElectionState;
import org.apache.kafka.raft.FileQuorumStateStore;
import org.apache.kafka.server.common.CheckpointFile;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.checkpoint.PartitionMetadataFile;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;

/**
 * Kafka's own readers and writers of the text files beside its logs. Reads lines "KIND HEX", the kind in kformat's word
 * and the file's bytes, and answers each with "ok HEX HEX", what was read as text and the file that Kafka writes of it,
 * or "error WHAT"..
 */
public class Sidecars {
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("kformat-sidecars-");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        PrintStream answers = new PrintStream(System.out, false);
        System.setOut(System.err); // Kafka's loggers
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] parts = line.split(" ", -1);
            Path path = folder.resolve(parts[0].equals("clean_shutdown") ? ".kafka_cleanshutdown" : "partition.metadata");
            Files.write(path, HexFormat.of().parseHex(parts[1]));
            try {
                String found = judge(parts[0], path.toFile());
                answers.println("ok " + hex(found.getBytes(StandardCharsets.UTF_8)) + " " + hex(Files.readAllBytes(path)));
            } catch (Exception | Error problem) {
                answers.println("error " + problem.toString().replaceAll("[\\r\\n]", " "));
            }
            Files.deleteIfExists(path);
        }
        answers.flush();
        Files.delete(folder);
        Runtime.getRuntime().halt(0);
    }

    static String hex(byte[] data) {
        return HexFormat.of().formatHex(data);
    }

    /** Reads a file, has it written anew, and tells what was in it. */
    static String judge(String kind, File file) throws Exception {
        LogDirFailureChannel failures = new LogDirFailureChannel(1);
        switch (kind) {
            case "leader_epoch_checkpoint": {
                LeaderEpochCheckpointFile checkpoint = new LeaderEpochCheckpointFile(file, failures);
                List<EpochEntry> entries = checkpoint.read();
                checkpoint.write(entries);
                CheckpointFile.EntryFormatter<EpochEntry> formatter = LeaderEpochCheckpointFile.FORMATTER;
                List<String> lines = new ArrayList<>();
                for (EpochEntry entry : entries) {
                    lines.add(formatter.toString(entry));
                }
                return String.join("\n", lines);
            }
            case "offset_checkpoint":
                return offsets(file, failures);
            case "partition_metadata": {
                PartitionMetadataFile metadata = new PartitionMetadataFile(file, failures);
                Uuid topicId = metadata.read().topicId();
                Files.delete(file.toPath());
                metadata.record(topicId);
                metadata.maybeFlush();
                return topicId.toString();
            }
            case "properties": { // any Java properties, whatever stands in them
                Properties read = PropertiesUtils.readPropertiesFile(file.toString());
                PropertiesUtils.writePropertiesFile(read, file.toString(), false);
                StringBuilder text = new StringBuilder();
                for (Map.Entry<Object, Object> entry : new TreeMap<>(read).entrySet()) {
                    text.append(utf16(entry.getKey())).append('=').append(utf16(entry.getValue())).append('\n');
                }
                return text.toString();
            }
            case "meta_properties": {
                Properties read = PropertiesUtils.readPropertiesFile(file.toString());
                MetaProperties known = new MetaProperties.Builder(read).build();
                PropertiesUtils.writePropertiesFile(known.toProperties(), file.toString(), false);
                return String.join(
                    "\n",
                    String.valueOf(known.version().number()),
                    known.clusterId().map(id -> "some " + id).orElse("none"),
                    known.nodeId().isPresent() ? String.valueOf(known.nodeId().getAsInt()) : "none",
                    known.directoryId().map(Uuid::toString).orElse("none"));
            }
            case "clean_shutdown": {
                CleanShutdownFileHandler handler = new CleanShutdownFileHandler(file.getParent());
                OptionalLong epoch = handler.read();
                if (epoch.isEmpty()) {
                    throw new IllegalArgumentException("no broker epoch");
                }
                handler.write(epoch.getAsLong());
                return String.valueOf(epoch.getAsLong());
            }
            case "quorum_state": {
                FileQuorumStateStore store = new FileQuorumStateStore(file);
                Method read = FileQuorumStateStore.class.getDeclaredMethod("readStateFromFile", File.class);
                read.setAccessible(true); // the election state that is public lacks half of it
                String data = unwrapped(() -> read.invoke(store, file)).toString();
                ElectionState state = store.readElectionState().orElseThrow();
                boolean hasDirectory = state.optionalVotedKey().flatMap(key -> key.directoryId()).isPresent();
                store.writeElectionState(state, hasDirectory ? KRaftVersion.KRAFT_VERSION_1 : KRaftVersion.KRAFT_VERSION_0);
                return data;
            }
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    /** A string's characters in hexadecimal, also such as no encoding takes. */
    static String utf16(Object text) {
        StringBuilder codes = new StringBuilder();
        for (char unit : ((String) text).toCharArray()) {
            codes.append(String.format("%04x", (int) unit));
        }
        return codes.toString();
    }

    /** OffsetCheckpointFile: Java since 4.0, Scala before. */
    static String offsets(File file, LogDirFailureChannel failures) throws Exception {
        Class<?> type;
        boolean scala = false;
        try {
            type = Class.forName("org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile");
        } catch (ClassNotFoundException absent) {
            type = Class.forName("kafka.server.checkpoints.OffsetCheckpointFile");
            scala = true;
        }
        Class<?> map = scala ? Class.forName("scala.collection.Map") : Map.class;
        Object checkpoint = type.getConstructor(File.class, LogDirFailureChannel.class).newInstance(file, failures);
        Method read = type.getMethod("read");
        Object found = unwrapped(() -> read.invoke(checkpoint));
        type.getMethod("write", map).invoke(checkpoint, found);
        if (scala) {
            Class<?> converters = Class.forName("scala.jdk.javaapi.CollectionConverters");
            found = converters.getMethod("asJava", map).invoke(null, found);
        }
        List<String> lines = new ArrayList<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) found).entrySet()) {
            lines.add(entry.getKey() + " " + entry.getValue());
        }
        lines.sort(null);
        return String.join("\n", lines);
    }

    /** Calls a method through reflection, and throws what it threw. */
    static Object unwrapped(Callable<Object> call) throws Exception {
        try {
            return call.call();
        } catch (InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Exception) {
                throw (Exception) wrapped.getCause();
            }
            throw (Error) wrapped.getCause();
        }
    }
}
