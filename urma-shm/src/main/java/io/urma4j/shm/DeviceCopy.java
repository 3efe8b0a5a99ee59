package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.spi.support.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The work request of a send queue for which a copy engine works, or whose many blocks a thread copies without the lock: one at a
 * time, and meanwhile no younger one starts. The thread that posted makes the copy if nothing is in its way; otherwise a virtual thread does. Guarded by the queue's lock, except where a
 * method says that it takes the lock itself.
 *
 * @param <E> the entries of the queue
 */
final class DeviceCopy<E> {
    private final Owner<E> owner;
    private final SpinLock lock;
    private @Nullable E entry; // null while there is none
    private long position;
    private boolean isPosting; // the thread of the next copy holds the lock, and will call run()
    private boolean isPosters; // the copy is that thread's

    /** The send queue. All under its lock, except {@link #copy}. */
    interface Owner<E> {
        /** A copy for the entry begins: only {@link #copied} ends it. */
        void copying(E entry);

        /** Makes the copy. Blocks as long as the device takes. */
        CompletionStatus copy(E entry);

        /** The copy has ended so. */
        void copied(long position, E entry, CompletionStatus status);

        /** Starts what can be started, and reports what is finished. */
        void advance();
    }

    DeviceCopy(Owner<E> owner, SpinLock lock) {
        this.owner = owner;
        this.lock = lock;
    }

    boolean isActive() {
        return entry != null;
    }

    /** Starts the copy for the entry that waits at {@code at}. */
    void begin(long at, E waiting) {
        entry = waiting;
        position = at;
        owner.copying(waiting);
        if (isPosting) {
            isPosters = true;
        } else {
            Thread _ = Thread.ofVirtual().name("urma-shm-copy").start(this::run);
        }
    }

    /** A step of the window by a thread that has posted; true if it must call {@link #run} once it has released the lock. */
    boolean advanceInPost() {
        isPosting = true;
        isPosters = false;
        try {
            owner.advance();
        } finally {
            isPosting = false;
        }
        return isPosters;
    }

    /** Makes the copy. Blocks as long as the device takes; without the lock, which it takes at the end. */
    void run() {
        E copying = entry; // stays until this method ends the copy
        assert copying != null : "no copy was begun";
        CompletionStatus status = CompletionStatus.LOC_OPERATION_ERR; // of a bug, which must not stall the queue
        try {
            status = owner.copy(copying);
        } finally {
            lock.acquire();
            try {
                entry = null;
                owner.copied(position, copying, status);
                owner.advance();
            } finally {
                lock.release();
            }
        }
    }
}
