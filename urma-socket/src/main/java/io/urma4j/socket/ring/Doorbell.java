package io.urma4j.socket.ring;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What comes over the TCP connection beside two rings. A byte of it means "look at the rings again", and its end or reset
 * ({@link TcpEnd}) is the end of the peer. Its first eight bytes prove that the peer at its other end is the one that has the rings.
 *
 * <p>In blocking mode one thread reads from TCP, and the others wait for what it hears.
 */
class Doorbell {
    /** After the input of TCP was shut down no doorbell can be heard. A thread that waits then looks so often. */
    private static final long POLL_NANOS = 500_000;

    private static final int MAX_READS = 4;

    /** About what a thread takes that sleeps and is woken. */
    private static final long WAKE_UP_NANOS = 50_000;

    /** What a thread waits for. */
    interface Check {
        boolean holds() throws IOException;
    }

    private final SocketChannel tcp;
    private final Closeable connection;
    private final RingReader reader;
    private final TcpEnd end;
    private final long peersProof;

    private final ReentrantLock hearing = new ReentrantLock();
    private final Condition heard = hearing.newCondition();
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(2 * Ringer.MAX_UNREAD);
    private final byte[] streamed = new byte[2 * Ringer.MAX_UNREAD];
    private final ByteBuffer proof = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private boolean isListening; // a thread reads from TCP, without the lock
    private boolean listensForRoom; // and that thread writes
    private int hearings; // how often something was heard
    private int counted;
    private volatile Runnable onHeardAside = () -> {};
    private boolean isDeafOnceProven;
    private volatile boolean deaf;
    private volatile boolean proven;

    /** {@code connection} is what an interrupt closes. */
    Doorbell(SocketChannel tcp, Closeable connection, RingReader reader, TcpEnd end, long peersProof) {
        this.tcp = tcp;
        this.connection = connection;
        this.reader = reader;
        this.end = end;
        this.peersProof = peersProof;
    }

    /** How many bytes have woken this end. Any thread. */
    int heard() {
        return counted;
    }

    /** Whether the peer has proven that it has the rings. Before it none of their words means anything. */
    boolean isProven() {
        return proven;
    }

    /** Reads what TCP has. Only for a connection that does not block, and for the selector that was woken. */
    void drain() throws IOException {
        var _ = hearAll();
    }

    /** The same for others. Selectors are woken for it, since TCP does not do so any more. */
    void drainAside() throws IOException {
        if (hearAll()) {
            onHeardAside.run();
        }
    }

    /** Returns whether something came, if only the end. What comes after a few reads wakes the selector again. */
    private boolean hearAll() throws IOException {
        hearing.lock();
        try {
            boolean heardSome = false;
            int length = 1;
            for (int i = 0; i < MAX_READS && length > 0 && !isListening && !deaf && !end.isOver(); i++) {
                length = hearAtOnce();
                heardSome |= length != 0 || end.isOver();
            }
            var _ = lookForEnd();
            return heardSome;
        } finally {
            hearing.unlock();
        }
    }

    /** Another thread may make the connection block at any time, but not while the lock of its mode is held. */
    private int hearAtOnce() throws IOException {
        synchronized (tcp.blockingLock()) {
            return tcp.isBlocking() ? 0 : hear(null);
        }
    }

    /** Reads the peer's proof, which is in flight, without the wake-up that a thread needs which sleeps until it comes. */
    void expectProof() throws IOException {
        long began = System.nanoTime();
        hearUnread();
        while (!proven && !end.isOver() && System.nanoTime() - began < WAKE_UP_NANOS) {
            Thread.yield();
            hearUnread();
        }
    }

    /** {@code action} runs, with locks held, when a doorbell was heard that no selector has seen. */
    void onHeardAside(Runnable action) {
        onHeardAside = action;
    }

    /** Bytes, room or an end has come without TCP, for which this connection has asked. Any thread. */
    final void arrived() {
        hearing.lock();
        try {
            hearings++;
            heard.signalAll();
        } finally {
            hearing.unlock();
        }
        onHeardAside.run();
    }

    /** Reads what TCP has, if that is something, in any mode. */
    void hearUnread() throws IOException {
        hearing.lock();
        try {
            // only a thread that listens reads, so these bytes stay until they are read here
            if (isListening
                    || end.isOver()
                    || deaf
                    || !tcp.isConnected()
                    || tcp.socket().getInputStream().available() <= 0) {
                return;
            }
            hearAvailable();
        } finally {
            hearing.unlock();
        }
        onHeardAside.run();
    }

