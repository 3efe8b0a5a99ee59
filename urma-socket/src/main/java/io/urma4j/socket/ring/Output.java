package io.urma4j.socket.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** The direction of a connection that this end writes. Any thread may call it; one writes at a time. */
final class Output {
    private static final long PROOF_WAIT_NANOS = 50_000_000;
    private static final long PAUSE_NANOS = 20_000;

    private final RingWriter writer;
    private final Doorbell doorbell;
    private final TcpEnd end;
    private final Ringer ringer;
    private final PeerProcess peer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Doorbell.Check roomComes = this::hasRoom;
    private final Spinner.Check roomIsThere = this::mayHaveRoom;
    private Spinner spinner = Spinning.of(0).spinner(); // used under lock

    private volatile boolean shut;
    private volatile boolean closed;
    private boolean endIsTold; // as the one below guarded by lock
    private boolean givenBack;

    Output(RingWriter writer, Doorbell doorbell, TcpEnd end, Ringer ringer, PeerProcess peer) {
        this.writer = writer;
        this.doorbell = doorbell;
        this.end = end;
        this.ringer = ringer;
        this.peer = peer;
    }

    int write(ByteBuffer source) throws IOException {
        lock.lock();
        try {
            return (int) published(put(source, true));
        } finally {
            leave();
        }
    }

