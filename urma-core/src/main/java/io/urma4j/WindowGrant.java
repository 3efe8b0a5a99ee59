package io.urma4j;

import io.urma4j.spi.ProviderGrant;

/**
 * A window of a segment for one of its importers, granted without a request to the importer and revoked without waiting for
 * it (S7.10). Created by {@link LocalSegment#grant}. It ends with the import, and with the segment. Safe for any thread.
 */
public final class WindowGrant implements RangeGrant {
    private final ProviderGrant provider;

    WindowGrant(ProviderGrant provider) {
        this.provider = provider;
    }

    /** The key that the importer needs. */
    public WindowKey key() {
        return provider.key();
    }

    @Override
    public boolean takeBack() {
        provider.takeBack();
        return provider.isQuiet();
    }

    @Override
    public boolean isQuiet() {
        return provider.isQuiet();
    }

    @Override
    public void close() {
        provider.takeBack();
    }

    @Override
    public String toString() {
        return "grant of " + key();
    }
}