    /** Reads bytes that are there. So an interrupt, which would close the connection, is for the next call that waits. */
    private void hearAvailable() throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try {
            hear(null);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits until the condition holds or the connection is over. For a connection that blocks.
     *
     * @param stream of the TCP connection, to be read in place of the channel if not null, and then with what is left of the
     *     timeout, which the TCP connection's socket gets
     */
    void await(Check condition, @Nullable InputStream stream, int timeoutMillis) throws IOException {
        await(condition, stream, timeoutMillis, false);
    }

    private void await(Check condition, @Nullable InputStream stream, int timeoutMillis, boolean forRoom)
            throws IOException {
        long began = System.nanoTime();
        reader.beginWait();
        hearing.lock();
        try {
            while (!condition.holds() && !end.isOver()) {
                int leftMillis = timeoutMillis == 0 ? 0 : left(timeoutMillis, began);
                if (deaf) {
                    poll();
                } else if (isListening) {
                    awaitListener(leftMillis);
                } else {
                    listen(stream, leftMillis, forRoom);
                }
            }
        } finally {
            hearing.unlock();
            reader.endWait();
        }
    }

    /** Waits for the next doorbell, at most so long, or without limit if that is 0. With the lock, which it gives up meanwhile. */
    void listen(@Nullable InputStream stream, int timeoutMillis, boolean forRoom) throws IOException {
        listensForRoom = forRoom;
        if (stream != null) {
            limit(timeoutMillis);
        }
        hear(stream);
    }

    /** Waits for what comes without TCP, at most so long. With the lock. Returns whether something came. */
    final boolean awaitHeard(long timeoutNanos) throws InterruptedException {
        int before = hearings;
        long left = timeoutNanos;
        while (hearings == before && left > 0 && tcp.isOpen()) {
            left = heard.awaitNanos(left);
        }
        return hearings != before;
    }

    /** Looks once what TCP says, in any mode. With the lock. */
    final void look() throws IOException {
        if (isListening || end.isOver()) {
            return;
        }
        synchronized (tcp.blockingLock()) {
            boolean blocks = tcp.isBlocking();
            if (blocks) {
                tcp.configureBlocking(false);
            }
            try {
                hear(null);
            } finally {
                if (blocks && tcp.isOpen()) {
                    tcp.configureBlocking(true);
                }
            }
        }
    }

    /** What is left of the timeout; at least a millisecond, since 0 is no limit. */
    private static int left(int timeoutMillis, long began) throws SocketTimeoutException {
        long passedNanos = System.nanoTime() - began;
        if (passedNanos > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
            throw new SocketTimeoutException("Read timed out"); // doorbells came, and nothing to read
        }
        return (int) Math.max(1, timeoutMillis - TimeUnit.NANOSECONDS.toMillis(passedNanos));
    }

    /** The stream of TCP waits so long. */
    private void limit(int leftMillis) throws SocketException {
        try {
            tcp.socket().setSoTimeout(leftMillis);
        } catch (SocketException e) {
            if (tcp.isOpen()) {
                throw e;
            } // else the read tells
        }
    }

    /** Waits until there is room, as the condition says. {@link #endWaitForRoom} ends the wait. */
    void awaitRoom(Check condition) throws IOException {
        await(condition, null, 0, true);
    }

    /** A thread that waits for room looks at its condition again. Where it reads from TCP, only the end of that wakes it. */
    void endWaitForRoom() throws IOException {
        hearing.lock();
        try {
            hearings++;
            heard.signalAll();
            if (isListening && listensForRoom) {
                isDeafOnceProven = true;
                if (proven) {
                    goDeaf();
                }
            }
        } finally {
            hearing.unlock();
        }
    }

    /**
     * Asks the rings and the peer's process for an end, where TCP tells none any more. Any thread.
     *
     * @return whether the connection is over and TCP tells nothing
     */
    final boolean lookForEnd() {
        if (!deaf) {
            return false;
        }
        end.followPeer();
        return end.isOver();
    }

    private void poll() throws IOException {
        hearing.unlock();
        try {
            LockSupport.parkNanos(POLL_NANOS);
        } finally {
            hearing.lock();
        }
        var _ = lookForEnd();
        refuseInterrupted();
        checkOpen();
    }

    /** Waits until the thread that listens has heard something. */
    private void awaitListener(int timeoutMillis) throws IOException {
        long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        int before = hearings;
        try {
            while (isListening && hearings == before && !deaf && tcp.isOpen()) {
                if (timeoutMillis == 0) {
                    heard.await();
                } else {
                    left = heard.awaitNanos(left);
                }
                if (timeoutMillis != 0 && left <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw closedByInterrupt();
        }
        checkOpen();
    }

    /** A thread that was interrupted before a call that may wait closes the connection, as the JDK's does. */
    void refuseInterrupted() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw closedByInterrupt();
        }
    }

    /** Closes the connection without the lock: a close waits for the network, and the thread that drives that may want the lock. */
    final ClosedByInterruptException closedByInterrupt() throws IOException {
        boolean isLocked = hearing.isHeldByCurrentThread();
        if (isLocked) {
            hearing.unlock();
        }
        try {
            connection.close();
        } finally {
            if (isLocked) {
                hearing.lock();
            }
        }
        return new ClosedByInterruptException();
    }

    final void checkOpen() throws AsynchronousCloseException {
        if (!tcp.isOpen()) {
            throw new AsynchronousCloseException();
        }
    }

    /** Reads from TCP once, without the lock. Returns how many bytes came. */
    private int hear(@Nullable InputStream stream) throws IOException {
        isListening = true;
        hearing.unlock();
        int length = 0;
        IOException problem = null;
        try {
            length = stream == null ? tcp.read(incoming.clear()) : stream.read(streamed);
        } catch (ClosedChannelException | SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            problem = e;
        } finally {
            hearing.lock();
            isListening = false;
            listensForRoom = false;
            hearings++;
            heard.signalAll();
        }
        if (problem != null) {
            failed(problem);
        } else if (length < 0) {
            if (!deaf) {
                end.ended();
            }
        } else if (length > 0) {
            count(stream == null ? incoming.flip() : ByteBuffer.wrap(streamed, 0, length));
        }
        return length;
    }

    private void failed(IOException problem) throws ClosedChannelException {
        if (!tcp.isOpen()) {
            throw (ClosedChannelException) new AsynchronousCloseException().initCause(problem);
        }
        end.failed(problem, proven);
    }

    private void count(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > Ringer.MAX_UNREAD + Long.BYTES) {
            end.refused(new IOException("Connection reset: the peer floods the TCP connection beside its rings"));
            return;
        }
        while (proof.hasRemaining() && bytes.hasRemaining()) {
            proof.put(bytes.get());
            if (!proof.hasRemaining()) {
                verify(proof.getLong(0));
            }
        }
        counted += bytes.remaining();
        reader.countDoorbells(counted);
    }

