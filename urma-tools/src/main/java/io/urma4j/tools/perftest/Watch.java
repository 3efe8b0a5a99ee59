package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Units;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks from a busy loop now and then whether the user or the other side has ended it, or nothing has happened for too
 * long. For one thread.
 */
final class Watch {
    private static final int ROUNDS = 1024; // some ten microseconds
    private static final Duration PATIENCE = Duration.ofSeconds(30); // longer than the library's timeouts
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;

    private final Control control;
    private final long patienceNanos;
    private int rounds;
    private boolean idle;
    private long idleSinceNanos;

    Watch(Control control) {
        this(control, PATIENCE);
    }

    Watch(Control control, Duration patience) {
        this.control = control;
        this.patienceNanos = patience.toNanos();
    }

    /** One round of a loop that found nothing. */
    void idle() throws InterruptedException {
        if (++rounds >= ROUNDS) {
            rounds = 0;
            lookUp();
            checkPatience();
        }
        Thread.onSpinWait();
    }

    /** One round of a loop that made progress. */
    void busy() throws InterruptedException {
        idle = false;
        if (++rounds >= ROUNDS) {
            rounds = 0;
            lookUp();
        }
    }

    /** Notes progress, which restarts the timeout. */
    void progress() {
        idle = false;
    }

    /** Throws when the user or the other side has ended it. */
    void lookUp() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        control.check();
        if (ALONE) {
            LockSupport.parkNanos(1); // the other side needs this CPU
        }
    }

    /** Notes that a round found nothing; throws when there was no progress for too long. */
    void checkPatience() {
        long now = System.nanoTime();
        if (!idle) {
            idle = true;
            idleSinceNanos = now;
        } else if (now - idleSinceNanos > patienceNanos) {
            throw new CommandFailure("no progress for " + Units.time(patienceNanos)
                    + "; 'urma admin show --whole' inspects both processes");
        }
    }
}
