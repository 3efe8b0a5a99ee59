package io.urma4j.bench.gpu;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** Copies of a stream; the thread that starts one spins until its end. */
final class EngineCopies implements Copies {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int SPINS = 1 << 16; // between two looks at the clock

    private final CopyStream stream;
    private final long address;
    private final MemorySegment host;
    private final Copy copy = new Copy();

    EngineCopies(CopyStream stream, long address, MemorySegment host) {
        this.stream = stream;
        this.address = address;
        this.host = host;
    }

    @Override
    public void in(long at, int lengthBytes) {
        stream.copyIn(address + at, host.asSlice(at, lengthBytes), copy);
        await(copy);
    }

    @Override
    public void out(long at, int lengthBytes) {
        stream.copyOut(address + at, host.asSlice(at, lengthBytes), copy);
        await(copy);
    }

    /** Spins until the end, and throws if the copy failed. */
    static void await(Copy copy) {
        if (!isDoneWithin(copy, SPINS)) {
            awaitLong(copy);
        }
        RuntimeException failure = copy.failure();
        if (failure != null) {
            throw failure;
        }
    }

    private static boolean isDoneWithin(Copy copy, int spins) {
        for (int i = 0; i < spins; i++) {
            if (copy.isDone()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private static void awaitLong(Copy copy) {
        long start = System.nanoTime();
        while (!isDoneWithin(copy, SPINS)) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("the device has not finished a copy within 20 s");
            }
        }
    }
}
