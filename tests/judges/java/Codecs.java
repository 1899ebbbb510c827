import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.compress.Compression;
import @RECORDS@.CompressionType;
import @UTILS@.BufferSupplier;
import @UTILS@.ByteBufferOutputStream;

/**
 * Kafka's codecs, many payloads in one JVM. Reads lines "read|write CODEC MAGIC HEX" and answers each with "ok HEX" or
 * "error WHAT"..
 */
public class Codecs {
    public static void main(String[] arguments) throws Exception {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        PrintStream answers = new PrintStream(System.out, false);
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] parts = line.split(" ", -1);
            Compression codec = Compression.of(CompressionType.forId(Integer.parseInt(parts[1]))).build();
            byte magic = Byte.parseByte(parts[2]);
            byte[] data = HexFormat.of().parseHex(parts[3]);
            try {
                byte[] result = parts[0].equals("read") ? read(codec, magic, data) : write(codec, magic, data);
                answers.println("ok " + HexFormat.of().formatHex(result));
            } catch (Exception | Error problem) {
                answers.println("error " + problem.toString().replace('\n', ' '));
            }
        }
        answers.flush();
    }

    static byte[] read(Compression codec, byte magic, byte[] data) throws Exception {
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        byte[] piece = new byte[1 << 16];
        try (InputStream in = codec.wrapForInput(ByteBuffer.wrap(data), magic, BufferSupplier.NO_CACHING)) {
            for (int size = in.read(piece); size != -1; size = in.read(piece)) {
                result.write(piece, 0, size);
            }
        }
        return result.toByteArray();
    }

    static byte[] write(Compression codec, byte magic, byte[] data) throws Exception {
        ByteBufferOutputStream result = new ByteBufferOutputStream(512);
        try (OutputStream out = codec.wrapForOutput(result, magic)) {
            out.write(data);
        }
        ByteBuffer written = result.buffer();
        written.flip();
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }
}
