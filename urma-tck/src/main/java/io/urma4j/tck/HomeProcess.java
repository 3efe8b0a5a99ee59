package io.urma4j.tck;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The process of the homes: one serves all contracts of a run, since a JVM's start costs more than most tests. It starts
 * when a test first needs it, and again after a test has killed it or left it in an unknown state. JUnit closes it with the
 * run. Not thread-safe: tests run one after another.
 */
final class HomeProcess implements AutoCloseable {
    /** A prefix of its command line, separated by blanks: it may start it on another machine. */
    private static final String LAUNCHER = System.getProperty("urma.tck.home.launcher", "");

    private @Nullable DriverProcess process;

    /** A home's opener in the running process. */
    HomeOpener opener() {
        if (process == null || !process.isAlive()) {
            List<String> launcher =
                    LAUNCHER.isBlank() ? List.of() : List.of(LAUNCHER.strip().split(" +"));
            process = DriverProcess.start(LocalHomeOpener.class, launcher, System.getProperty("java.class.path"));
        }
        return process.root(HomeOpener.class);
    }

    /** The process, or null where no test has needed it since it last ended. */
    @Nullable
    DriverProcess process() {
        return process;
    }

    /** Ends the process; the next {@link #opener()} starts another. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
            process = null;
        }
    }
}
