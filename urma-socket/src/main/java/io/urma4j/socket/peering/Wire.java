package io.urma4j.socket.peering;

import static io.urma4j.socket.ring.RingLayout.INT;
import static io.urma4j.socket.ring.RingLayout.LONG;

import io.urma4j.socket.ring.Carrier;
import io.urma4j.socket.ring.RingLayout;
import java.lang.foreign.MemorySegment;

/**
 * What is to be taken to the other process for one connection. Stores are noted, and the {@link Link} posts what is new; if its queue
 * is full it does so later. So several stores may travel as one.
 */
final class Wire implements Carrier {
    private static final int UNKNOWN = -1;

    private final Link link;
    private final int slot;
    private final MemorySegment ring; // which this process reads
    private final MemorySegment copy; // of the ring that this process writes

    private volatile int theirSlot = UNKNOWN;
    private final StoreFlag written = new StoreFlag(); // what the writer has stored
    private final StoreFlag read = new StoreFlag(); // and the reader

    // of the link, under its lock
    long sent; // the position up to which bytes were posted
    long lastPost; // how many requests the link had posted then
    boolean isWaiting; // for room in the queue

    Wire(Link link, int slot, MemorySegment ring, MemorySegment copy) {
        this.link = link;
        this.slot = slot;
        this.ring = ring;
        this.copy = copy;
        copy.asSlice(0, RingLayout.BYTES).fill((byte) 0);
        INT.setRelease(copy, RingLayout.WRITER, RingLayout.LIVE);
    }

    /** The other process uses this slot for the connection. */
    void meet(int theirs) {
        theirSlot = theirs;
    }

    int theirSlot() {
        return theirSlot;
    }

    int slot() {
        return slot;
    }

    /** The ring that this process writes, as far as it knows. */
    MemorySegment copy() {
        return copy;
    }

    /** The ring that this process reads. */
    MemorySegment ring() {
        return ring;
    }

    @Override
    public String device() {
        return NetworkMedium.DEVICE;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public void writerStored() {
        written.set();
        link.advance(this);
        link.flushIfJvmEnds(this);
    }

    @Override
    public void readerStored() {
        read.set();
        link.advance(this);
    }

    @Override
    public void flush(long timeoutNanos) {
        link.flush(this, timeoutNanos);
    }

    /** Whether something is to be posted, once it is known where to. */
    boolean isNew() {
        return (written.isSet() || read.isSet()) && theirSlot != UNKNOWN;
    }

    /** Whether the writer has stored something since the last call. What it stores from now on counts for the next one. */
    boolean takeWritten() {
        return written.take();
    }

    /** The same of the reader. */
    boolean takeRead() {
        return read.take();
    }

    /** Whether the other process may still store to the ring or to the copy. */
    boolean hasPeer() {
        return (int) INT.getAcquire(ring, RingLayout.WRITER) != RingLayout.DONE
                || (int) INT.getAcquire(copy, RingLayout.READER) != RingLayout.DONE;
    }

    /** How many bytes have been written, ever. */
    long tail() {
        return (long) LONG.getAcquire(copy, RingLayout.TAIL);
    }

    @Override
    public String toString() {
        return "wire of rings " + slot + " and " + theirSlot;
    }
}
