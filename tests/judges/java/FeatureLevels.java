import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * What Kafka's levels of features allow, for tests. A line for each level of production: the feature, the level, its
 * name, and what each method of the level that asks for a record says: its name, and true, false or a version; "none"
 * where the level has no version.
 */
public final class FeatureLevels {
    private static final String ELR = "org.apache.kafka.server.common.EligibleLeaderReplicasVersion";

    private FeatureLevels() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (MetadataVersion level : MetadataVersion.values()) {
            if (level.isProduction() && level.featureLevel() > 0) {
                out.println(level.featureName() + " " + level.featureLevel() + " " + level + said(level));
            }
        }
        try {
            for (Object level : Class.forName(ELR).getEnumConstants()) {
                Class<?> type = level.getClass();
                out.println(type.getMethod("featureName").invoke(level) + " " + type.getMethod("featureLevel").invoke(level)
                    + " " + level + said(level));
            }
        } catch (ClassNotFoundException error) {
            // The release has no such feature.
        }
        out.flush();
    }

    private static String said(Object level) throws Exception {
        StringBuilder text = new StringBuilder();
        for (Method method : level.getClass().getMethods()) {
            if (method.getParameterCount() == 0 && method.getName().matches("is.*Supported|.*RecordVersion")) {
                Object answer;
                try {
                    answer = method.invoke(level);
                } catch (InvocationTargetException error) {
                    answer = "none";
                }
                text.append(' ').append(method.getName()).append('=').append(answer);
            }
        }
        return text.toString();
    }
}
