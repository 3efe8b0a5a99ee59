package io.urma4j.spi;

import io.urma4j.WindowKey;

/** A window that this home has granted to an importer. No call waits. */
public interface ProviderGrant {
    WindowKey key();

    /** Revokes the window: an operation that has not started moves no byte. Idempotent. */
    void takeBack();

    /** The window is revoked, and no earlier operation on it is in progress. */
    boolean isQuiet();
}
