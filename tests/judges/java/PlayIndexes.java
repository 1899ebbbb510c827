import org.apache.kafka.storage.internals.log.AbstractIndex;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.apache.kafka.storage.internals.log.TimestampOffset;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Optional;

/**
 * Does to Kafka's index objects what it reads from stdin, a line for each step: the step's name and its numbers,
 * separated by blanks. "offset" and "time" open an index: file, base offset, maximum size. For each step it prints
 * what came back, or the name of the exception's class; then entries, room for entries, length in bytes, and the last
 * entry (of an offset index, its offset).
 */
public final class PlayIndexes {
    private static AbstractIndex index;

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder answers = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String result;
            try {
                result = play(line.split(" "));
            } catch (RuntimeException exception) {
                result = exception.getClass().getSimpleName();
            }
            answers.append(result).append(" | ").append(index.entries()).append(' ').append(index.maxEntries())
                .append(' ').append(index.length()).append(' ').append(last()).append('\n');
        }
        System.out.print(answers);
    }

    private static String play(String[] step) throws Exception {
        OffsetIndex offsets = index instanceof OffsetIndex ? (OffsetIndex) index : null;
        TimeIndex times = index instanceof TimeIndex ? (TimeIndex) index : null;
        switch (step[0]) {
            case "offset":
                index = new OffsetIndex(new File(step[1]), number(step[2]), (int) number(step[3]));
                return "done";
            case "time":
                index = new TimeIndex(new File(step[1]), number(step[2]), (int) number(step[3]));
                return "done";
            case "append":
                if (offsets != null) {
                    offsets.append(number(step[1]), (int) number(step[2]));
                } else {
                    times.maybeAppend(number(step[1]), number(step[2]), number(step[3]) == 1);
                }
                return "done";
            case "lookup":
                return offsets != null ? text(offsets.lookup(number(step[1]))) : text(times.lookup(number(step[1])));
            case "entry":
                int slot = (int) number(step[1]);
                return offsets != null ? text(offsets.entry(slot)) : text(times.entry(slot));
            case "upper_bound":
                Optional<OffsetPosition> bound = offsets.fetchUpperBoundOffset(
                    new OffsetPosition(0, (int) number(step[1])), (int) number(step[2]));
                return bound.map(PlayIndexes::text).orElse("none");
            case "can_append":
                return index.canAppendOffset(number(step[1])) ? "yes" : "no";
            case "is_full":
                return index.isFull() ? "yes" : "no";
            case "truncate_to":
                index.truncateTo(number(step[1]));
                return "done";
            case "resize":
                return index.resize((int) number(step[1])) ? "yes" : "no";
            case "trim":
                index.trimToValidSize();
                return "done";
            case "close":
                index.trimToValidSize();
                index.close();
                return "done";
            case "release":
                index.@RELEASE@();
                return "done";
            default:
                throw new Exception("no step " + step[0]);
        }
    }

    private static String last() {
        return index instanceof OffsetIndex
            ? Long.toString(((OffsetIndex) index).lastOffset()) : text(((TimeIndex) index).lastEntry());
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }

    private static String text(OffsetPosition entry) {
        return part(entry, "offset") + ":" + part(entry, "position");
    }

    private static String text(TimestampOffset entry) {
        return part(entry, "timestamp") + ":" + part(entry, "offset");
    }

    /** Entries have public fields in 3.9, and are Java records in 4.3. */
    private static Object part(Object entry, String name) {
        try {
            Class<?> type = entry.getClass();
            return type.isRecord() ? type.getMethod(name).invoke(entry) : type.getField(name).get(entry);
        } catch (ReflectiveOperationException missing) {
            throw new LinkageError(name, missing);
        }
    }
}
