package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.libc.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A receive queue with buffers of one size; keeps what arrived. */
final class Inbox implements ReceiveWork {
    record Arrival(
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            MemorySegment bytes) {}

    final List<Arrival> arrivals = new ArrayList<>();
    final int bufferBytes;
    boolean allowsInvalidate = true;
    boolean isBufferGone;
    int rnrTimerCode = 12; // 0.64 ms

    /** Sees each arrival when it comes. */
    Consumer<Arrival> watcher = arrival -> {};

    private final ArrayDeque<Long> posted = new ArrayDeque<>();
    private final Map<Long, byte[]> taken = new HashMap<>();
    private long nextHandle;

    Inbox(int bufferBytes) {
        this.bufferBytes = bufferBytes;
    }

    void post(int count) {
        for (int i = 0; i < count; i++) {
            posted.add(nextHandle++);
        }
    }

    int posted() {
        return posted.size();
    }

    int underWay() {
        return taken.size();
    }

    @Override
    public long take() {
        Long next = posted.poll();
        if (next == null) {
            return NONE;
        }
        taken.put(next, new byte[bufferBytes]);
        return next;
    }

    @Override
    public int rnrTimerCode() {
        return rnrTimerCode;
    }

    @Override
    public boolean allowsInvalidate() {
        return allowsInvalidate;
    }

    @Override
    public long capacityBytes(long handle) {
        return bufferBytes;
    }

    @Override
    public boolean scatter(long handle, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        byte[] buffer = taken.get(handle);
        if (buffer == null) {
            throw new AssertionError("nobody has taken " + handle);
        }
        if (!isBufferGone) {
            MemorySegment.copy(from.segment(), JAVA_BYTE, fromOffset, buffer, (int) toOffset, lengthBytes);
        }
        return !isBufferGone;
    }

    @Override
    public void done(
            long handle,
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            int connection,
            long nowNanos) {
        byte[] buffer = taken.remove(handle);
        if (buffer == null) {
            throw new AssertionError(handle + " has ended twice");
        }
        arrivals.add(new Arrival(
                status, opcode, lengthBytes, immediate, solicited, sourceQueue, MemorySegment.ofArray(buffer)));
        watcher.accept(arrivals.getLast());
    }

    @Override
    public void giveBack(long handle) {
        if (taken.remove(handle) == null) {
            throw new AssertionError(handle + " was not taken");
        }
        posted.addFirst(handle);
    }
}
