package io.urma4j;

import io.urma4j.spi.ProviderGrant;

/**
 * A window of a segment for one of its importers, granted without a request to the importer and revoked without waiting for
 * it (S7.10). Created by {@link LocalSegment#grant}. It ends with the import, and with the segment. Safe for any thread.
 */
public final class WindowGrant implements AutoCloseable {
    private final ProviderGrant provider;

    WindowGrant(ProviderGrant provider) {
        this.provider = provider;
    }

    /** The key that the importer needs. */
    public WindowKey key() {
        return provider.key();
    }

    /**
     * Revokes the window without waiting: an operation that has not started by now moves no byte. Idempotent.
     *
     * @return as {@link #isQuiet}
     */
    public boolean takeBack() {
        provider.takeBack();
        return provider.isQuiet();
    }

    /**
     * Whether the window was revoked, and no operation on it is in progress: from then on no importer touches it by this
     * grant, and it can be reused. False while an operation lasts that had started before; only this window has to wait for
     * it.
     */
    public boolean isQuiet() {
        return provider.isQuiet();
    }

    /** {@link #takeBack}. */
    @Override
    public void close() {
        provider.takeBack();
    }

    @Override
    public String toString() {
        return "grant of " + key();
    }
}
