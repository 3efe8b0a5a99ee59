package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyList;
import io.urma4j.peer.CopyStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One queue of copies. The engine's thread moves the first; any thread adds and aborts. */
final class NpuStream implements CopyStream {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final NpuEngine engine;
    private final Deque<Work> queue = new ArrayDeque<>(); // both guarded by this
    private boolean closed;

    /** A copy in progress. */
    abstract static class Work {
        final Copy copy;
        final long lengthBytes;
        final long startNanos = System.nanoTime();
        volatile boolean aborted;
        long moved; // only the engine's thread

        Work(Copy copy, long lengthBytes) {
            this.copy = copy;
            this.lengthBytes = lengthBytes;
        }

        boolean isDone() {
            return moved == lengthBytes;
        }

        /** Moves at most {@code limitBytes}, and returns how many it moved. */
        long move(long limitBytes) {
            long end = Math.min(lengthBytes, moved + limitBytes);
            long before = moved;
            while (moved < end) {
                moved += movePart(moved, end - moved);
            }
            return moved - before;
        }

        /** Moves bytes up to the end of a page; returns how many. */
        abstract long movePart(long offset, long limitBytes);
    }

    NpuStream(NpuEngine engine) {
        this.engine = engine;
    }

    @Override
    public void copyIn(long address, MemorySegment source, Copy copy) {
        add(address, new Work(copy, source.byteSize()) {
            @Override
            long movePart(long offset, long limitBytes) {
                return engine.device().copyPart(address + offset, source.asSlice(offset, limitBytes), true);
            }
        });
    }

    @Override
    public void copyOut(long address, MemorySegment target, Copy copy) {
        add(address, new Work(copy, target.byteSize()) {
            @Override
            long movePart(long offset, long limitBytes) {
                return engine.device().copyPart(address + offset, target.asSlice(offset, limitBytes), false);
            }
        });
    }

    @Override
    public void copyWithin(long from, long to, long lengthBytes, Copy copy) {
        checkAligned(to, lengthBytes);
        add(from, new Work(copy, lengthBytes) {
            @Override
            long movePart(long offset, long limitBytes) {
                return moveWithin(from + offset, to + offset, limitBytes);
            }
        });
    }

    /** Ranges one behind the other: as one, so that the first failure is that of all. */
    private abstract static class ListWork extends Work {
        private final CopyList ranges;
        private int range; // only the engine's thread, as the next
        private long before; // bytes of the ranges before

        ListWork(CopyList ranges, Copy copy) {
            super(copy, ranges.totalBytes());
            this.ranges = ranges;
        }

        @Override
        long movePart(long offset, long limitBytes) {
            while (offset - before == ranges.lengthBytes(range)) {
                before += ranges.lengthBytes(range++);
            }
            long within = offset - before;
            long limit = Math.min(limitBytes, ranges.lengthBytes(range) - within);
            return moveRange(ranges.from(range) + within, ranges.to(range) + within, limit);
        }

        /** Moves bytes of a range up to the end of a page; returns how many. */
        abstract long moveRange(long from, long to, long limitBytes);
    }

    @Override
    public void copyIn(CopyList ranges, MemorySegment source, Copy copy) {
        add(ranges, false, new ListWork(ranges, copy) {
            @Override
            long moveRange(long from, long to, long limitBytes) {
                return engine.device().copyPart(to, source.asSlice(from, limitBytes), true);
            }
        });
    }

    @Override
    public void copyOut(CopyList ranges, MemorySegment target, Copy copy) {
        add(ranges, true, new ListWork(ranges, copy) {
            @Override
            long moveRange(long from, long to, long limitBytes) {
                return engine.device().copyPart(from, target.asSlice(to, limitBytes), false);
            }
        });
    }

    @Override
    public void copyWithin(CopyList ranges, Copy copy) {
        for (int i = 0; i < ranges.count(); i++) {
            checkAligned(ranges.to(i), ranges.lengthBytes(i));
        }
        add(ranges, true, new ListWork(ranges, copy) {
            @Override
            long moveRange(long from, long to, long limitBytes) {
                return moveWithin(from, to, limitBytes);
            }
        });
    }

    private void add(CopyList ranges, boolean isFromDevice, ListWork work) {
        for (int i = 0; i < ranges.count(); i++) {
            checkAligned(isFromDevice ? ranges.from(i) : ranges.to(i), ranges.lengthBytes(i));
        }
        add(work);
    }

    private long moveWithin(long from, long to, long limitBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment between = arena.allocate(limitBytes);
            for (long at = 0; at < limitBytes; ) {
                at += engine.device().copyPart(from + at, between.asSlice(at), false);
            }
            for (long at = 0; at < limitBytes; ) {
                at += engine.device().copyPart(to + at, between.asSlice(at), true);
            }
        }
        return limitBytes;
    }

    @Override
    public void fill(long address, long lengthBytes, byte value, Copy copy) {
        add(address, new Work(copy, lengthBytes) {
            @Override
            long movePart(long offset, long limitBytes) {
                return engine.device().fillPart(address + offset, limitBytes, value);
            }
        });
    }

    private void add(long address, Work work) {
        checkAligned(address, work.lengthBytes);
        add(work);
    }

    private void add(Work work) {
        engine.faults().before("copy");
        synchronized (this) {
            if (closed) {
                throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
            }
            engine.checkOpen(work.copy);
            work.copy.begin();
            queue.addLast(work);
        }
        engine.wake();
    }

    private void checkAligned(long address, long lengthBytes) {
        long alignment = engine.alignmentBytes();
        if (((address | lengthBytes) & (alignment - 1)) != 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "address 0x" + Long.toHexString(address) + " + " + lengthBytes + " is no multiple of " + alignment);
        }
    }

    synchronized @Nullable Work first() {
        return queue.peekFirst();
    }

    /** A copy to end before any other, wherever it stands. */
    synchronized @Nullable Work firstAborted() {
        for (Work work : queue) {
            if (work.aborted) {
                return work;
            }
        }
        return null;
    }

    /** The engine has ended the first copy; null for success. */
    void end(Work work, @Nullable RuntimeException failure) {
        synchronized (this) {
            queue.remove(work);
        }
        if (failure == null) {
            work.copy.complete();
        } else {
            work.copy.fail(failure);
        }
    }

    void failAll(RuntimeException failure) {
        for (Work work = first(); work != null; work = first()) {
            end(work, failure);
        }
    }

    @Override
    public void abort(Copy copy) {
        synchronized (this) {
            for (Work work : queue) {
                if (work.copy == copy) {
                    work.aborted = true;
                }
            }
        }
        engine.wake();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        long deadline = System.nanoTime() + CLOSE_NANOS;
        while (first() != null && !engine.isClosed()) {
            if (System.nanoTime() - deadline > 0) {
                abortAll();
            }
            LockSupport.parkNanos(this, 100_000);
        }
        engine.remove(this);
    }

    private void abortAll() {
        synchronized (this) {
            queue.forEach(work -> work.aborted = true);
        }
        engine.wake();
    }

    @Override
    public String toString() {
        return "copy stream of " + engine.device();
    }
}
