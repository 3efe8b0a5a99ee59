package io.urma4j.shm.bounce;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerMemoryRegistry;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.spi.support.StagedCopies;
import io.urma4j.spi.support.StagedRegion;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Imported device memory that this process has opened by a handle of its home, so that its own devices copy from and to it. Whatever
 * they cannot do, the home does: then a method here returns false, and nothing has to be undone. Safe for any thread.
 *
 * <p>{@link #hasEnded} is the fence of a revocation: its result means that no copy is in progress and nothing is mapped any more.
 */
public final class OpenedMemory {
    private static final System.Logger LOG = System.getLogger(OpenedMemory.class.getName());
    private static final long CLOSE_AGAIN_NANOS = 10_000_000;

    private final String name; // of the import
    private final Access access;
    private volatile @Nullable StagedRegion opened; // while it can be used
    private State state = State.OPENING; // guarded by this, with all below
    private @Nullable PeerRegion region; // to close

    private enum State {
        OPENING,
        OPEN,
        ENDING,
        ENDED
    }

    /** Memory that {@link #open} opens. */
    public OpenedMemory(String name, Access access) {
        this.name = name;
        this.access = access;
    }

    /**
     * Opens it on a thread of its own, since drivers take their time.
     *
     * @param client by name
     * @param handle of the home, which may be anything
     * @return completes with true if it can be used; never fails
     */
    public CompletableFuture<Boolean> open(
            PeerMemoryRegistry devices, StagedCopies copies, String client, byte[] handle, long lengthBytes) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Thread.ofVirtual().name("urma-shm-open").start(() -> {
            PeerRegion made = null;
            try {
                made = devices.open(client, handle, lengthBytes);
                if (made.engine().alignmentBytes() == 1) { // else its engine cannot copy any range
                    made.activate(new Keys());
                    opened = copies.region(made);
                }
            } catch (RuntimeException e) {
                LOG.log(
                        Level.DEBUG,
                        () -> "device memory of " + name + " is served by it, because it cannot be opened",
                        e);
                opened = null;
            } finally {
                opened(made);
                done.complete(opened != null);
            }
        });
        return done;
    }

    private synchronized void opened(@Nullable PeerRegion made) {
        region = made;
        state = made == null ? State.ENDED : State.OPEN;
    }

    /** This process's own device was reset, or its client ends: the home serves the memory from now on. */
    private final class Keys implements RegionUser {
        @Override
        public void revoke(InvalidationReason reason) {
            opened = null;
        }

        @Override
        public void invalidated(InvalidationReason reason) {}

        @Override
        public String holder() {
            return name;
        }
    }

    /** Whether READs go directly. */
    public boolean isUsable() {
        StagedRegion now = opened;
        return now != null && now.region().isUsable();
    }

    /** Its region for copies of this process's own; null if the home must move the bytes. */
    @Nullable
    StagedRegion usable(boolean forWrite) {
        StagedRegion now = opened;
        return now == null || (forWrite && !access.canWrite()) || !now.region().isUsable() ? null : now;
    }

    /** Copies it to memory of the host. */
    boolean tryRead(long offset, MemorySegment to, long toOffset, long lengthBytes) {
        StagedRegion from = usable(false);
        return from != null && isCopied(() -> from.read(offset, to, toOffset, lengthBytes));
    }

    /** Copies memory of the host to it. */
    boolean tryWrite(long offset, MemorySegment from, long fromOffset, long lengthBytes) {
        StagedRegion to = usable(true);
        return to != null && isCopied(() -> to.write(offset, from, fromOffset, lengthBytes));
    }

    private static boolean isCopied(Runnable copy) {
        try {
            copy.run();
            return true;
        } catch (UrmaException e) {
            if (e.status() == UrmaStatus.ETIMEOUT) {
                throw e; // the device is stuck, and would be waited for with each range
            }
            return false;
        }
    }

    /** Ends it: no copy begins any more. Returns at once; true when none is in progress, and it is closed. */
    public synchronized boolean hasEnded() {
        opened = null;
        PeerRegion closing = region;
        if (state == State.OPEN && closing != null) {
            state = State.ENDING;
            Thread.ofVirtual().name("urma-shm-close").start(() -> close(closing));
        }
        return state == State.ENDED;
    }

    /** A device that ends no copy is waited for: its bytes would land in memory of another owner. */
    private void close(PeerRegion closing) {
        while (!isClosed(closing)) {
            LockSupport.parkNanos(CLOSE_AGAIN_NANOS);
        }
        synchronized (this) {
            state = State.ENDED;
            region = null;
        }
    }

    private boolean isClosed(PeerRegion closing) {
        try {
            closing.close();
            return true;
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0}: its device memory is still open: {1}", name, e.getMessage());
            return false;
        }
    }

    @Override
    public synchronized String toString() {
        return "device memory of the " + name + ", " + state;
    }
}
