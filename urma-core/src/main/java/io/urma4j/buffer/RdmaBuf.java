package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.Jetty;
import io.urma4j.LocalSegment;
import io.urma4j.RoceGrant;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import io.urma4j.spi.support.FieldHandle;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An owning handle of a registered buffer. {@link #view} gives access to its bytes; {@link #retain} gives another owner its
 * own handle.
 *
 * <p>The lease ends with its last handle: from then on every view throws EINVAL "is closed" (S14.8). The memory returns once
 * no operation of a {@link BufQueue} holds it either (S14.9). Closing never waits for an operation.
 *
 * <p>Safe for any number of threads. A handle that is lost without {@link #close} keeps its memory until the context is
 * closed, unless a {@link LeakDetector} tracks it.
 */
public final class RdmaBuf implements AutoCloseable {
    private static final VarHandle CLOSED = FieldHandle.of(MethodHandles.lookup(), "closed", boolean.class);

    private final Block block;
    private final long generation;
    private final long start; // of the lease's range in the block
    private final long lengthBytes;
    private final LeakDetector leaks;
    private final LeakDetector.@Nullable Tracked tracked;
    private volatile boolean closed;

    private RdmaBuf(Block block, long generation, long start, long lengthBytes, LeakDetector leaks) {
        this.block = block;
        this.generation = generation;
        this.start = start;
        this.lengthBytes = lengthBytes;
        this.leaks = leaks;
        this.tracked = leaks.track(this);
    }

    /** A new lease of an unused block, or of a part of it. */
    static RdmaBuf lease(Block block, long start, long lengthBytes, LeakDetector leaks) {
        return new RdmaBuf(block, block.beginLease(lengthBytes), start, lengthBytes, leaks);
    }

    /** {@link #allocate(UrmaContext, long, LeakDetector)} without leak detection. */
    public static RdmaBuf allocate(UrmaContext context, long lengthBytes) {
        return allocate(context, lengthBytes, LeakDetector.OFF);
    }

    /**
     * Allocates memory of its own and registers it: zeroed, page-aligned, for operations of this context alone.
     *
     * @throws UrmaException EINVAL for a length outside 1…limit; ENOMEM if the machine or the cgroup lacks memory
     */
    public static RdmaBuf allocate(UrmaContext context, long lengthBytes, LeakDetector leaks) {
        SharedMemory memory = context.allocate(lengthBytes);
        LocalSegment segment;
        try {
            segment = context.register(memory, Access.LOCAL_ONLY);
        } catch (UrmaException e) {
            memory.close();
            throw e;
        }
        Block block = new Block(memory.segment(), List.of(segment), _ -> {
            segment.close();
            memory.close();
        });
        return lease(block, 0, lengthBytes, leaks);
    }

    /** {@link #wrap(MemorySegment, LeakDetector, UrmaContext...)} without leak detection. */
    public static RdmaBuf wrap(MemorySegment memory, UrmaContext... contexts) {
        return wrap(memory, LeakDetector.OFF, contexts);
    }

    /**
     * A buffer over native memory of the caller, which is never freed here, and must stay alive until the buffer is closed.
     *
     * @param contexts whose operations may use it; without one, it serves plain code only
     * @throws UrmaException EINVAL for memory that is empty, read-only or on the Java heap, or of a closed arena; or what a
     *     context refuses the registration with. The memory is then registered with none.
     */
    public static RdmaBuf wrap(MemorySegment memory, LeakDetector leaks, UrmaContext... contexts) {
        Registrations.checkForeign("RdmaBuf", memory);
        List<LocalSegment> registrations = Registrations.ofForeign(memory, contexts);
        Block block = new Block(memory, registrations, _ -> Registrations.end(registrations));
        return lease(block, 0, memory.byteSize(), leaks);
    }

    /** A view of the whole buffer. It keeps this handle reachable, but not open. */
    public BufView view() {
        checkOpen();
        return new BufView(this, start, lengthBytes);
    }

    /** Bytes of the lease: exactly what was asked for. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Another handle of the same lease, to be closed on its own.
     *
     * @throws UrmaException EINVAL once this handle is closed; ENOMEM if the limit of 4095 handles is reached
     */
    public RdmaBuf retain() {
        checkOpen();
        block.retain(generation, this);
        return new RdmaBuf(block, generation, start, lengthBytes, leaks);
    }

    /**
     * Exports a range to a peer: grants it a window on each device that both have, without a round trip. The peer's operations
     * reach exactly these bytes (S14.19). The windows end with the lease: no handle closes later because of them, and the memory
     * gets no next owner while a peer still uses one (S14.18).
     *
     * @param view a range of this buffer, of 1 byte at least
     * @param access READ, or more
     * @return what the peer needs; a message carries it
     * @throws UrmaException EINVAL for a view of another buffer or lease, for more access than {@link PoolConfig#exports}, for
     *     atomics on a range that does not start at a multiple of 8, for a peer without a common device, and for a buffer that is
     *     no lease of a pool; ENOMEM if a device has no window left. Then nothing is granted.
     */
    public RemoteBuf exportTo(Peer peer, BufView view, Access access) {
        checkExportable(view, access);
        block.hold(generation, this); // it does not return to its pool meanwhile
        try {
            Exporter exporter = new Exporter(this, peer);
            RemoteBuf exported = exporter.grant(block, view.localOffset(), view.size(), access);
            if (!block.addExport(generation, peer, exported.windows(), exporter.grants())) {
                exporter.takeBack();
                throw Checks.closed(this);
            }
            return exported;
        } finally {
            block.unholdQuietly();
        }
    }

    /**
     * Exports a range to the peer that an RC Jetty is bound to by a RoCE endpoint, which need not run urma4j. The rkey is valid on
     * that connection alone (S7.16). Otherwise as {@link #exportTo(Peer, BufView, Access)}.
     *
     * @param jetty of one of the pool's contexts
     * @return address and rkey in 3FS's form, with the place of that context in the pool as the device
     * @throws UrmaException EINVAL also for a Jetty that is bound in another way, or is of another context; ENOMEM if its device
     *     has no window left. Then nothing is granted.
     */
    public ThreeFsBuf exportTo(Jetty jetty, BufView view, Access access) {
        checkExportable(view, access);
        int device = block.registrations().indexOf(block.registeredWith(jetty.context(), this));
        block.hold(generation, this);
        try {
            RoceGrant grant = block.registrations().get(device).grant(jetty, view.localOffset(), view.size(), access);
            ThreeFsBuf exported =
                    new ThreeFsBuf(grant.address(), view.size(), List.of(new ThreeFsBuf.Key(grant.rkey(), device)));
            if (!block.addExport(generation, jetty, exported.keys(), List.of(grant))) {
                grant.close();
                throw Checks.closed(this);
            }
            return exported;
        } finally {
            block.unholdQuietly();
        }
    }

    private void checkExportable(BufView view, Access access) {
        checkOpen();
        if (!view.orThrow().isOf(block, generation)) {
            throw Checks.invalid(this, view + " is no view of it");
        }
        Access most = block.exportable();
        if (most == Access.LOCAL_ONLY) {
            throw Checks.invalid(
                    this,
                    "cannot be exported: only leases of a pool can be, unless its PoolConfig.exports is LOCAL_ONLY");
        }
        if (access == Access.LOCAL_ONLY || !most.covers(access)) {
            throw Checks.invalid(
                    this, "access of the export is " + access + ", must lie in READ…" + most + " (PoolConfig.exports)");
        }
        if (view.isEmpty()) {
            throw Checks.invalid(this, "an empty view cannot be exported: a window has at least 1 byte");
        }
    }

    /**
     * Revokes the windows of an export before the lease ends, without waiting: an operation of the peer that has not started moves
     * no byte. Idempotent; no effect on what this lease has not exported.
     *
     * @param exported from {@link #exportTo}, or a part of it
     * @return whether no operation of the peer is in progress there; else only the end of the lease has to wait for it
     * @throws UrmaException EINVAL if this handle is closed
     */
    public boolean takeBack(RemoteBuf exported) {
        checkOpen();
        return block.takeBackExport(generation, exported.windows());
    }

    /** {@link #takeBack(RemoteBuf)} of an export to a RoCE peer. */
    public boolean takeBack(ThreeFsBuf exported) {
        checkOpen();
        return block.takeBackExport(generation, exported.keys());
    }

    /** Whether this handle is closed; the lease may have other handles. */
    public boolean isClosed() {
        return closed;
    }

    private void checkOpen() {
        if (closed) {
            throw Checks.closed(this);
        }
    }

    /**
     * Closes this handle. Idempotent (S14.7).
     *
     * @throws UrmaException EAGAIN if this is the last handle of a buffer of {@link #allocate} or {@link #wrap}, and work
     *     requests that were posted by {@link BufView#localSegment} are unfinished; the handle stays open. It is not refused while
     *     an operation of a queue holds the buffer: then the memory stays until both have finished. Leases of a {@link
     *     RegisteredBufferPool} or a {@link RegistrationCache} share registrations, and are not refused
     */
    @Override
    public void close() {
        if (!closed && block.isLastUse(generation)) {
            block.checkNothingUnfinished(this);
        }
        if (CLOSED.compareAndSet(this, false, true)) {
            if (tracked != null) {
                tracked.closed();
            }
            block.release(generation);
        }
    }

    Block block() {
        return block;
    }

    long generation() {
        return generation;
    }

    long start() {
        return start;
    }

    @Override
    public String toString() {
        return "buffer of " + lengthBytes + " bytes at 0x"
                + Long.toHexString(block.memory().address() + start);
    }
}