    private void verify(long seen) throws IOException {
        if (seen == peersProof) {
            proven = true;
            if (isDeafOnceProven) {
                goDeaf();
            }
        } else {
            end.refused(new IOException(
                    "Connection reset: the peer of the TCP connection is not the one that has its rings"));
        }
    }

    /** Ends the wait of a thread that reads, by shutting down the input of TCP; but not before the peer's proof was read. */
    void shutdownInput() throws IOException {
        hearUnread();
        hearing.lock();
        try {
            isDeafOnceProven = true;
            if (proven) {
                goDeaf();
            }
            hearings++;
            heard.signalAll();
        } finally {
            hearing.unlock();
        }
    }

    /** Both directions of the connection are shut down. */
    void endInput() throws IOException {
        // it is deaf, or will be once the peer's proof was read
    }

    /** From now on nothing is heard of TCP, so that no thread waits in it. */
    void goDeaf() throws IOException {
        deaf = true;
        tcp.shutdownInput();
    }

    /** Whether TCP tells nothing any more, so that what is wanted has to be polled. */
    boolean isDeaf() {
        return deaf;
    }

    /** Wakes the threads that wait for what another one hears. */
    void wakeAll() {
        hearing.lock();
        try {
            heard.signalAll();
        } finally {
            hearing.unlock();
        }
    }

    @Override
    public String toString() {
        return counted + " doorbells heard" + (proven ? "" : ", no proof") + (deaf ? ", deaf" : "");
    }
}
