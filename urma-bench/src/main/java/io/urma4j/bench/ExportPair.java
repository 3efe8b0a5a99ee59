package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.PeerId;
import io.urma4j.PostFlags;
import io.urma4j.RemoteWindow;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaContext;
import io.urma4j.WindowKey;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RegisteredBufferPool;

/** A pool and a segment of a home on shared memory, and an initiator with a window of the segment, both in this process. */
final class ExportPair implements AutoCloseable {
    static final int BYTES = 4096; // of a buffer
    static final int OPERATIONS = 4 * 1024; // of a chunk

    private static final int FIRST = 64 * BYTES; // where the window is: not at the start of its segment
    private static final int SLAB_BYTES = 1 << 20;

    private final LocalPair pair = new LocalPair("shm0", true, SLAB_BYTES);
    private final LocalSegment slab;
    private final PeerId user;
    private final RegisteredBufferPool pool;
    private final RemoteWindow window;

    ExportPair() {
        UrmaContext home = pair.home().context();
        user = pair.jfs.context().peerId();
        slab = home.register(
                home.allocate(SLAB_BYTES),
                SegmentConfig.of(Access.READ_WRITE_ATOMIC).withWindowsOnly());
        pool = RegisteredBufferPool.open(PoolConfig.fixed(BYTES, 64), home);
        WindowKey key = slab.grant(user, FIRST, BYTES, Access.READ_WRITE).key(); // which permits the import
        window = pair.jfs.context().importSegment(slab.descriptor(), null).importWindow(key);
    }

    LocalPair pair() {
        return pair;
    }

    RegisteredBufferPool pool() {
        return pool;
    }

    /** Acquires and releases a buffer. */
    Timed cycles() {
        return Timed.of(PoolSuite.cycles(pool, BYTES), OPERATIONS);
    }

    /** Grants a window and takes it back. */
    Timed grants() {
        return Timed.of(this::grantAndTakeBack, OPERATIONS);
    }

    private long grantAndTakeBack(int operations) {
        long quiet = 0;
        for (int i = 0; i < operations; i++) {
            quiet += slab.grant(user, FIRST, BYTES, Access.READ).takeBack() ? 1 : 0;
        }
        return quiet;
    }

    /** WRITEs of 8 bytes into the window. */
    Timed windowWrites() {
        return Timed.of(this::writeWindow, OPERATIONS);
    }

    private long writeWindow(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(window.write(pair.jfs, 0, pair.local, 0, 8, i, PostFlags.DEFAULT));
            sum += pair.one();
        }
        return sum;
    }

    /** WRITEs of 8 bytes into a whole segment. */
    Timed wholeWrites() {
        return Timed.of(this::writeWhole, OPERATIONS);
    }

    private long writeWhole(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(pair.jfs.write(pair.remote, 0, pair.local, 0, 8, i));
            sum += pair.one();
        }
        return sum;
    }

    @Override
    public void close() {
        pool.close();
        pair.close();
    }
}
