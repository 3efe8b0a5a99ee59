package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
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
    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(RdmaBuf.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

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
        return new RdmaBuf(block, block.beginLease(), start, lengthBytes, leaks);
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
     * @throws UrmaException EAGAIN if this is the last handle, and work requests that were posted by {@link
     *     BufView#localSegment} are unfinished; the handle stays open
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
