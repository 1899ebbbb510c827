import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;

/**
 * Kafka's generated classes of messages, for tests: each line of the input is a class, a version, and either JSON, from
 * which the class makes bytes, or bytes in hexadecimal, which it reads. A line of output is, for both, the bytes that it
 * writes and its JSON; or "error" and why.
 */
public final class Messages {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Map<String, Constructor<?>> READERS = new HashMap<>();
    private static final Map<String, Method[]> CONVERTERS = new HashMap<>();

    private Messages() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", 3);
            try {
                out.println(answer(parts[0], Short.parseShort(parts[1]), parts[2]));
            } catch (InvocationTargetException error) {
                out.println("error\t" + error.getCause());
            } catch (Exception error) {
                out.println("error\t" + error);
            }
        }
        out.flush();
    }

    private static String answer(String name, short version, String given) throws Exception {
        if (!READERS.containsKey(name)) {
            READERS.put(name, Class.forName(name).getConstructor(Readable.class, short.class));
            Class<?> converter;
            try {
                converter = Class.forName(name + "JsonConverter");
            } catch (ClassNotFoundException error) { // releases before 3.0 have some without
                converter = null;
            }
            Method write = null;
            if (converter == null) {
                CONVERTERS.put(name, null);
                return answer(name, version, given);
            }
            for (Method method : converter.getMethods()) {
                if (method.getName().equals("write") && (write == null || method.getParameterCount() > write.getParameterCount())) {
                    write = method;
                }
            }
            CONVERTERS.put(name, new Method[] {converter.getMethod("read", JsonNode.class, short.class), write});
        }
        Method[] converter = CONVERTERS.get(name);
        Message message;
        if (given.startsWith("{")) {
            message = (Message) converter[0].invoke(null, MAPPER.readTree(given), version);
        } else {
            ByteBuffer buffer = ByteBuffer.wrap(HexFormat.of().parseHex(given));
            message = (Message) READERS.get(name).newInstance(new ByteBufferAccessor(buffer), version);
            if (buffer.hasRemaining()) {
                return "error\t" + buffer.remaining() + " bytes left";
            }
        }
        Object json = converter == null ? null : converter[1].getParameterCount() == 3
            ? converter[1].invoke(null, message, version, true)
            : converter[1].invoke(null, message, version);
        String text = MAPPER.writeValueAsString(json); // before writing, which reads batches to their end
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer written = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(written), cache, version);
        return HexFormat.of().formatHex(written.array()) + "\t" + text;
    }
}
