package io.urma4j.socket.ring;

import static io.urma4j.socket.ring.RingLayout.INT;
import static io.urma4j.socket.ring.RingLayout.LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The end of a ring that reads, in whose memory the ring lies. It believes nothing that the writer stores: a tail beyond the
 * capacity breaks the connection. One thread at a time reads; any thread may call what has no result, and {@link #hasWriter}.
 */
public final class RingReader {
    private final MemorySegment ring;
    private final ByteBuffer bytes;
    private final int capacity;
    private final Carrier carrier;

    private long head; // what was read
    private long credited; // the head as the writer may know it
    private long tail; // as last seen
    private boolean isGivenBack; // guarded by this, as what any thread stores
    private int selector = ReadyWords.NONE; // guarded by this, as is the one below
    private int waiting;

    /** A new ring, which a writer of shared memory may use from now on. */
    public RingReader(MemorySegment ring) {
        this(ring, Carrier.SHARED);
    }

    /** A new ring, which a writer may use from now on; {@code carrier} takes to it what this end stores. */
    public RingReader(MemorySegment ring, Carrier carrier) {
        this.ring = ring;
        this.carrier = carrier;
        this.capacity = RingLayout.capacityBytes(ring);
        this.bytes = ring.asSlice(RingLayout.BYTES).asByteBuffer();
        ring.asSlice(0, RingLayout.BYTES).fill((byte) 0);
        INT.setRelease(ring, RingLayout.WRITER, RingLayout.LIVE);
    }

    /** How many bytes can be read. */
    public int available() throws IOException {
        tail = (long) LONG.getAcquire(ring, RingLayout.TAIL);
        long length = tail - head;
        if (length < 0 || length > capacity) {
            throw new IOException(
                    "The peer's tail " + tail + " is impossible: " + head + " was read of a ring of " + capacity);
        }
        return (int) length;
    }

    /** How many bytes were read, ever. Any thread. */
    long readBytes() {
        return head;
    }

    /** How many bytes wait, as a thread beside the reader sees it. */
    synchronized int unreadBytes() {
        if (isGivenBack) {
            return 0;
        }
        long unread = (long) LONG.getAcquire(ring, RingLayout.TAIL) - head;
        return Math.clamp(unread, 0, capacity);
    }

    /** Whether the writer has ended its output. To be asked before {@link #available}, or bytes before the end are lost. */
    public boolean hasEnded() {
        int end = (int) INT.getAcquire(ring, RingLayout.END);
        return end != 0 && end != RingLayout.ABORTED;
    }

    /** Whether the writer's end has closed the connection, and sees nothing of it any more. */
    boolean isWriterGone() {
        return (int) INT.getAcquire(ring, RingLayout.END) == RingLayout.GONE;
    }

    /** Whether the writer has reset the connection. Without it a reset of TCP is the end of a process, as its kernel shows it. */
    boolean isAborted() {
        return (int) INT.getAcquire(ring, RingLayout.END) == RingLayout.ABORTED;
    }

    /** Reads what fits, possibly nothing. */
    public int read(ByteBuffer target) throws IOException {
        int length = Math.min(available(), target.remaining());
        if (length > 0) {
            long base = (long) LONG.getOpaque(ring, RingLayout.BASE); // any position means a place in the ring
            int at = (int) (head - base) & (capacity - 1);
            int first = Math.min(length, capacity - at);
            int position = target.position();
            target.put(position, bytes, at, first);
            target.put(position + first, bytes, 0, length - first);
            target.position(position + length);
            head += length;
        }
        return length;
    }

    /**
     * Gives the writer credit for what was read, once it is a quarter of the ring or all of it.
     *
     * @return true if the writer sleeps until it has room, and the caller has to ring
     */
    public boolean credit() {
        if (head - credited < capacity / 4 && head != tail || head == credited) {
            return false;
        }
        credited = head;
        LONG.setRelease(ring, RingLayout.HEAD, head);
        carrier.readerStored();
        VarHandle.fullFence(); // the writer sets its word, and then looks for room once more
        return (int) INT.getOpaque(ring, RingLayout.ROOM_WANTED) != 0
                && (int) INT.getAndSet(ring, RingLayout.ROOM_WANTED, 0) != 0;
    }

    /** Whether this end has asked for the next bytes, which have come; it has to ask again. For a writer in another host. */
    boolean takesWantOfData() {
        return (int) INT.getOpaque(ring, RingLayout.DATA_WANTED) != 0
                && (int) INT.getAndSet(ring, RingLayout.DATA_WANTED, 0) != 0;
    }

    /** Asks for the doorbell at the next bytes. After it the caller looks once more, and only then sleeps. */
    public void wantData() {
        INT.setOpaque(ring, RingLayout.DATA_WANTED, 1);
        VarHandle.fullFence();
    }

    /** Asks for no doorbell any more. */
    synchronized void wantNoData() {
        if (!isGivenBack) {
            INT.setOpaque(ring, RingLayout.DATA_WANTED, 0);
            VarHandle.fullFence();
        }
    }

    /**
     * Tells the other end in which set of the ready words it marks this end, or {@link ReadyWords#NONE}. It may still use the one
     * before, until this end looks at the ring once more. While a thread waits for TCP there is none.
     */
    synchronized void selectedBy(int set) {
        int next = waiting > 0 ? ReadyWords.NONE : set;
        if (selector != next && !isGivenBack) {
            selector = next;
            INT.setOpaque(ring, RingLayout.SELECTOR, next + 1);
            VarHandle.fullFence(); // the other end stores its bytes, and then looks for it
        }
    }

    /** A thread is going to wait for TCP, which the other end has to ring; {@link #endWait} follows. */
    synchronized void beginWait() {
        waiting++;
        selectedBy(ReadyWords.NONE); // a cancelled key may have its selector still
    }

    synchronized void endWait() {
        waiting--;
    }

    /** Tells the other end how many bytes of its doorbell were read from TCP. */
    synchronized void countDoorbells(int count) {
        if (!isGivenBack) {
            INT.setRelease(ring, RingLayout.DOORBELLS, count);
        }
        VarHandle.fullFence(); // the caller looks at the rings after it
    }

    /** Nothing will be read any more. Bytes that arrive later are lost. */
    synchronized void close() {
        if (!isGivenBack) {
            INT.setRelease(ring, RingLayout.CLOSED, 1);
            VarHandle.fullFence();
            carrier.readerStored();
        }
    }

    /** Bytes were lost: a writer that goes on sees a reset. */
    synchronized void reset() {
        if (!isGivenBack) {
            INT.setRelease(ring, RingLayout.CLOSED, RingLayout.RESET);
            carrier.readerStored();
        }
    }

    /** From now on the memory may be another ring, to which a late thread of this connection must not store. */
    synchronized void giveBack() {
        INT.setRelease(ring, RingLayout.READER, RingLayout.DONE);
        carrier.readerStored();
        isGivenBack = true;
    }

    /** Whether a writer may still store to this memory, so that it must not be used for anything else. Any thread. */
    public boolean hasWriter() {
        return (int) INT.getAcquire(ring, RingLayout.WRITER) != RingLayout.DONE;
    }

    @Override
    public String toString() {
        return "ring of " + capacity + " bytes, " + head + " read";
    }
}
