package io.urma4j;

import io.urma4j.internal.Nanos;
import java.time.Duration;

/**
 * Options of a context.
 *
 * @param closeTimeout how long {@code close()} waits for its children (S4.1)
 * @param importTimeout after which an import, bind or lookup fails with ETIMEOUT (S5.6)
 */
public record ContextOptions(Duration closeTimeout, Duration importTimeout) {
    public ContextOptions {
        closeTimeout = Nanos.bounded(closeTimeout);
        importTimeout = Nanos.bounded(importTimeout);
    }

    /** Defaults: 5 s to close, 30 s to import. */
    public static final ContextOptions DEFAULT = new ContextOptions(Duration.ofSeconds(5), Duration.ofSeconds(30));

    public ContextOptions withCloseTimeout(Duration closeTimeout) {
        return new ContextOptions(closeTimeout, importTimeout);
    }

    public ContextOptions withImportTimeout(Duration importTimeout) {
        return new ContextOptions(closeTimeout, importTimeout);
    }
}
