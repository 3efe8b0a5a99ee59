package io.urma4j.tools;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Ends what a command has open, also when the command was interrupted: then the ending must not be. */
public final class Ending {
    private Ending() {}

    /** Runs it with the interrupt put aside. */
    public static void of(AutoCloseable open) {
        boolean interrupted = Thread.interrupted();
        try {
            open.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new CommandFailure("cannot close " + open + ": " + e.getMessage(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits until a process ends whose input has ended; by force when that takes longer than {@code patience}. */
    public static void of(Process process, Duration patience) {
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                process.waitFor(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
