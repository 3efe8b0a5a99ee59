package io.urma4j.tools;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Shows how far a long step is: nothing in its first second; then on a terminal a line that changes, else a line every
 * few seconds. For one thread.
 */
public final class Progress implements AutoCloseable {
    private static final long SILENT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long TERMINAL_NANOS = Duration.ofMillis(200).toNanos();
    private static final long PLAIN_NANOS = Duration.ofSeconds(3).toNanos();

    private final PrintWriter err;
    private final boolean terminal;
    private final String step;
    private long nextNanos;
    private int shownLength;
    private String farness = "…";

    private Progress(PrintWriter err, boolean terminal, String step) {
        this.err = err;
        this.terminal = terminal;
        this.step = step;
        this.nextNanos = System.nanoTime() + SILENT_NANOS;
    }

    /** Starts a step, described as in {@code reading data.bin}. */
    public static Progress of(PrintWriter err, String step) {
        return new Progress(err, Terminal.showsStderr(), step);
    }

    /** Runs a step of unknown extent, such as one call of the library, and shows that it continues. */
    static <T> T during(PrintWriter err, String step, Supplier<T> work) {
        CountDownLatch done = new CountDownLatch(1);
        Progress progress = of(err, step);
        Thread teller = Thread.ofVirtual().name("progress").start(() -> progress.tellUntil(done));
        try {
            return work.get();
        } finally {
            done.countDown();
            Ending.of(teller::join); // so that the next output begins on a new line
        }
    }

    private void tellUntil(CountDownLatch done) {
        try (this) {
            while (!done.await(TERMINAL_NANOS, TimeUnit.NANOSECONDS)) {
                still();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no code interrupts this thread
        }
    }

    /** Reports how much of the whole is done; cheap enough to be called for each chunk. */
    public void at(long done, long whole) {
        if (isDue()) {
            farness = whole <= 0 ? "…" : 100 * Math.min(done, whole) / whole + " %"; // a time may be exceeded
            show();
        }
    }

    /** Shows that the work continues, where its extent is unknown. */
    public void still() {
        if (isDue()) {
            show();
        }
    }

    private boolean isDue() {
        long now = System.nanoTime();
        if (now - nextNanos < 0) {
            return false;
        }
        nextNanos = now + (terminal ? TERMINAL_NANOS : PLAIN_NANOS);
        return true;
    }

    private void show() {
        String line = "urma: " + step + " " + farness;
        if (terminal) {
            err.print("\r" + line + " ".repeat(Math.max(0, shownLength - line.length())));
            shownLength = line.length();
        } else {
            err.println(line);
        }
        err.flush();
    }

    /** Ends the step, and erases the changing line. */
    @Override
    public void close() {
        hide();
    }

    /** Erases the changing line before other output; it appears again when it is due. */
    public void hide() {
        if (shownLength > 0) {
            err.print("\r" + " ".repeat(shownLength) + "\r");
            err.flush();
            shownLength = 0;
        }
    }
}
