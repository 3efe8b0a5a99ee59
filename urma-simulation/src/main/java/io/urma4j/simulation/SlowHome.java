package io.urma4j.simulation;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.device.CopyWaiter;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * The memory of a home behind a copy engine with several streams: copies end later, those of different streams in any order
 * unless they have bytes in common. A key that is revoked meanwhile refuses its copies, and some fail with their device.
 * Checks that each copy is released once.
 */
final class SlowHome implements Memory {
    private static final long MICROS = 1_000;
    private static final long[] LATENCIES = {10 * MICROS, 200 * MICROS, 3_000 * MICROS, 20_000 * MICROS};
    private static final int[] FRAGMENTS = {2, 12, 200, 4096};
    private static final double LOST_SHARE = 0.02;

    private enum Kind {
        WRITE,
        FETCH,
        ATOMIC
    }

    /** A copy that has not ended, or is not released. */
    private static final class Copy {
        final Kind kind;
        final int key;
        final long va;
        final byte[] bytes;
        final int connection;
        CopyState state = CopyState.RUNNING;
        boolean isReleased;
        long dueNanos;
        int opcode;
        long operand;
        long expected;
        long original;

        Copy(Kind kind, int key, long va, int lengthBytes, int connection) {
            this.kind = kind;
            this.key = key;
            this.va = va;
            this.bytes = new byte[lengthBytes];
            this.connection = connection;
        }

        boolean overlaps(Copy other) {
            return va < other.va + other.bytes.length && other.va < va + bytes.length;
        }
    }

    private final Life life;
    private final Memory keys;
    private final IntFunction<CopyWaiter> connections;
    private final SplittableRandom random;
    private final long latencyNanos;
    private final int fragments;
    private final double lostShare;
    private final long[] streams; // when the last copy of each ends
    private final Map<Long, Copy> copies = new HashMap<>();
    private final NativeMemory scratch = NativeMemory.allocate(PathMtu.LARGEST);
    private final List<Integer> waiting = new ArrayList<>(); // connections that found all fragments in use
    private long lastNumber;

    SlowHome(Life life, Memory keys, IntFunction<CopyWaiter> connections, SplittableRandom random) {
        this.life = life;
        this.keys = keys;
        this.connections = connections;
        this.random = random;
        this.latencyNanos = LATENCIES[random.nextInt(LATENCIES.length)];
        this.fragments = FRAGMENTS[random.nextInt(FRAGMENTS.length)];
        this.streams = new long[1 + random.nextInt(4)];
        this.lostShare = life.world.scenario.harmless() || random.nextInt(3) > 0 ? 0 : LOST_SHARE;
    }

    // ---- copies

    private long begin(Copy copy) {
        if (copies.size() >= fragments) {
            waiting.add(copy.connection);
            return BUSY;
        }
        int stream = random.nextInt(streams.length);
        copy.dueNanos = life.world.time.now() + latencyNanos / 4 + random.nextLong(latencyNanos);
        copy.dueNanos = Math.max(copy.dueNanos, streams[stream]);
        for (Copy other : copies.values()) {
            if (other.state == CopyState.RUNNING && other.overlaps(copy)) {
                copy.dueNanos = Math.max(copy.dueNanos, other.dueNanos);
            }
        }
        streams[stream] = copy.dueNanos;
        long number = ++lastNumber;
        copies.put(number, copy);
        life.world.time.at(copy.dueNanos, () -> end(number, copy));
        return number;
    }

    private void end(long number, Copy copy) {
        if (life.isDead) {
            return;
        }
        copy.state = random.nextDouble() < lostShare ? CopyState.LOST : move(copy) ? CopyState.DONE : CopyState.REFUSED;
        life.home.checkBorders(life);
        forgetIfOver(number, copy);
        wake(copy.connection);
        life.arm(0);
    }

    private void wake(int connection) {
        connections.apply(connection).copyEnded();
    }

