package io.urma4j.tck;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Receives the warnings of a class of the library, until it is closed. */
final class Warnings extends Handler implements AutoCloseable {
    private final Logger logger; // the JDK holds loggers only weakly
    private final Consumer<String> listener;

    private Warnings(Logger logger, Consumer<String> listener) {
        this.logger = logger;
        this.listener = listener;
    }

    static Warnings of(Class<?> type, Consumer<String> listener) {
        Warnings warnings = new Warnings(Logger.getLogger(type.getName()), listener);
        warnings.logger.addHandler(warnings);
        return warnings;
    }

    /** The same, but without passing the warnings on: for tests that provoke many. */
    static Warnings alone(Class<?> type, Consumer<String> listener) {
        Warnings warnings = of(type, listener);
        warnings.logger.setUseParentHandlers(false);
        return warnings;
    }

    @Override
    public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            listener.accept(entry.getMessage());
        }
    }

    @Override
    public void flush() {
        // nothing is kept
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
