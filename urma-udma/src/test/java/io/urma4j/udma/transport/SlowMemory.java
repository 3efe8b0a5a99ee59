package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * Memory behind a copy engine with several streams, in virtual time: copies end later, and those of different streams in any
 * order, unless they have bytes in common. Checks that each copy is released once, and that none moves a byte after the key
 * was revoked.
 */
final class SlowMemory implements Memory {
    static final long NEVER = Long.MAX_VALUE;

    /**
     * How slow it is.
     *
     * @param leastNanos of a copy
     * @param mostNanos of a copy; {@link #NEVER} if none ends
     * @param streams in which copies end in order
     * @param fragments copies that can be in progress
     * @param lostShare copies of which the device fails
     */
    record Pace(long leastNanos, long mostNanos, int streams, int fragments, double lostShare) {
        static Pace of(long nanos) {
            return new Pace(nanos, nanos, 1, 1024, 0);
        }
    }

    private enum Kind {
        WRITE,
        FETCH,
        ATOMIC
    }

    /** A copy that has not ended, or is not released. */
    private final class Copy {
        final Kind kind;
        final long va;
        final MemorySegment bytes;
        final long dueNanos;
        CopyState state = CopyState.RUNNING;
        boolean isReleased;
        int opcode;
        long operand;
        long expected;
        long original;

        Copy(Kind kind, long va, int lengthBytes) {
            this.kind = kind;
            this.va = va;
            this.bytes = MemorySegment.ofArray(new byte[lengthBytes]);
            this.dueNanos = due(this);
        }

        boolean overlaps(Copy other) {
            return va < other.va + other.bytes.byteSize() && other.va < va + bytes.byteSize();
        }

        void end() {
            if (random.nextDouble() < pace.lostShare) {
                state = CopyState.LOST;
                return;
            }
            long at = va - Region.BASE;
            switch (kind) {
                case WRITE -> MemorySegment.copy(bytes, 0, region.bytes, at, bytes.byteSize());
                case FETCH -> MemorySegment.copy(region.bytes, at, bytes, 0, bytes.byteSize());
                case ATOMIC ->
                    original = region.atomic(opcode, Region.KEY, va, (int) bytes.byteSize(), operand, expected, 0);
            }
            state = CopyState.DONE;
        }
    }

    private final Region region;
    private final LongSupplier clock;
    private final Random random;
    private final Map<Long, Copy> copies = new HashMap<>();
    private final Map<Integer, Long> streams = new HashMap<>(); // when the last copy of each ends
    private long lastNumber;
    Pace pace;

    int begun;
    int busy;

    /** Most bytes that were being fetched, or were there and not sent. */
    long mostFetchedBytes;

    SlowMemory(Region region, Pace pace, long seed, LongSupplier clock) {
        this.region = region;
        this.pace = pace;
        this.clock = clock;
        this.random = new Random(seed);
    }

    private long due(Copy copy) {
        if (pace.mostNanos == NEVER) {
            return NEVER;
        }
        long due = clock.getAsLong() + pace.leastNanos;
        due += pace.mostNanos > pace.leastNanos ? random.nextLong(pace.mostNanos - pace.leastNanos) : 0;
        int stream = random.nextInt(pace.streams);
        due = Math.max(due, streams.getOrDefault(stream, 0L));
        for (Copy other : copies.values()) {
            if (other.state == CopyState.RUNNING && other.overlaps(copy)) {
                due = Math.max(due, other.dueNanos);
            }
        }
        streams.put(stream, due);
        return due;
    }

    // ---- time

    /** When the next copy ends. */
    long nextNanos() {
        return copies.values().stream()
                .filter(copy -> copy.state == CopyState.RUNNING)
                .mapToLong(copy -> copy.dueNanos)
                .min()
                .orElse(NEVER);
    }