    /** The bytes, in memory of a packet. */
    private NativeMemory packed(byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, scratch.segment(), 0, bytes.length);
        return scratch;
    }

    /** Moves its bytes; false if the key was revoked since the copy began. */
    private boolean move(Copy copy) {
        int length = copy.bytes.length;
        return switch (copy.kind) {
            case WRITE -> keys.write(copy.key, copy.va, packed(copy.bytes), 0, length, copy.connection);
            case FETCH -> fetched(copy);
            case ATOMIC -> executed(copy);
        };
    }

    private boolean fetched(Copy copy) {
        if (!keys.isAllowed(copy.key, copy.va, copy.bytes.length, READ, copy.connection)) {
            return false;
        }
        life.home.copyTo(copy.va, copy.bytes);
        return true;
    }

    private boolean executed(Copy copy) {
        if (!keys.isAllowed(copy.key, copy.va, copy.bytes.length, ATOMIC, copy.connection)) {
            return false;
        }
        copy.original = keys.atomic(
                copy.opcode, copy.key, copy.va, copy.bytes.length, copy.operand, copy.expected, copy.connection);
        return true;
    }

    private void forgetIfOver(long number, Copy copy) {
        if (!copy.isReleased || copy.state == CopyState.RUNNING) {
            return;
        }
        copies.remove(number);
        waiting.forEach(this::wake);
        waiting.clear();
        life.arm(0);
    }

    private Copy unreleased(long number) {
        Copy copy = copies.get(number);
        if (copy == null || copy.isReleased) {
            throw Violation.of("%s: copy %d was released before, or never began", life, number);
        }
        return copy;
    }

    /** At the end, every fragment is back. */
    void checkAll() {
        if (!copies.isEmpty()) {
            Copy first = copies.values().iterator().next();
            throw Violation.of(
                    "%s: %d fragments of its slow memory are not back, the first one of a %s that is %s",
                    life, copies.size(), first.kind, first.state);
        }
    }

    // ---- Memory

    @Override
    public long place(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        if (!keys.isAllowed(key, va, lengthBytes, WRITE, connection)) {
            return REFUSED;
        }
        Copy copy = new Copy(Kind.WRITE, key, va, lengthBytes, connection);
        MemorySegment.copy(from.segment(), fromOffset, MemorySegment.ofArray(copy.bytes), 0, lengthBytes);
        return begin(copy);
    }

    @Override
    public boolean answersLater(int key) {
        return true;
    }

    @Override
    public long fetch(int key, long va, int lengthBytes, int connection) {
        boolean isAllowed = keys.isAllowed(key, va, lengthBytes, READ, connection);
        return isAllowed ? begin(new Copy(Kind.FETCH, key, va, lengthBytes, connection)) : REFUSED;
    }

    @Override
    public boolean load(long number, long fromOffset, Packet to, int lengthBytes) {
        Copy copy = unreleased(number);
        if (copy.state != CopyState.DONE) {
            throw Violation.of("%s: bytes of a fetch are sent that is %s", life, copy.state);
        }
        MemorySegment.copy(
                MemorySegment.ofArray(copy.bytes), fromOffset, to.bytes().segment(), to.payloadAt(), lengthBytes);
        return keys.isAllowed(copy.key, copy.va + fromOffset, lengthBytes, READ, copy.connection);
    }

    @Override
    public long beginAtomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        Copy copy = new Copy(Kind.ATOMIC, key, va, sizeBytes, connection);
        copy.opcode = opcode;
        copy.operand = operand;
        copy.expected = expected;
        return begin(copy);
    }

    @Override
    public long original(long number) {
        return unreleased(number).original;
    }

    @Override
    public CopyState state(long number) {
        return unreleased(number).state;
    }

    @Override
    public void release(long number) {
        Copy copy = unreleased(number);
        copy.isReleased = true;
        forgetIfOver(number, copy);
    }

    // ---- what answers at once

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        return keys.isAllowed(key, va, lengthBytes, access, connection);
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        throw Violation.of("%s: slow memory is written at once", life);
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        throw Violation.of("%s: slow memory is read at once", life);
    }

    /** The word of a WRITE_NOTIFY is in the memory of the host. */
    @Override
    public boolean store(int key, long va, long value, int connection) {
        return keys.store(key, va, value, connection);
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        throw Violation.of("%s: an atomic of slow memory is executed at once", life);
    }

    @Override
    public long invalidate(int key, int connection) {
        return keys.invalidate(key, connection);
    }
}
