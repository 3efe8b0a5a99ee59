package io.urma4j;

import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a device can share with peers, created by {@link UrmaContext#allocate(long)}. Safe for any thread.
 *
 * <p>It can be closed once no segment is registered on it.
 */
public final class SharedMemory implements ContextObject {
    private final UrmaContext context;
    private final ProviderMemory provider;
    private final Lifetime life = new Lifetime(this);

    SharedMemory(UrmaContext context, ProviderMemory provider) {
        this.context = context;
        this.provider = provider;
    }

    /** The bytes, for plain loads and stores; invalid after {@link #close}. */
    public MemorySegment segment() {
        life.checkOpen();
        return provider.segment();
    }

    public long lengthBytes() {
        return provider.report().lengthBytes();
    }

    /** The request, its result, and the reasons of fallbacks. */
    public AllocReport report() {
        return provider.report();
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    ProviderMemory provider() {
        return provider;
    }

    Lifetime life() {
        return life;
    }

    /** Frees it; EAGAIN while a segment is registered on it. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            provider.close();
        }
    }

    @Override
    public String toString() {
        return "memory of " + lengthBytes() + " bytes";
    }
}
