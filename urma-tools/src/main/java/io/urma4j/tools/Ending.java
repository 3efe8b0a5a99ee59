package io.urma4j.tools;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Closes a command's resources. If the command was interrupted, the close is not. */
public final class Ending {
    private Ending() {}

    /** Closes it with the interrupt flag cleared, and sets the flag again. */
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

    /** Waits until a process ends whose input has ended, or that got a signal; kills it after {@code patience}. */
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
