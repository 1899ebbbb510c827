import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Runs main methods many times in one JVM, because a JVM's start costs more than most runs.
 *
 * Standard input: one line per run, the class and its arguments, separated by tabs. Standard output: per run, as soon
 * as it ends, a line "status stdout-bytes stderr-bytes" and then those bytes; status is 0, or 1 when main threw, and
 * then stderr ends with the stack trace, as it would have in a JVM of its own.
 */
public final class RunMany {
    /** A stream whose destination changes. It is put in place once: Scala keeps the System.out that it saw first. */
    private static final class Switch extends OutputStream {
        ByteArrayOutputStream destination = new ByteArrayOutputStream();

        @Override
        public void write(int one) {
            destination.write(one);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            destination.write(bytes, from, count);
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        Switch out = new Switch();
        Switch err = new Switch();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        wakeLogging();
        BufferedReader runs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = runs.readLine(); line != null; line = runs.readLine()) {
            out.destination = new ByteArrayOutputStream();
            err.destination = new ByteArrayOutputStream();
            int status = 0;
            String[] words = line.split("\t", -1);
            Method main = Class.forName(words[0]).getMethod("main", String[].class);
            try {
                main.invoke(null, (Object) Arrays.copyOfRange(words, 1, words.length));
            } catch (InvocationTargetException wrapped) {
                status = 1;
                System.out.flush();
                System.err.print("Exception in thread \"main\" ");
                wrapped.getCause().printStackTrace();
            }
            System.out.flush();
            System.err.flush();
            answers.printf("%d %d %d%n", status, out.destination.size(), err.destination.size());
            out.destination.writeTo(answers);
            err.destination.writeTo(answers);
            answers.flush();
        }
        // Threads that a run left behind must not keep the JVM.
        Runtime.getRuntime().halt(0);
    }

    /** Logging libraries greet on stderr when first used; that greeting belongs to no run. */
    private static void wakeLogging() {
        try {
            Class.forName("org.slf4j.LoggerFactory").getMethod("getLogger", String.class).invoke(null, "kformat");
        } catch (ReflectiveOperationException | LinkageError absent) {
            System.err.println("no logging to wake: " + absent);
        }
    }
}
