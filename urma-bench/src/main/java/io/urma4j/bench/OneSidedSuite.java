package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Reads, writes and atomics by one thread: small ones beside a fetch-and-add, large ones beside a plain copy. */
final class OneSidedSuite {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final int BATCH = 64;
    private static final int SMALL_OPERATIONS = 8 * 1024;
    private static final long FOOTPRINT_BYTES = 1 << 20;

    private final Numbers.Run run;

    OneSidedSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        try (LocalPair pair = new LocalPair("shm0", true, FOOTPRINT_BYTES)) {
            Pinned.run(0, () -> small("", "lock_free", pair, 2.5, 3));
            Pinned.run(0, () -> calls(pair));
            Pinned.run(0, () -> large(pair));
        }
        try (LocalPair pair = new LocalPair("shm0", false, FOOTPRINT_BYTES)) {
            Pinned.run(0, () -> small("-locked", "with locks", pair, 5, 5));
        }
    }

    private void small(String suffix, String how, LocalPair pair, double writeLimit, double otherLimit) {
        Timed add = Timed.of(fetchAndAdds(pair.homeMemory()), SMALL_OPERATIONS);
        boolean lockFree = suffix.isEmpty();
        ratio("write-8" + suffix, "WRITE 8 B, post + poll, " + how, writes(pair), add, writeLimit);
        if (lockFree) {
            ratio("write-8-batch", "WRITE 8 B, 64 posts + one poll, " + how, writeBatches(pair), add, 1.2);
        }
        ratio("read-8" + suffix, "READ 8 B, post + poll, " + how, reads(pair), add, otherLimit);
        ratio("fadd-8" + suffix, "FADD 8 B, post + poll, " + how, adds(pair), add, otherLimit);
        ratio("cas-8" + suffix, "CAS 8 B, post + poll, " + how, swaps(pair), add, otherLimit);
    }

    /** The same words by the simple calls, without queue and record. */
    private void calls(LocalPair pair) {
        Timed add = Timed.of(fetchAndAdds(pair.homeMemory()), SMALL_OPERATIONS);
        try (RemoteMemory memory = RemoteMemory.of(pair.remote)) {
            ratio("write-8-call", "RemoteMemory.writeLong", writeCalls(memory), add, 2.5);
            ratio("read-8-call", "RemoteMemory.readLong", readCalls(memory), add, 3);
            ratio("fadd-8-call", "RemoteMemory.fetchAndAdd", addCalls(memory), add, 3);
            ratio("cas-8-call", "RemoteMemory.compareAndSwap", swapCalls(memory), add, 3);
        }
    }

    private void ratio(String name, String what, Loop subject, Timed add, double limit) {
        run.ratio(name, what, Timed.of(subject, SMALL_OPERATIONS), add, limit);
    }

    private void large(LocalPair pair) {
        copies(pair, "4k", "4 KiB", 4 << 10, 0.85);
        copies(pair, "64k", "64 KiB", 64 << 10, 0.95);
        copies(pair, "1m", "1 MiB", 1 << 20, 0.95);
    }

    private void copies(LocalPair pair, String name, String size, int bytes, double limit) {
        int operations = Math.max(4, (2 << 20) / bytes);
        MemorySegment local = pair.local.memory();
        MemorySegment home = pair.homeMemory();
        speed("write-" + name, "WRITE " + size, operations, writes(pair, bytes), copies(local, home, bytes), limit);
        speed("read-" + name, "READ " + size, operations, reads(pair, bytes), copies(home, local, bytes), limit);
    }

    private void speed(String name, String what, int operations, Loop subject, Loop peer, double limit) {
        run.speed(
                name,
                what + ", speed beside a copy",
                run.alternation(),
                Timed.of(subject, operations),
                Timed.of(peer, operations),
                limit);
    }

    // ---- the peers

    /** The result is used: else the JIT would make an add that fetches nothing. */
    private static Loop fetchAndAdds(MemorySegment memory) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                sum += (long) U64.getAndAdd(memory, 0L, 1L);
            }
            return sum;
        };
    }

    private static Loop copies(MemorySegment from, MemorySegment to, int bytes) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                MemorySegment.copy(from, 0, to, 0, bytes);
            }
            return to.get(JAVA_LONG, 0);
        };
    }

    // ---- the subjects: calls

    private static Loop writeCalls(RemoteMemory memory) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                memory.writeLong(0, i);
            }
            return operations;
        };
    }

    private static Loop readCalls(RemoteMemory memory) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                sum += memory.readLong(0);
            }
            return sum;
        };
    }

    private static Loop addCalls(RemoteMemory memory) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                sum += memory.fetchAndAdd(0, 1);
            }
            return sum;
        };
    }

    private static Loop swapCalls(RemoteMemory memory) {
        return operations -> {
            long value = memory.readLong(0);
            for (int i = 0; i < operations; i++) {
                if (memory.compareAndSwap(0, value + i, value + i + 1) != value + i) {
                    throw new IllegalStateException("a swap did not happen");
                }
            }
            return value;
        };
    }

    // ---- the subjects: queues

    private static Loop writes(LocalPair pair) {
        return writes(pair, 8);
    }

    private static Loop writes(LocalPair pair, int bytes) {
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch batch = pair.batch;
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                Records.accepted(jfs.write(remote, 0, local, 0, bytes, i));
                sum += Records.one(jfc, batch);
            }
            return sum;
        };
    }

    private static Loop writeBatches(LocalPair pair) {
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch batch = pair.batch;
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations / BATCH; i++) {
                for (int j = 0; j < BATCH; j++) {
                    Records.accepted(jfs.write(remote, 8L * j, local, 0, 8, j));
                }
                sum += Records.all(jfc, batch, BATCH);
            }
            return sum;
        };
    }

    private static Loop reads(LocalPair pair) {
        return reads(pair, 8);
    }

    private static Loop reads(LocalPair pair, int bytes) {
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch batch = pair.batch;
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                Records.accepted(jfs.read(remote, 0, local, 0, bytes, i));
                sum += Records.one(jfc, batch);
            }
            return sum;
        };
    }

    private static Loop adds(LocalPair pair) {
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch batch = pair.batch;
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                Records.accepted(jfs.fetchAndAdd(remote, 0, local, 0, 1, i));
                sum += Records.one(jfc, batch);
            }
            return sum;
        };
    }

    /** Each swap succeeds: it counts up. */
    private static Loop swaps(LocalPair pair) {
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch batch = pair.batch;
        MemorySegment home = pair.homeMemory();
        return operations -> {
            long value = home.get(JAVA_LONG, 0);
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                Records.accepted(jfs.compareAndSwap(remote, 0, local, 0, value + i, value + i + 1, i));
                sum += Records.one(jfc, batch);
            }
            if (home.get(JAVA_LONG, 0) != value + operations) {
                throw new IllegalStateException("a swap did not happen");
            }
            return sum;
        };
    }
}
