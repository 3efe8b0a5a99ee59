package io.urma4j;

import io.urma4j.spi.ProviderRoceGrant;

/**
 * A range of a segment for the peer that an RC Jetty is bound to by a RoCE endpoint (S7.16). The peer needs what verbs know of remote
 * memory: address and rkey. They open nothing on any other connection. Created by {@link LocalSegment#grant(Jetty, long, long,
 * Access)}. It ends with the binding, and with the segment. Safe for any thread.
 */
public final class RoceGrant implements RangeGrant {
    private final ProviderRoceGrant provider;
    private final long lengthBytes;

    RoceGrant(ProviderRoceGrant provider, long lengthBytes) {
        this.provider = provider;
        this.lengthBytes = lengthBytes;
    }

    /** The remote key, with all its 32 bits. */
    public int rkey() {
        return provider.rkey();
    }

    /** The address of the first byte, as the peer's work requests name it: no address of this process. */
    public long address() {
        return provider.address();
    }

    public long lengthBytes() {
        return lengthBytes;
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

    /** Without the rkey, which is a secret. */
    @Override
    public String toString() {
        return "grant of " + lengthBytes + " bytes to a RoCE peer";
    }
}