    /** Ends what is due, in the order of its number where times are equal. */
    void run() {
        long now = clock.getAsLong();
        List<Map.Entry<Long, Copy>> due = new ArrayList<>(copies.entrySet());
        due.removeIf(entry -> entry.getValue().state != CopyState.RUNNING || entry.getValue().dueNanos > now);
        due.sort(Comparator.comparingLong((Map.Entry<Long, Copy> entry) -> entry.getValue().dueNanos)
                .thenComparing(Map.Entry::getKey));
        for (Map.Entry<Long, Copy> entry : due) {
            entry.getValue().end();
            forgetIfOver(entry.getKey());
        }
    }

    /** Fragments that are in use. */
    int inUse() {
        return copies.size();
    }

    /** The key is revoked: when this returns, no copy moves a byte any more. */
    void revoke(CopyState ending) {
        region.isRevoked = true;
        for (long number : List.copyOf(copies.keySet())) {
            Copy copy = copies.get(number);
            copy.state = copy.state == CopyState.RUNNING ? ending : copy.state;
            forgetIfOver(number);
        }
    }

    private void forgetIfOver(long number) {
        Copy copy = copies.get(number);
        if (copy.isReleased && copy.state != CopyState.RUNNING) {
            copies.remove(number);
        }
    }

    // ---- Memory

    private long begin(Copy copy) {
        if (copies.size() >= pace.fragments) {
            busy++;
            return BUSY;
        }
        begun++;
        copies.put(++lastNumber, copy);
        return lastNumber;
    }

    @Override
    public long place(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        if (!isAllowed(key, va, lengthBytes, WRITE, connection)) {
            return REFUSED;
        }
        Copy copy = new Copy(Kind.WRITE, va, lengthBytes);
        MemorySegment.copy(from.segment(), fromOffset, copy.bytes, 0, lengthBytes);
        return begin(copy);
    }

    @Override
    public boolean answersLater(int key) {
        return true;
    }

    @Override
    public long fetch(int key, long va, int lengthBytes, int connection) {
        if (!isAllowed(key, va, lengthBytes, READ, connection)) {
            return REFUSED;
        }
        long number = begin(new Copy(Kind.FETCH, va, lengthBytes));
        long fetched = copies.values().stream()
                .filter(copy -> copy.kind == Kind.FETCH)
                .mapToLong(copy -> copy.bytes.byteSize())
                .sum();
        mostFetchedBytes = Math.max(mostFetchedBytes, fetched);
        return number;
    }

    @Override
    public boolean load(long number, long fromOffset, Packet to, int lengthBytes) {
        Copy copy = unreleased(number);
        if (copy.state != CopyState.DONE) {
            throw new AssertionError(number + " is " + copy.state);
        }
        MemorySegment.copy(copy.bytes, fromOffset, to.bytes().segment(), to.payloadAt(), lengthBytes);
        return !region.isRevoked;
    }

    @Override
    public long beginAtomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        Copy copy = new Copy(Kind.ATOMIC, va, sizeBytes);
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
        unreleased(number).isReleased = true;
        forgetIfOver(number);
    }

    private Copy unreleased(long number) {
        Copy copy = copies.get(number);
        if (copy == null || copy.isReleased) {
            throw new AssertionError("copy " + number + " was released before, or never began");
        }
        return copy;
    }

    // ---- what answers at once

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        return region.isAllowed(key, va, lengthBytes, access, connection);
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        throw new AssertionError("its bytes are placed by a copy");
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        throw new AssertionError("its bytes are fetched by a copy");
    }

    /** The word of a WRITE_NOTIFY is in the memory of the host. */
    @Override
    public boolean store(int key, long va, long value, int connection) {
        return region.store(key, va, value, connection);
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        throw new AssertionError("it is executed by a copy");
    }

    @Override
    public long invalidate(int key, int connection) {
        long revoked = region.invalidate(key, connection);
        if (revoked != REFUSED) {
            revoke(CopyState.REFUSED);
        }
        return revoked;
    }

    byte at(long offset) {
        return region.bytes.get(JAVA_BYTE, offset);
    }
}