    long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        lock.lock();
        try {
            return published(putAll(sources, offset, length, true));
        } finally {
            leave();
        }
    }

    int writeWaiting(ByteBuffer source) throws IOException {
        lock.lock();
        try {
            doorbell.refuseInterrupted();
            long written = published(put(source, false));
            while (source.hasRemaining()) {
                awaitRoom();
                written += published(put(source, false));
            }
            return (int) written;
        } finally {
            leave();
        }
    }

    long writeWaiting(ByteBuffer[] sources, int offset, int length) throws IOException {
        lock.lock();
        try {
            doorbell.refuseInterrupted();
            long written = published(putAll(sources, offset, length, false));
            while (Buffers.haveRemaining(sources, offset, length)) {
                awaitRoom();
                written += published(putAll(sources, offset, length, false));
            }
            return written;
        } finally {
            leave();
        }
    }

    private void awaitRoom() throws IOException {
        if (!doorbell.isProven() || !spinner.await(roomIsThere)) {
            doorbell.awaitRoom(roomComes);
        }
    }

    /** How waits spin from now on; before the connection is used. */
    void spin(Spinning policy) {
        spinner = policy.spinner();
    }

    SpinUse spinUse() {
        return spinner.use();
    }

    private long putAll(ByteBuffer[] sources, int offset, int length, boolean drains) throws IOException {
        checkOpen(drains);
        if (!Buffers.haveRemaining(sources, offset, length)) {
            return 0;
        }
        if (!canPut(drains)) {
            return isPeerGone() ? forward(sources, offset, length) : 0;
        }
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            try {
                total += writer.write(sources[i]);
            } catch (IllegalStateException | WrongThreadException e) { // of the program's own memory
                if (total == 0) {
                    throw e;
                }
                break; // what precedes it is published; the next write throws
            }
            if (sources[i].hasRemaining()) {
                break;
            }
        }
        return total == 0 && writer.isReaderClosed() ? forward(sources, offset, length) : total;
    }

    private int put(ByteBuffer source, boolean drains) throws IOException {
        checkOpen(drains);
        if (!source.hasRemaining()) {
            return 0;
        }
        if (!canPut(drains)) {
            return isPeerGone() ? forward(source) : 0;
        }
        int length = writer.write(source);
        return length == 0 && writer.isReaderClosed() ? forward(source) : length;
    }

    private boolean canPut(boolean drains) throws IOException {
        if (writer.isReset()) {
            end.tellReset();
            forward(); // which the kernel refuses, unless it has not reset TCP yet
            throw new IOException("Broken pipe");
        }
        if (drains && !doorbell.isProven()) {
            awaitProof();
        }
        return doorbell.isProven() && !isPeerGone();
    }

    /** A program that writes first expects room, as TCP has, and may wait for what it causes. The proof is in flight. */
    private void awaitProof() throws IOException {
        doorbell.drainAside();
        long began = System.nanoTime();
        while (!doorbell.isProven()
                && !end.isOver()
                && peer.isPrompt()
                && !Thread.currentThread().isInterrupted()) {
            if (System.nanoTime() - began > PROOF_WAIT_NANOS) {
                peer.wasLate();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            doorbell.drainAside();
        }
    }

    /**
     * Sends a byte to a peer that has closed: the kernel answers as to any byte after a close. A reset is reported once, by a read or
     * by a write.
     */
    private void forward() throws IOException {
        if (end.takeFailure()) {
            ringer.breakOff();
            throw new IOException("Connection reset by peer");
        }
        ringer.forward();
    }

    /** The peer reads nothing any more: TCP gets a byte in place of all, and says what it says of any. */
    private int forward(ByteBuffer source) throws IOException {
        forward();
        return skip(source);
    }

    private long forward(ByteBuffer[] sources, int offset, int length) throws IOException {
        forward();
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += skip(sources[i]);
        }
        return total;
    }

    private static int skip(ByteBuffer source) {
        int length = source.remaining();
        source.position(source.limit());
        return length;
    }

    private long published(long length) throws IOException {
        if (length > 0 && writer.publish()) {
            ringer.ring();
        }
        return length;
    }

    /** Whether the peer reads nothing any more. */
    boolean isPeerGone() {
        return end.isOver() || ringer.isBroken() || peer.hasEnded() || writer.isReaderClosed();
    }

    /** Whether the peer has closed before it had read all. */
    boolean isReset() {
        return !closed && writer.isReset();
    }

    /** Whether a write would not wait; else the doorbell will ring. For a connection that does not block. */
    boolean isReady() {
        lock.lock();
        try {
            if (!doorbell.isProven()) {
                doorbell.drainAside();
            }
            return hasRoom();
        } catch (IOException e) {
            return true; // for the write to throw
        } finally {
            leave();
        }
    }

    /** Whether a write may have room, as a thread beside it sees it. */
    boolean mayHaveRoom() {
        return closed || shut || doorbell.isProven() && writer.seemsToHaveRoom();
    }

    private boolean hasRoom() throws IOException {
        if (closed || shut || isPeerGone()) {
            return true;
        }
        if (!doorbell.isProven()) {
            return false;
        }
        if (writer.room() > 0) {
            return true;
        }
        writer.wantRoom();
        return writer.room() > 0 || isPeerGone();
    }

    /** Nothing is written any more; the peer sees the end after the last byte. A thread that waits in a write fails, and tells it. */
    void shut() throws IOException {
        if (!closed) {
            shut = true;
            if (lock.tryLock()) {
                leave();
            } else {
                doorbell.endWaitForRoom();
            }
        }
    }

    /** The same, unless a thread is writing just now. Returns whether the output is shut down. */
    boolean shutIfIdle() {
        boolean isIdle = lock.tryLock();
        if (isIdle) {
            shut |= !closed;
            leave();
        }
        return isIdle;
    }

    private void tellEnd() {
        if (closed || endIsTold) {
            return;
        }
        endIsTold = true;
        if (writer.end()) {
            ringer.ringIfOpen();
        }
    }

    boolean isShut() {
        return shut;
    }

    /** After {@link #shut}, the JDK asks the kernel all the same, which tells a reset, and throws the same in any case. */
    private void checkOpen(boolean drains) throws IOException {
        if (shut && drains) {
            doorbell.drainAside();
            end.takeFailure();
        }
        if (closed || shut) {
            throw new AsynchronousCloseException();
        }
    }

    /**
     * Nothing is written any more.
     *
     * @return whether the caller has the lock, and calls {@link #leave}; else a thread is writing just now
     */
    boolean close() {
        closed = true;
        return lock.tryLock();
    }

    /** This end closes: the peer sees the end after the last byte, even if TCP is reset later. Only with the lock. */
    void end() {
        writer.endGone();
    }

    /** The peer sees a reset after the last byte, unless it was to see an end. */
    void abort() {
        if (!shut) {
            writer.abort();
        }
    }

    /** The last thread to leave an output that is shut down tells the peer, and of a closed one gives the ring back to the peer. */
    void leave() {
        lock.unlock();
        if (shut && !closed && lock.tryLock()) {
            try {
                tellEnd();
            } finally {
                lock.unlock();
            }
        }
        if (closed && lock.tryLock()) {
            try {
                if (!givenBack) {
                    givenBack = true;
                    writer.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public String toString() {
        return writer.toString();
    }
}
