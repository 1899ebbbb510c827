import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.image.writer.RecordListWriter;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * Kafka's image of a cluster's metadata, for tests: each line of the input is the value of a record in hexadecimal, which
 * is applied, or "?". A line of output, for each "?", has the records that Kafka writes of its image, in hexadecimal.
 */
public final class Images {
    private Images() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        MetadataImage image = MetadataImage.EMPTY;
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.equals("?")) {
                byte[] data = HexFormat.of().parseHex(line);
                delta.replay(MetadataRecordSerde.INSTANCE
                    .read(new ByteBufferAccessor(ByteBuffer.wrap(data)), data.length).message());
                continue;
            }
            image = delta.apply(new MetadataProvenance(0, 0, 0@ALIGNED@));
            delta = new MetadataDelta.Builder().setImage(image).build();
            RecordListWriter writer = new RecordListWriter();
            image.write(writer, new ImageWriterOptions.Builder(image).setLossHandler(lost -> { }).build());
            StringBuilder text = new StringBuilder();
            for (ApiMessageAndVersion message : writer.records()) {
                ObjectSerializationCache cache = new ObjectSerializationCache();
                ByteBuffer written = ByteBuffer.allocate(MetadataRecordSerde.INSTANCE.recordSize(message, cache));
                MetadataRecordSerde.INSTANCE.write(message, cache, new ByteBufferAccessor(written));
                text.append(HexFormat.of().formatHex(written.array())).append(' ');
            }
            out.println(text.toString().strip());
        }
        out.flush();
    }
}
