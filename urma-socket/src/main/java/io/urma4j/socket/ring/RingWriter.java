package io.urma4j.socket.ring;

import static io.urma4j.socket.ring.RingLayout.INT;
import static io.urma4j.socket.ring.RingLayout.LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The end of a ring that writes, into memory of the reader's process. It believes nothing that the reader stores: credit for
 * bytes that were not written breaks the connection. One thread at a time, but for {@link #isReaderClosed}, {@link #selector}
 * and the count of doorbells.
 *
 * <p>The memory is revoked when the reader's process ends. Then the ring counts as closed by its reader.
 */
public final class RingWriter {
    private static final int RESTART_BYTES = 16 << 10; // what is written at least between two looks

    private final MemorySegment ring;
    private final ByteBuffer bytes;
    private final int capacity;
    private final Carrier carrier;

    private long tail; // what was written
    private long head; // what was read, as last seen
    private long base; // the position of the first byte of the ring
    private long looked; // the tail of the last look whether the ring is empty
    private volatile boolean revoked;
    private boolean isGivenBack; // guarded by this

    /** The writer of a ring in shared memory that its reader has made. */
    public RingWriter(MemorySegment ring) {
        this(ring, Carrier.SHARED);
    }

    /** The writer of a ring, or of its copy, from which {@code carrier} takes what is stored to the reader. */
    public RingWriter(MemorySegment ring, Carrier carrier) {
        this.ring = ring;
        this.carrier = carrier;
        this.capacity = RingLayout.capacityBytes(ring);
        this.bytes = ring.asSlice(RingLayout.BYTES).asByteBuffer();
    }

    /** How many bytes can be written. */
    public int room() throws IOException {
        int room = capacity - (int) (tail - head);
        return room > 0 ? room : roomNow();
    }

    private int roomNow() throws IOException {
        long seen;
        try {
            seen = (long) LONG.getAcquire(ring, RingLayout.HEAD);
        } catch (IllegalStateException e) {
            revoked();
            return 0;
        }
        if (seen < head || seen > tail) {
            throw new IOException("The peer's head " + seen + " is impossible: it was " + head + ", and " + tail
                    + " bytes were written");
        }
        head = seen;
        return capacity - (int) (tail - head);
    }

    /** How many bytes were written, ever. Any thread. */
    long writtenBytes() {
        return tail;
    }

    /** Whether there is room, as far as a head can be believed that is not verified yet, or the reader has closed. Any thread. */
    boolean seemsToHaveRoom() {
        try {
            return tail - (long) LONG.getAcquire(ring, RingLayout.HEAD) < capacity || isReaderClosed();
        } catch (IllegalStateException e) {
            revoked();
            return true;
        }
    }

    /** How many of them have no credit yet, as a thread beside the writer sees it. */
    int uncreditedBytes() {
        return Math.clamp(tail - head, 0, capacity);
    }

    /** Writes what has room, possibly nothing; {@link #publish} shows it to the reader. */
    public int write(ByteBuffer source) throws IOException {
        int wanted = source.remaining();
        if (tail - looked >= Math.min(RESTART_BYTES, capacity / 4)) {
            restartIfEmpty();
        }
        int room = room();
        if (room < wanted) {
            room = roomNow();
        }
        int length = Math.min(room, wanted);
        if (length > 0) {
            boolean wasInterrupted = Thread.currentThread().isInterrupted();
            try {
                copy(source, length);
            } catch (IllegalStateException e) {
                if (!wasInterrupted) {
                    Thread.interrupted(); // the JVM ends a copy so, and sets the flag though nothing has interrupted
                    // the thread
                }
                if (ring.scope().isAlive()) {
                    throw e; // the program has closed the memory of its own buffer
                }
                revoked();
                return 0;
            }
        }
        return length;
    }

    /** Once the reader has all, bytes begin at the front again. So a ring of short messages takes few pages and cache lines. */
    private void restartIfEmpty() throws IOException {
        looked = tail;
        var _ = roomNow();
        if (head == tail && !revoked) {
            base = tail;
            try {
                LONG.setOpaque(ring, RingLayout.BASE, base);
            } catch (IllegalStateException e) {
                revoked();
            }
        }
    }

    private void copy(ByteBuffer source, int length) {
        int at = (int) (tail - base) & (capacity - 1);
        int first = Math.min(length, capacity - at);
        int position = source.position();
        bytes.put(at, source, position, first);
        bytes.put(0, source, position + first, length - first);
        source.position(position + length);
        tail += length;
    }

    private void revoked() {
        revoked = true;
    }

    /**
     * Shows the reader all bytes that were written.
     *
     * @return true if the reader sleeps until there are some, and the caller has to ring
     */
    public boolean publish() {
        try {
            LONG.setRelease(ring, RingLayout.TAIL, tail);
            carrier.writerStored();
            return wakesReader();
        } catch (IllegalStateException e) {
            revoked();
            return false;
        }
    }

    /** Nothing follows what was published. Returns as {@link #publish} does. */
    public boolean end() {
        return end(1);
    }

    /** The same of a connection of which this end sees nothing any more. */
    boolean endGone() {
        return end(RingLayout.GONE);
    }

    private synchronized boolean end(int how) {
        if (isGivenBack) {
            return false; // the memory may be another ring by now
        }
        try {
            INT.setRelease(ring, RingLayout.END, how);
            carrier.writerStored();
            return wakesReader();
        } catch (IllegalStateException e) {
            revoked();
            return false;
        }
    }

    private boolean wakesReader() {
        VarHandle.fullFence(); // the reader sets its word, and then looks for bytes once more
        return (int) INT.getOpaque(ring, RingLayout.DATA_WANTED) != 0
                && (int) INT.getAndSet(ring, RingLayout.DATA_WANTED, 0) != 0;
    }

    /** Asks for the doorbell once there is room. After it the caller looks once more, and only then sleeps. */
    public void wantRoom() {
        try {
            INT.setOpaque(ring, RingLayout.ROOM_WANTED, 1);
            VarHandle.fullFence();
        } catch (IllegalStateException e) {
            revoked();
        }
    }

    /** Whether this end has asked for room, of which there is more now; it has to ask again. For a reader in another host. */
    boolean takesWantOfRoom() {
        return (int) INT.getOpaque(ring, RingLayout.ROOM_WANTED) != 0
                && (int) INT.getAndSet(ring, RingLayout.ROOM_WANTED, 0) != 0;
    }

    /** Whether the reader reads nothing any more. Any thread. */
    public boolean isReaderClosed() {
        try {
            return revoked || (int) INT.getAcquire(ring, RingLayout.CLOSED) != 0;
        } catch (IllegalStateException e) {
            revoked();
            return true;
        }
    }

    /** Whether bytes were lost when the reader closed, so that a write fails. Any thread. */
    boolean isReset() {
        try {
            return !revoked && (int) INT.getAcquire(ring, RingLayout.CLOSED) == RingLayout.RESET;
        } catch (IllegalStateException e) {
            revoked();
            return false;
        }
    }

    /** How many bytes of the doorbell the other end has read from TCP, as it says. */
    int doorbellsCounted() {
        try {
            return (int) INT.getAcquire(ring, RingLayout.DOORBELLS);
        } catch (IllegalStateException e) {
            revoked();
            return 0;
        }
    }

    /** The set of ready words in which the other end is to be marked, as it says; or {@link ReadyWords#NONE}. */
    int selector() {
        try {
            return (int) INT.getAcquire(ring, RingLayout.SELECTOR) - 1;
        } catch (IllegalStateException e) {
            revoked();
            return ReadyWords.NONE;
        }
    }

    /** The connection is reset: the peer sees that after the last byte, and no end. Any thread. */
    synchronized void abort() {
        try {
            if (!isGivenBack) {
                INT.setRelease(ring, RingLayout.END, RingLayout.ABORTED);
                carrier.writerStored();
            }
        } catch (IllegalStateException e) {
            revoked();
        }
    }

    /** Gives the memory back to its owner; nothing may be written after it. */
    synchronized void close() {
        isGivenBack = true;
        try {
            INT.setRelease(ring, RingLayout.WRITER, RingLayout.DONE);
            carrier.writerStored();
        } catch (IllegalStateException e) {
            revoked();
        }
    }

    @Override
    public String toString() {
        return "ring of " + capacity + " bytes, " + tail + " written";
    }
}
