package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Device memory of a card in virtual time: one stream, whose copies end later and in order, and few fragments. Checks that each copy
 * is released once, and that only those are asked for that exist.
 */
final class SlowCopies implements CopyPort {
    static final long NEVER = Long.MAX_VALUE;
    private static final int OF_ONE_PACKET = 4;

    private final LongSupplier clock;
    private final Random random;
    private final int fragments;
    private final Map<Integer, MemorySegment> regions = new HashMap<>();
    private final Map<Long, Copy> copies = new HashMap<>();
    private final List<Copy> running = new ArrayList<>();
    private final Set<CopyWaiter> waiting = new LinkedHashSet<>();
    private final Map<Long, List<Copy>> barriers = new HashMap<>();
    private long lastNumber;
    private long lastDueNanos;
    private boolean hasAtomic;

    /** Longest time of a copy; {@link #NEVER} if none ends. */
    long mostNanos = 50_000;

    /** The device fails: each copy that ends is lost. */
    boolean isLost;

    int begun;
    int busy;

    private static final class Copy {
        final MemorySegment memory;
        final MemorySegment bytes;
        final boolean isIn;
        final CopyWaiter waiter;
        final List<CopyWaiter> alsoWaiting = new ArrayList<>();
        final long dueNanos;
        CopyState state = CopyState.RUNNING;
        boolean isReleased;
        long next;
        int opcode;
        long operand;
        long original;

        Copy(MemorySegment memory, MemorySegment bytes, boolean isIn, CopyWaiter waiter, long dueNanos) {
            this.memory = memory;
            this.bytes = bytes;
            this.isIn = isIn;
            this.waiter = waiter;
            this.dueNanos = dueNanos;
        }
    }

    SlowCopies(LongSupplier clock, int fragments, long seed) {
        this.clock = clock;
        this.fragments = fragments;
        this.random = new Random(seed);
    }

    /** Memory of a device. */
    MemorySegment region(int number, int lengthBytes) {
        MemorySegment memory = MemorySegment.ofArray(new long[lengthBytes / Long.BYTES]);
        regions.put(number, memory);
        return memory;
    }

    /** The memory is gone: no byte of it moves any more. */
    void remove(int number) {
        MemorySegment gone = regions.remove(number);
        running.stream()
                .filter(copy -> copy.memory.heapBase().equals(gone.heapBase()))
                .forEach(copy -> {
                    copy.state = CopyState.REFUSED;
                });
    }

    /** Copies that are not released. */
    int inUse() {
        return copies.size();
    }

    private long begin(Copy copy) {
        if (copies.size() >= fragments || copy.isIn && hasAtomic) {
            waiting.add(copy.waiter);
            busy++;
            return Memory.BUSY;
        }
        begun++;
        long number = ++lastNumber << 16 | lastNumber & 0xFF;
        copies.put(number, copy);
        running.add(copy);
        return number;
    }

    private long due() {
        if (mostNanos == NEVER) {
            return NEVER;
        }
        lastDueNanos = Math.max(lastDueNanos, clock.getAsLong() + random.nextLong(mostNanos));
        return lastDueNanos;
    }

    @Override
    public long copyOut(int region, long offset, int lengthBytes, CopyWaiter waiter) {
        MemorySegment memory = regions.get(region);
        return memory == null
                ? Memory.REFUSED
                : begin(new Copy(
                        memory.asSlice(offset, lengthBytes),
                        MemorySegment.ofArray(new long[lengthBytes / 8 + 1]),
                        false,
                        waiter,
                        due()));
    }

    @Override
    public long copyIn(
            int region, long offset, NativeMemory from, long fromOffset, int lengthBytes, CopyWaiter waiter) {
        MemorySegment memory = regions.get(region);
        if (memory == null) {
            return Memory.REFUSED;
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[lengthBytes]);
        MemorySegment.copy(from.segment(), fromOffset, bytes, 0, lengthBytes);
        return begin(new Copy(memory.asSlice(offset, lengthBytes), bytes, true, waiter, due()));
    }

