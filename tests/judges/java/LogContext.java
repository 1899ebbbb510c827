package org.apache.kafka.common.utils;

/** The class by the name that it had before 4.4: LocalTieredStorage of 4.3 asks for it. */
public class LogContext extends @UTILS@.LogContext {
    public LogContext(String prefix) {
        super(prefix);
    }
}
