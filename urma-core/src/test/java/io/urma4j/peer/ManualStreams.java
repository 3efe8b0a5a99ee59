package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** A copy engine that moves no bytes: a test ends each copy. */
final class ManualStreams implements DmaEngine {
    final Deque<Copy> running = new ArrayDeque<>(); // guarded by this

    /** Whether an abort ends a copy. */
    boolean aborts = true;

    @Override
    public CopyStream openStream() {
        return new Stream();
    }

    @Override
    public void flush(DeviceRange range) {}

    @Override
    public int maxInFlight() {
        return 16;
    }

    @Override
    public long fragmentBytes() {
        return 64 << 10;
    }

    @Override
    public long alignmentBytes() {
        return 1;
    }

    synchronized void completeFirst() {
        running.removeFirst().complete();
    }

    private synchronized void start(Copy copy) {
        copy.begin();
        running.addLast(copy);
    }

    private synchronized void stop(Copy copy) {
        if (aborts && running.remove(copy)) {
            copy.fail(new UrmaException(UrmaStatus.FAIL, this, "aborted"));
        }
    }

    private final class Stream implements CopyStream {
        @Override
        public void copyIn(long address, MemorySegment source, Copy copy) {
            start(copy);
        }

        @Override
        public void copyOut(long address, MemorySegment target, Copy copy) {
            start(copy);
        }

        @Override
        public void copyWithin(long from, long to, long lengthBytes, Copy copy) {
            start(copy);
        }

        @Override
        public void fill(long address, long lengthBytes, byte value, Copy copy) {
            start(copy);
        }

        @Override
        public void abort(Copy copy) {
            stop(copy);
        }

        @Override
        public void close() {}
    }
}
