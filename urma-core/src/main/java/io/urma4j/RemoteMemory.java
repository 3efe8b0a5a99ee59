package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.PublishedNames;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.remote.MappedCalls;
import io.urma4j.internal.remote.QueuedCalls;
import io.urma4j.internal.remote.RemoteCalls;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a remote segment, as simple calls. Created by {@link UrmaContext#importMemory}, or over an imported segment
 * by {@link #of}.
 *
 * <p>A call returns once its bytes have reached their destination (S8.1). Offsets and lengths are in bytes, from the start
 * of the segment; words are in native byte order.
 *
 * <p>A call that fails throws {@link UrmaException}: EINVAL or ENOPERM if it was refused and nothing moved, {@link
 * OperationFailedException} if it had started. Then a part of a longer transfer may have been done; the next call is
 * independent. If the home revoked the segment, or is gone, that is a {@link HomeGoneException}, detected before or during
 * the call (S7.14).
 *
 * <p>If the device maps segments (S7.11), the calling thread alone completes the call: a load, a store or an atomic after
 * the checks, which no counter of a queue includes. Otherwise a call is a work request, and waits for its record.
 *
 * <p>Safe for any number of threads, which work in parallel. A waiting virtual thread releases its carrier. An interrupt
 * does not end an operation in flight; the flag stays set, and the wait ends at the queue's timeout or that of {@link
 * #withTimeout}.
 *
 * <p>Each asynchronous form runs in a virtual thread, unordered with the others. Its memory must be usable from another
 * thread, and belongs to the operation until the future completes. Cancelling the future does not end the operation.
 */
public final class RemoteMemory implements AutoCloseable {
    private final RemoteSegment segment;
    private final long lengthBytes;
    private final boolean ownsSegment;
    private final @Nullable RemoteMemory whole; // of which this is a view; null when it is none
    private final Lifetime life;
    private final RemoteCalls calls;

    private RemoteMemory(RemoteSegment segment, boolean ownsSegment) {
        segment.checkOpensWhole();
        this.lengthBytes = segment.lengthBytes();
        this.segment = segment;
        this.ownsSegment = ownsSegment;
        this.whole = null;
        this.life = new Lifetime(this);
        this.calls =
                MappedCalls.suit(segment) ? new MappedCalls(this, life, segment) : new QueuedCalls(this, life, segment);
    }

    private RemoteMemory(RemoteWindow window) {
        this.segment = window.segment();
        this.lengthBytes = window.lengthBytes();
        this.ownsSegment = false;
        this.whole = null;
        this.life = new Lifetime(this);
        this.calls = new QueuedCalls(this, life, window); // each operation must be announced to the home
    }

    private RemoteMemory(RemoteMemory whole, RemoteCalls calls) {
        this.lengthBytes = whole.lengthBytes;
        this.segment = whole.segment;
        this.ownsSegment = whole.ownsSegment;
        this.whole = whole;
        this.life = whole.life;
        this.calls = calls;
    }

    /**
     * Remote memory over an imported segment, which the caller still owns and must close after this object.
     *
     * @throws UrmaException EINVAL if the segment or its context is closed; ENOPERM if its import opens nothing but windows
     *     (S14.31); ENOMEM if no queue can be created
     */
    public static RemoteMemory of(RemoteSegment segment) {
        return open(new RemoteMemory(segment, false));
    }

    /**
     * Remote memory over a window (S14.33), which the caller still owns and must close after this object. Offsets count from
     * the window's start. Each call is a work request, also where segments are mapped.
     *
     * @throws UrmaException EINVAL if the window or its context is closed; ENOMEM if no queue can be created
     */
    public static RemoteMemory of(RemoteWindow window) {
        window.life().checkOpen();
        return open(new RemoteMemory(window));
    }

    /** Imports the segment of a line or name; see {@link UrmaContext#importMemory}. */
    static RemoteMemory open(UrmaContext context, String lineOrName) {
        RemoteSegment segment = importSegment(context, lineOrName);
        try {
            return open(new RemoteMemory(segment, true));
        } catch (UrmaException e) {
            segment.close();
            throw e;
        }
    }

    static RemoteSegment importSegment(UrmaContext context, String lineOrName) {
        String text = lineOrName.strip();
        boolean isLine = text.startsWith("urma4j:");
        return context.importSegment(
                isLine
                        ? SharedSegment.parse(text)
                        : context.lookup(PublishedNames.in(
                                text, context, context.attributes().provider())));
    }

    private static RemoteMemory open(RemoteMemory memory) {
        return memory.segment.context().children().add(memory, ClosingRank.COMFORT);
    }

    /**
     * The same memory with a timeout for each call; for asynchronous calls it counts from when they start to run. A call
     * that exceeds it ends with ETIMEOUT, and may still complete. A call that the calling thread completes alone never
     * waits. Closing either object closes both.
     *
     * @throws UrmaException EINVAL for a timeout of 0 or less
     */
    public RemoteMemory withTimeout(Duration timeout) {
        life.checkOpen();
        Checks.positive(this, "timeout", timeout);
        return new RemoteMemory(whole == null ? this : whole, calls.within(Nanos.of(timeout)));
    }

    /** The imported segment, or that of the window, for use with queues. */
    public RemoteSegment segment() {
        return segment;
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    /** Writes all of {@code source}. */
    public void write(long offset, byte[] source) {
        write(offset, MemorySegment.ofArray(source));
    }

    /** Writes {@code length} bytes of {@code source}, from index {@code from} on. */
    public void write(long offset, byte[] source, int from, int length) {
        write(offset, part("source", source, from, length));
    }

    /** Writes all of {@code source}, on the heap or off-heap. */
    public void write(long offset, MemorySegment source) {
        check(offset, source.byteSize());
        calls.write(offset, source);
    }

    /** Reads {@code length} bytes. */
    public byte[] read(long offset, int length) {
        check(offset, length); // before an array of that length is made
        byte[] bytes = new byte[length];
        read(offset, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /** Fills {@code destination}. */
    public void read(long offset, byte[] destination) {
        read(offset, MemorySegment.ofArray(destination));
    }

    /** Fills {@code length} bytes of {@code destination}, from index {@code from} on. */
    public void read(long offset, byte[] destination, int from, int length) {
        read(offset, part("destination", destination, from, length));
    }

    /** Fills {@code destination}, on the heap or off-heap. */
    public void read(long offset, MemorySegment destination) {
        if (destination.isReadOnly()) {
            throw Checks.invalid(this, "destination is read-only");
        }
        check(offset, destination.byteSize());
        calls.read(offset, destination);
    }

    /** Writes 8 bytes; no reader sees a part of them if {@code offset} is a multiple of 8 (S8.10). */
    public void writeLong(long offset, long value) {
        check(offset, Long.BYTES);
        calls.writeLong(offset, value);
    }

    /** Reads 8 bytes; never a part of a {@link #writeLong} if {@code offset} is a multiple of 8 (S8.10). */
    public long readLong(long offset) {
        check(offset, Long.BYTES);
        return calls.readLong(offset);
    }

    /** The same, ends with ETIMEOUT when it would take longer. It makes no object. */
    long readLong(long offset, long timeoutNanos) {
        check(offset, Long.BYTES);
        return calls.readLong(offset, timeoutNanos);
    }

    /** Writes 4 bytes; no reader sees a part of them if {@code offset} is a multiple of 4 (S8.10). */
    public void writeInt(long offset, int value) {
        check(offset, Integer.BYTES);
        calls.writeInt(offset, value);
    }

    /** Reads 4 bytes; never a part of a {@link #writeInt} if {@code offset} is a multiple of 4 (S8.10). */
    public int readInt(long offset) {
        check(offset, Integer.BYTES);
        return calls.readInt(offset);
    }

    /**
     * Stores {@code desired} if the word is {@code expected}. {@code offset} must be a multiple of 8, here and in all
     * atomics of 8 bytes.
     *
     * @return the previous value: {@code expected} exactly if {@code desired} was stored
     */
    public long compareAndSwap(long offset, long expected, long desired) {
        check(offset, Long.BYTES);
        return calls.atomic(Opcode.CAS, offset, desired, expected);
    }

    /** Stores {@code value}; returns the previous value. */
    public long swap(long offset, long value) {
        return atomic(Opcode.SWAP, offset, value);
    }

    /** Adds; returns the previous value. */
    public long fetchAndAdd(long offset, long delta) {
        return atomic(Opcode.FADD, offset, delta);
    }

    /** Subtracts; returns the previous value. */
    public long fetchAndSubtract(long offset, long delta) {
        return atomic(Opcode.FSUB, offset, delta);
    }

    /** Keeps only the bits of {@code mask}; returns the previous value. */
    public long fetchAndAnd(long offset, long mask) {
        return atomic(Opcode.FAND, offset, mask);
    }

    /** Sets the bits of {@code mask}; returns the previous value. */
    public long fetchAndOr(long offset, long mask) {
        return atomic(Opcode.FOR, offset, mask);
    }

    /** Flips the bits of {@code mask}; returns the previous value. */
    public long fetchAndXor(long offset, long mask) {
        return atomic(Opcode.FXOR, offset, mask);
    }

    private long atomic(Opcode opcode, long offset, long operand) {
        check(offset, Long.BYTES);
        return calls.atomic(opcode, offset, operand, 0);
    }

    /**
     * Stores {@code desired} if the 4 bytes are {@code expected}. {@code offset} must be a multiple of 4, here and in all
     * atomics of 4 bytes; neighbouring bytes do not change.
     *
     * @return the previous value: {@code expected} exactly if {@code desired} was stored
     */
    public int compareAndSwapInt(long offset, int expected, int desired) {
        check(offset, Integer.BYTES);
        return calls.atomicInt(Opcode.CAS, offset, desired, expected);
    }

    /** Stores {@code value}; returns the previous value. */
    public int swapInt(long offset, int value) {
        return atomicInt(Opcode.SWAP, offset, value);
    }

    /** Adds; returns the previous value. */
    public int fetchAndAddInt(long offset, int delta) {
        return atomicInt(Opcode.FADD, offset, delta);
    }

    /** Subtracts; returns the previous value. */
    public int fetchAndSubtractInt(long offset, int delta) {
        return atomicInt(Opcode.FSUB, offset, delta);
    }

    /** Keeps only the bits of {@code mask}; returns the previous value. */
    public int fetchAndAndInt(long offset, int mask) {
        return atomicInt(Opcode.FAND, offset, mask);
    }

    /** Sets the bits of {@code mask}; returns the previous value. */
    public int fetchAndOrInt(long offset, int mask) {
        return atomicInt(Opcode.FOR, offset, mask);
    }

    /** Flips the bits of {@code mask}; returns the previous value. */
    public int fetchAndXorInt(long offset, int mask) {
        return atomicInt(Opcode.FXOR, offset, mask);
    }

    private int atomicInt(Opcode opcode, long offset, int operand) {
        check(offset, Integer.BYTES);
        return calls.atomicInt(opcode, offset, operand, 0);
    }

    /** The asynchronous form of {@link #write(long, byte[])}. */
    public CompletableFuture<Void> writeAsync(long offset, byte[] source) {
        return CompletableFuture.runAsync(() -> write(offset, source), ResultExecutors.VIRTUAL_THREADS);
    }

    /** The asynchronous form of {@link #write(long, MemorySegment)}. */
    public CompletableFuture<Void> writeAsync(long offset, MemorySegment source) {
        return CompletableFuture.runAsync(() -> write(offset, source), ResultExecutors.VIRTUAL_THREADS);
    }

    /** The asynchronous form of {@link #read(long, int)}. */
    public CompletableFuture<byte[]> readAsync(long offset, int length) {
        return async(() -> read(offset, length));
    }

    /** The asynchronous form of {@link #read(long, MemorySegment)}. */
    public CompletableFuture<Void> readAsync(long offset, MemorySegment destination) {
        return CompletableFuture.runAsync(() -> read(offset, destination), ResultExecutors.VIRTUAL_THREADS);
    }

    /** The asynchronous form of {@link #compareAndSwap}. */
    public CompletableFuture<Long> compareAndSwapAsync(long offset, long expected, long desired) {
        return async(() -> compareAndSwap(offset, expected, desired));
    }

    /** The asynchronous form of {@link #fetchAndAdd}. */
    public CompletableFuture<Long> fetchAndAddAsync(long offset, long delta) {
        return async(() -> fetchAndAdd(offset, delta));
    }

    /** The asynchronous form of {@link #swap}. */
    public CompletableFuture<Long> swapAsync(long offset, long value) {
        return async(() -> swap(offset, value));
    }

    /** The asynchronous form of {@link #fetchAndSubtract}. */
    public CompletableFuture<Long> fetchAndSubtractAsync(long offset, long delta) {
        return async(() -> fetchAndSubtract(offset, delta));
    }

    /** The asynchronous form of {@link #fetchAndAnd}. */
    public CompletableFuture<Long> fetchAndAndAsync(long offset, long mask) {
        return async(() -> fetchAndAnd(offset, mask));
    }

    /** The asynchronous form of {@link #fetchAndOr}. */
    public CompletableFuture<Long> fetchAndOrAsync(long offset, long mask) {
        return async(() -> fetchAndOr(offset, mask));
    }

    /** The asynchronous form of {@link #fetchAndXor}. */
    public CompletableFuture<Long> fetchAndXorAsync(long offset, long mask) {
        return async(() -> fetchAndXor(offset, mask));
    }

    /** The asynchronous form of {@link #compareAndSwapInt}. */
    public CompletableFuture<Integer> compareAndSwapIntAsync(long offset, int expected, int desired) {
        return async(() -> compareAndSwapInt(offset, expected, desired));
    }

    /** The asynchronous form of {@link #swapInt}. */
    public CompletableFuture<Integer> swapIntAsync(long offset, int value) {
        return async(() -> swapInt(offset, value));
    }

    /** The asynchronous form of {@link #fetchAndAddInt}. */
    public CompletableFuture<Integer> fetchAndAddIntAsync(long offset, int delta) {
        return async(() -> fetchAndAddInt(offset, delta));
    }

    /** The asynchronous form of {@link #fetchAndSubtractInt}. */
    public CompletableFuture<Integer> fetchAndSubtractIntAsync(long offset, int delta) {
        return async(() -> fetchAndSubtractInt(offset, delta));
    }

    /** The asynchronous form of {@link #fetchAndAndInt}. */
    public CompletableFuture<Integer> fetchAndAndIntAsync(long offset, int mask) {
        return async(() -> fetchAndAndInt(offset, mask));
    }

    /** The asynchronous form of {@link #fetchAndOrInt}. */
    public CompletableFuture<Integer> fetchAndOrIntAsync(long offset, int mask) {
        return async(() -> fetchAndOrInt(offset, mask));
    }

    /** The asynchronous form of {@link #fetchAndXorInt}. */
    public CompletableFuture<Integer> fetchAndXorIntAsync(long offset, int mask) {
        return async(() -> fetchAndXorInt(offset, mask));
    }

    private static <T> CompletableFuture<T> async(Supplier<T> operation) {
        return CompletableFuture.supplyAsync(operation, ResultExecutors.VIRTUAL_THREADS);
    }

    private MemorySegment part(String argument, byte[] array, int from, int length) {
        if ((from | length) < 0 || from > array.length - length) {
            throw Checks.invalid(
                    this,
                    "index " + from + " + length " + length + " lies outside the " + array.length + " bytes of "
                            + argument);
        }
        return MemorySegment.ofArray(array).asSlice(from, length);
    }

    private void check(long offset, long length) {
        life.checkOpen();
        Checks.range(this, offset, length, lengthBytes);
        if (segment.isRevoked()) {
            throw new HomeGoneException(this, HomeGoneException.GONE);
        }
    }

    /** Closes the memory; operations in progress fail, and may have been done. Idempotent. */
    @Override
    public void close() {
        if (whole != null) {
            whole.close();
            return;
        }
        if (!life.end()) {
            return;
        }
        segment.context().children().remove(this);
        calls.close();
        if (ownsSegment) {
            segment.close();
        }
    }

    @Override
    public String toString() {
        return "remote memory " + segment.descriptor().uasid() + "/"
                + segment.descriptor().tokenId() + " of " + lengthBytes + " bytes";
    }
}
