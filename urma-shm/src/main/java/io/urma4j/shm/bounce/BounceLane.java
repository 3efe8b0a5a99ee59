package io.urma4j.shm.bounce;

import io.urma4j.CompletionStatus;
import io.urma4j.spi.support.FragmentLane;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Fragments of a bounce buffer, which the home fills and empties at the request of one thread at a time. */
final class BounceLane extends FragmentLane {
    /** How long the home may take for a fragment. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final int SPINS = 2_000;
    private static final long MAX_PARK_NANOS = 50_000;

    private final MemorySegment buffer;
    private final int firstFragment;
    private final BounceClient.Sender sender;
    private final MemorySegment room = MemorySegment.ofArray(new long[BounceRequest.BYTES / Long.BYTES]);
    private final BounceRequest request = new BounceRequest();
    private final int[] tickets = new int[FRAGMENTS]; // of the last request
    private final boolean[] pending = new boolean[FRAGMENTS];
    private @Nullable ServedMemory memory; // of the transfer in progress
    private long start; // where it begins in the segment

    BounceLane(MemorySegment buffer, int number, BounceClient.Sender sender) {
        super(BounceLayout.slab(buffer, number));
        this.buffer = buffer;
        this.firstFragment = number * FRAGMENTS;
        this.sender = sender;
    }

    void read(ServedMemory from, long offset, MemorySegment to, long toOffset, long lengthBytes) {
        begin(from, offset);
        read(to, toOffset, lengthBytes);
    }

    void write(ServedMemory to, long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        begin(to, offset);
        write(from, fromOffset, lengthBytes);
    }

    /** Executes an atomic; returns the old value. */
    long atomic(ServedMemory on, int opcode, long offset, int sizeBytes, long operand, long expected) {
        begin(on, offset);
        request.operand = operand;
        request.expected = expected;
        try {
            ask(opcode, 0, 0, sizeBytes);
            finish(0);
            return BounceLayout.value(buffer, firstFragment);
        } finally {
            quiet();
        }
    }

    private void begin(ServedMemory of, long offset) {
        memory = of;
        start = of.base() + offset;
        request.grant = of.grant();
        request.operand = 0;
        request.expected = 0;
    }

    @Override
    protected void fill(int fragment, long at, int lengthBytes) {
        ask(BounceRequest.READ, fragment, at, lengthBytes);
    }

    @Override
    protected void empty(int fragment, long at, int lengthBytes) {
        ask(BounceRequest.WRITE, fragment, at, lengthBytes);
    }

    private void ask(int opcode, int fragment, long at, int lengthBytes) {
        request.opcode = opcode;
        request.offset = start + at;
        request.lengthBytes = lengthBytes;
        request.fragment = firstFragment + fragment;
        request.ticket = ++tickets[fragment];
        request.write(room);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!sender.send(room)) {
            check(deadline);
            LockSupport.parkNanos(MAX_PARK_NANOS);
        }
        pending[fragment] = true;
    }

    @Override
    protected void finish(int fragment) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        int result = result(fragment);
        for (int spins = 0; result == 0; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                check(deadline);
                LockSupport.parkNanos(Math.min(MAX_PARK_NANOS, 1_000L * (spins - SPINS + 1)));
            }
            result = result(fragment);
        }
        pending[fragment] = false;
        switch (result) {
            case BounceLayout.DONE -> {}
            case BounceLayout.REVOKED -> throw gone();
            case BounceLayout.REFUSED ->
                throw new RemoteFailure(CompletionStatus.REM_ACCESS_ABORT_ERR, "the home does not permit this access");
            default -> throw new RemoteFailure(CompletionStatus.REM_OPERATION_ERR, "the device of the home has failed");
        }
    }

    private int result(int fragment) {
        return BounceLayout.result(buffer, firstFragment + fragment, tickets[fragment]);
    }

    private void check(long deadline) {
        ServedMemory current = memory;
        if (current != null) {
            current.checkOpen();
        }
        if (System.nanoTime() - deadline >= 0) {
            throw new RemoteFailure(
                    CompletionStatus.ACK_TIMEOUT_ERR, "the home has not answered within " + TIMEOUT.toSeconds() + " s");
        }
    }

    static RemoteFailure gone() {
        return new RemoteFailure(CompletionStatus.REM_ACCESS_ABORT_ERR, "the home has revoked the import, or is gone");
    }

    /** The home answers each request, also one whose import it has revoked. */
    @Override
    protected void quiet() {
        memory = null;
        if (isIdle()) {
            return;
        }
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!isIdle() && !sender.isGone() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(MAX_PARK_NANOS);
            for (int i = 0; i < FRAGMENTS; i++) {
                pending[i] &= result(i) == 0;
            }
        }
    }

    /** Whether the home has answered every request; else the lane is not used again. */
    boolean isIdle() {
        for (boolean one : pending) {
            if (one) {
                return false;
            }
        }
        return true;
    }
}