    @Override
    public long atomic(
            int opcode, int region, long offset, int sizeBytes, long operand, long expected, CopyWaiter waiter) {
        MemorySegment memory = regions.get(region);
        if (memory == null) {
            return Memory.REFUSED;
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[sizeBytes]);
        Copy copy = new Copy(memory.asSlice(offset, sizeBytes), bytes, true, waiter, due());
        copy.opcode = opcode;
        copy.operand = operand;
        long number = begin(copy);
        hasAtomic |= number > 0;
        return number;
    }

    @Override
    public void join(long copy, long other) {
        Copy last = find(copy);
        while (last.next != 0) {
            last = find(last.next);
        }
        last.next = other;
    }

    private Copy find(long number) {
        Copy copy = copies.get(number);
        if (copy == null || copy.isReleased) {
            throw new AssertionError("copy " + number + " was released, or never begun");
        }
        return copy;
    }

    @Override
    public boolean mayBegin(int region, int lengthBytes, CopyWaiter waiter) {
        return room(fragments - copies.size() >= OF_ONE_PACKET && !hasAtomic, waiter);
    }

    @Override
    public boolean hasRoom(int region, CopyWaiter waiter) {
        return room(copies.size() <= fragments / 2, waiter);
    }

    private boolean room(boolean isThere, CopyWaiter waiter) {
        if (!isThere) {
            waiting.add(waiter);
        }
        return isThere;
    }

    @Override
    public CopyState state(long number) {
        List<Copy> awaited = barriers.get(number);
        if (awaited != null) {
            return awaited.stream().anyMatch(running::contains) ? CopyState.RUNNING : CopyState.DONE;
        }
        Copy copy = find(number);
        CopyState next = copy.next == 0 ? CopyState.DONE : state(copy.next);
        return copy.state == CopyState.DONE || next == CopyState.RUNNING ? next : copy.state;
    }

    @Override
    public MemorySegment bytes(long copy) {
        return find(copy).bytes;
    }

    @Override
    public long original(long copy) {
        return find(copy).original;
    }

    @Override
    public void release(long number) {
        if (barriers.containsKey(number)) {
            return;
        }
        Copy copy = find(number);
        copy.isReleased = true;
        if (copy.next != 0) {
            release(copy.next);
        }
        forgetIfOver(number, copy);
    }

    @Override
    public long barrier(long earlier, int region, CopyWaiter waiter) {
        if (running.isEmpty()) {
            return earlier;
        }
        running.getLast().alsoWaiting.add(waiter);
        long number = earlier == Memory.AT_ONCE ? ++lastNumber << 16 | 0x100 : earlier;
        barriers.computeIfAbsent(number, _ -> new ArrayList<>()).addAll(running);
        return number;
    }

    private void forgetIfOver(long number, Copy copy) {
        if (copy.isReleased && copy.state != CopyState.RUNNING) {
            copies.remove(number);
            wakeWaiting();
        }
    }

    private void wakeWaiting() {
        List<CopyWaiter> woken = List.copyOf(waiting);
        waiting.clear();
        woken.forEach(CopyWaiter::copyEnded);
    }

    /** When the next copy ends. */
    long nextNanos() {
        return running.isEmpty() ? NEVER : running.getFirst().dueNanos;
    }

    @Override
    public void poll() {
        while (!running.isEmpty() && running.getFirst().dueNanos <= clock.getAsLong()) {
            Copy first = running.removeFirst();
            if (first.state == CopyState.RUNNING) {
                first.state = isLost ? CopyState.LOST : move(first);
            }
            if (first.opcode != 0) {
                hasAtomic = false;
                wakeWaiting();
            }
            first.waiter.copyEnded();
            first.alsoWaiting.forEach(CopyWaiter::copyEnded);
            numberOf(first).forEach(number -> forgetIfOver(number, first));
        }
    }

    private List<Long> numberOf(Copy copy) {
        return copies.entrySet().stream()
                .filter(entry -> entry.getValue() == copy)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static CopyState move(Copy copy) {
        if (copy.opcode == WorkOpcode.FADD) {
            copy.original = copy.memory.get(JAVA_LONG_UNALIGNED, 0);
            copy.memory.set(JAVA_LONG_UNALIGNED, 0, copy.original + copy.operand);
        } else if (copy.isIn) {
            copy.memory.copyFrom(copy.bytes);
        } else {
            MemorySegment.copy(copy.memory, 0, copy.bytes, 0, copy.memory.byteSize());
        }
        return CopyState.DONE;
    }
}
