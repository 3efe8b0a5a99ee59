package io.urma4j;

import io.urma4j.spi.ProviderGrant;

/**
 * A window of a segment that one of its importers may use, given without asking him and taken back without waiting for
 * him (S7.10). Made by {@link LocalSegment#grant}. It ends with the import, and with the segment. Safe for any thread.
 */
public final class WindowGrant implements AutoCloseable {
    private final ProviderGrant provider;

    WindowGrant(ProviderGrant provider) {
        this.provider = provider;
    }

    /** What the importer needs to use it. */
    public WindowKey key() {
        return provider.key();
    }

    /**
     * Takes it back, without waiting: an operation that has not begun by now moves no byte. Idempotent.
     *
     * @return as {@link #isQuiet}
     */
    public boolean takeBack() {
        provider.takeBack();
        return provider.isQuiet();
    }

    /**
     * Whether it was taken back, and no operation on it is under way: from then on nobody touches the window by this
     * grant, and it can be used for something else. False for as long as an operation lasts that had begun before; only
     * this window has to wait for it.
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
