package io.urma4j;

import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderMemory;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a device can share with peers, created by {@link UrmaContext#allocate(long)}. Safe for any thread.
 *
 * <p>Any context of this process may register it, if its device can use it (S7.15). It can be closed once no segment is registered
 * on it. The end of the context that allocated it closes it, too; its bytes stay until the last registration ends.
 */
public final class SharedMemory implements ContextObject {
    private static final System.Logger LOG = System.getLogger(SharedMemory.class.getName());

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

    /**
     * The same bytes in another scope, for code that gets them for a while: its accesses throw {@code IllegalStateException} once the
     * arena is closed. The memory itself must not be closed before the arena.
     *
     * @throws UrmaException EINVAL if the device cannot do that
     */
    public MemorySegment segment(Arena arena) {
        life.checkOpen();
        return provider.segment(arena);
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

    /**
     * Frees it. Idempotent.
     *
     * @throws UrmaException EAGAIN while a segment is registered on it, of any context, or while a native call uses it for seconds;
     *     it is open then (S2.2)
     */
    @Override
    public void close() {
        boolean endsNow = context.life().isClosed()
                ? life.endWithHolders(this::freeLate) // registrations of other contexts keep the bytes
                : life.end();
        if (endsNow) {
            free();
        }
    }

    /** The last registration has ended, on a thread that has other work. */
    private void freeLate() {
        try {
            free();
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0} stays allocated: {1}", this, e.reason());
        }
    }

    private void free() {
        try {
            provider.close();
        } catch (UrmaException e) {
            life.reopen();
            throw e;
        }
        context.children().remove(this);
    }

    @Override
    public String toString() {
        return "memory of " + lengthBytes() + " bytes";
    }
}
