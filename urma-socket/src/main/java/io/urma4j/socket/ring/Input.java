package io.urma4j.socket.ring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The direction of a connection that this end reads. Any thread may call it; one reads at a time. */
final class Input {
    private final RingReader reader;
    private final Doorbell doorbell;
    private final TcpEnd end;
    private final Ringer ringer;
    private final BooleanSupplier isPeerGone;
    private final Runnable retire;
    private final ReentrantLock lock = new ReentrantLock();
    private final Doorbell.Check dataComes = this::hasData;
    private final Spinner.Check dataIsThere = this::isThere;
    private Spinner spinner = Spinning.of(0).spinner(); // used under lock

    private volatile boolean shut;
    private volatile boolean closed;
    private volatile boolean isHeld; // closed, but the JDK's channel is not, while its key is registered
    private boolean retired; // guarded by lock

    /** {@code retire} takes the ring back; called once, when no thread of this process uses it any more. */
    Input(
            RingReader reader,
            Doorbell doorbell,
            TcpEnd end,
            Ringer ringer,
            BooleanSupplier isPeerGone,
            Runnable retire) {
        this.reader = reader;
        this.doorbell = doorbell;
        this.end = end;
        this.ringer = ringer;
        this.isPeerGone = isPeerGone;
        this.retire = retire;
    }

    int read(ByteBuffer target) throws IOException {
        lock.lock();
        try {
            return (int) credited(take(target, true));
        } finally {
            leave();
        }
    }

    long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        lock.lock();
        try {
            return credited(takeAll(targets, offset, length, true));
        } finally {
            leave();
        }
    }

    int readWaiting(ByteBuffer target, @Nullable InputStream stream, int timeoutMillis) throws IOException {
        lock.lock();
        try {
            doorbell.refuseInterrupted();
            int read = take(target, false);
            while (read == 0 && target.hasRemaining()) {
                await(stream, timeoutMillis);
                read = take(target, false);
            }
            return (int) credited(read);
        } finally {
            leave();
        }
    }

    long readWaiting(ByteBuffer[] targets, int offset, int length) throws IOException {
        lock.lock();
        try {
            doorbell.refuseInterrupted();
            long read = takeAll(targets, offset, length, false);
            while (read == 0 && Buffers.haveRemaining(targets, offset, length)) {
                await(null, 0);
                read = takeAll(targets, offset, length, false);
            }
            return credited(read);
        } finally {
            leave();
        }
    }

    private void await(@Nullable InputStream stream, int timeoutMillis) throws IOException {
        if (!doorbell.isProven() || !spinner.await(dataIsThere)) {
            doorbell.await(dataComes, stream, timeoutMillis);
        }
    }

    /** How waits spin from now on; before the connection is used. */
    void spin(Spinning policy) {
        spinner = policy.spinner();
    }

    SpinUse spinUse() {
        return spinner.use();
    }

    /** Whether a look at the ring finds something, without asking for a doorbell. Any thread. */
    boolean isThere() {
        return closed || shut || doorbell.isProven() && (reader.unreadBytes() > 0 || reader.hasEnded());
    }

    private long takeAll(ByteBuffer[] targets, int offset, int length, boolean drains) throws IOException {
        checkOpen();
        if (shut) {
            return -1;
        }
        end.refuseAgain();
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            if (targets[i].hasRemaining()) {
                int read = take(targets[i], drains && total == 0);
                total += Math.max(read, 0);
                if (targets[i].hasRemaining()) {
                    return total == 0 ? read : total;
                }
            }
        }
        return total;
    }

    /** Whether TCP and the ring have ended is asked before the bytes are read, which came earlier. */
    private int take(ByteBuffer target, boolean drains) throws IOException {
        checkOpen();
        if (shut) {
            return -1;
        }
        end.refuseAgain();
        if (!target.hasRemaining()) {
            return 0;
        }
        boolean over = end.isOver();
        if (doorbell.isProven()) {
            boolean ended = reader.hasEnded();
            int length = reader.read(target);
            if (length > 0 || ended) {
                return length > 0 ? length : -1;
            }
        }
        if (over) {
            return end.tell(doorbell.isProven());
        }
        if (doorbell.lookForEnd()) {
            return take(target, drains); // bytes may have come before that end
        }
        if (drains && (!doorbell.isProven() || isPeerGone.getAsBoolean())) {
            doorbell.drainAside();
            return take(target, false);
        }
        return 0;
    }

    private long credited(long length) throws IOException {
        if (length > 0 && reader.credit()) {
            ringer.ring();
        }
        return length;
    }

    /** Whether a read would not wait; else the doorbell will ring. For a connection that does not block. */
    boolean isReady() {
        lock.lock();
        try {
            if (!doorbell.isProven()) {
                doorbell.drainAside();
            }
            return hasData();
        } catch (IOException e) {
            return true; // for the read to throw
        } finally {
            leave();
        }
    }

    private boolean hasData() throws IOException {
        if (hasDataNow()) {
            return true;
        }
        reader.wantData();
        return hasDataNow();
    }

    private boolean hasDataNow() throws IOException {
        return closed || shut || hasEnded() || doorbell.isProven() && reader.available() > 0 || doorbell.lookForEnd();
    }

    /** Whether the peer writes nothing any more, though bytes before it may be unread. */
    boolean hasEnded() {
        return end.isOver() || !closed && doorbell.isProven() && reader.hasEnded();
    }

    /** Whether the peer has closed its end, so that it sees nothing of this connection any more. Only with the lock. */
    boolean isPeerClosed() {
        return doorbell.isProven() && reader.isWriterGone();
    }

    /** What a read would get at once. Another thread that reads may wait, and leaves nothing then. */
    int available() throws IOException {
        if (!lock.tryLock()) {
            return 0;
        }
        try {
            return closed || shut || !doorbell.isProven() ? 0 : reader.available();
        } finally {
            leave();
        }
    }

    void shut() {
        shut = true;
        reader.wantNoData();
    }

    /** A writer is to ask TCP what becomes of its bytes. */
    void refuse() {
        reader.close();
    }

    boolean isShut() {
        return shut;
    }

    private void checkOpen() throws AsynchronousCloseException {
        if (closed) {
            throw new AsynchronousCloseException();
        }
    }

    /**
     * Nothing is read any more.
     *
     * @return whether the caller has the lock, and calls {@link #leave}; else a thread is reading just now
     */
    boolean close() {
        closed = true;
        return lock.tryLock();
    }

    /** Whether bytes would be lost by a close; only with the lock. */
    boolean hasUnread() {
        try {
            return doorbell.isProven() && reader.available() > 0;
        } catch (IOException e) {
            return true; // of a peer that breaks its ring
        }
    }

    /** A peer that goes on writing sees a reset. Only with the lock. */
    void reset() {
        reader.reset();
    }

    /** Keeps the ring after the close, until {@link #release}; meanwhile the peer writes on. Only with the lock. */
    void hold() {
        isHeld = true;
    }

    /** Whether it keeps the ring after the close. */
    boolean isHeld() {
        return isHeld;
    }

    /** The JDK's channel is closed at last: a peer that goes on writing sees a reset. */
    void release() {
        lock.lock();
        if (isHeld) {
            isHeld = false;
            if (hasUnread()) {
                reader.reset();
            } else {
                reader.close();
            }
        }
        leave();
    }

    /** The last thread to leave a closed connection gives the ring back. */
    void leave() {
        lock.unlock();
        if (closed && !isHeld && lock.tryLock()) {
            try {
                if (!retired) {
                    retired = true;
                    reader.giveBack();
                    retire.run();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public String toString() {
        return reader.toString();
    }
}
