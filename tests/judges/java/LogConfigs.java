import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Kafka's topic configs: what there is, and what becomes of given properties.
 *
 * First prints, one a line with tabs between, "topic NAME TYPE DEFAULT VALIDATOR" and "synonym TOPIC-NAME BROKER-NAME
 * FACTOR" in Kafka's order of precedence. Then answers each line of stdin, hexadecimal "name=value" with blanks between,
 * with "ok NAME=VALUE ..." (what a log goes by) or "error WHAT". Names of topic configs are a topic's, all others the
 * broker's..
 */
public class LogConfigs {
    private static final Map<String, String> BROKER = Map.of(
        "process.roles", "broker", "node.id", "1", "controller.quorum.voters", "2@127.0.0.1:9",
        "controller.listener.names", "C", "listeners", "PLAINTEXT://127.0.0.1:1");

    public static void main(String[] arguments) throws Exception {
        for (ConfigDef.ConfigKey key : new TreeMap<>(LogConfig.configKeys()).values()) {
            System.out.println(String.join("\t", "topic", key.name, key.type.toString(), text(key.defaultValue), "" + key.validator));
        }
        new TreeMap<>(ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS).forEach((name, synonyms) -> synonyms.forEach(
            synonym -> System.out.println(String.join("\t", "synonym", name, synonym.name(), synonym.converter().apply("1")))));
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            System.out.println(answer(line));
        }
    }

    private static String answer(String request) throws Exception {
        Properties broker = new Properties();
        Properties topic = new Properties();
        broker.putAll(BROKER);
        for (String part : request.isEmpty() ? new String[0] : request.split(" ")) {
            String[] pair = new String(HexFormat.of().parseHex(part), StandardCharsets.UTF_8).split("=", 2);
            (LogConfig.configNames().contains(pair[0]) ? topic : broker).put(pair[0], pair[1]);
        }
        try {
            Map<Object, Object> all = new HashMap<>(new KafkaConfig(broker, false).extractLogConfigMap());
            LogConfig config = LogConfig.fromProps(all, topic);
            all.putAll(topic);
            LogConfig.validateValues(LogConfig.configDefCopy().parse(all));
            return "ok" + described(config);
        } catch (org.apache.kafka.common.KafkaException | IllegalArgumentException error) {
            return "error " + error.getMessage();
        }
    }

    private static String described(LogConfig config) throws Exception {
        Map<String, String> found = new TreeMap<>();
        config.values().forEach((name, value) -> found.put(name, text(value)));
        // What these names say, a log does not take from them alone.
        found.put("segment.bytes", "" + segmentSize(config));
        found.put("message.timestamp.before.max.ms", "" + config.messageTimestampBeforeMaxMs);
        found.put("message.timestamp.after.max.ms", "" + config.messageTimestampAfterMaxMs);
        found.put("max_segment_ms", "" + config.maxSegmentMs());
        StringBuilder line = new StringBuilder();
        found.forEach((name, value) -> line.append('\t').append(name).append('=').append(value));
        return line.toString();
    }

    /** A field up to 3.9, a method since 4.0. */
    private static int segmentSize(LogConfig config) throws Exception {
        try {
            return (int) LogConfig.class.getMethod("segmentSize").invoke(config);
        } catch (NoSuchMethodException none) {
            return LogConfig.class.getField("segmentSize").getInt(config);
        }
    }

    private static String text(Object value) {
        return value instanceof List<?> list ? String.join(",", list.stream().map(String::valueOf).toList()) : "" + value;
    }
}
