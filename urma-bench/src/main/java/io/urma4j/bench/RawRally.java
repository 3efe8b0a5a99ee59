package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The least that two processes can do to tell each other something: each stores into a cache line of its own, and looks
 * at that of the other.
 */
final class RawRally implements Rally {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final long APART = 1024;

    private final MemorySegment memory;
    private final long mine;
    private final long theirs;
    private long turn;

    RawRally(MemorySegment memory, boolean serves) {
        this.memory = memory;
        this.mine = serves ? 0 : APART;
        this.theirs = serves ? APART : 0;
    }

    @Override
    public void serve(int turns) {
        for (int i = 0; i < turns; i++) {
            U64.setRelease(memory, mine, ++turn);
            while ((long) U64.getAcquire(memory, theirs) != turn) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void stop() {
        U64.setRelease(memory, mine, STOP);
    }

    @Override
    public void returnAll() {
        long last = (long) U64.getAcquire(memory, mine);
        while (true) {
            long now = (long) U64.getAcquire(memory, theirs);
            if (now == STOP) {
                U64.setRelease(memory, theirs, last); // so that the next rally does not begin with its end
                return;
            }
            if (now != last) {
                U64.setRelease(memory, mine, now);
                last = now;
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
