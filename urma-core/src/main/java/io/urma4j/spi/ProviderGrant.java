package io.urma4j.spi;

import io.urma4j.WindowKey;

/** A window that this home has given to an importer. Nothing here waits. */
public interface ProviderGrant {
    WindowKey key();

    /** From now on an operation that has not begun moves no byte. Idempotent. */
    void takeBack();

    /** Taken back, and no operation that had begun before is under way. */
    boolean isQuiet();
}
