package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Packet;

/**
 * The fragments of one READ of memory that answers later: fetched in order, a few ahead of the packet that is sent next.
 *
 * <pre>
 *   0            first                 first + count
 *   │ sent         │ fetched, or coming     │ not asked for
 * </pre>
 */
final class Fetches {
    /** Fragments that are there, or coming. */
    static final int AHEAD = 4;

    /** Bytes of a fragment; a whole number of packets, and at least one. */
    static final int FRAGMENT_BYTES = 64 << 10;

    private final Memory memory;
    private final int connection;
    private final int fragmentBytes;
    private final long[] copies = new long[AHEAD];
    private long first;
    private int count;

    Fetches(Memory memory, int connection, int mtuBytes) {
        this.memory = memory;
        this.connection = connection;
        this.fragmentBytes = Math.max(1, FRAGMENT_BYTES / mtuBytes) * mtuBytes;
    }

    /**
     * Asks for the bytes of a packet, and for some behind them.
     *
     * @param from counted from the start of the READ
     * @return how the copy stands that brings them; RUNNING also if the memory is busy
     */
    CopyState ask(ResponderResource read, long from) {
        goTo(from / fragmentBytes);
        long refusal = Memory.AT_ONCE;
        while (count < AHEAD && (first + count) * fragmentBytes < read.endByte() && refusal == Memory.AT_ONCE) {
            long at = (first + count) * fragmentBytes;
            int length = (int) Math.min(fragmentBytes, read.endByte() - at);
            long copy = memory.fetch(read.remoteKey, read.va + at, length, connection);
            if (copy > 0) {
                copies[count++] = copy;
            } else {
                refusal = copy;
            }
        }
        if (count > 0) {
            return memory.state(copies[0]);
        }
        return refusal == Memory.BUSY ? CopyState.RUNNING : CopyState.REFUSED;
    }

    private void goTo(long fragment) {
        while (count > 0 && first != fragment) {
            removeFirst();
        }
        first = fragment;
    }

    private void removeFirst() {
        long copy = copies[0];
        count--;
        System.arraycopy(copies, 1, copies, 0, count);
        first++;
        memory.release(copy);
    }

    /** Puts what was asked for last into a packet; false if the key was revoked meanwhile. */
    boolean load(long from, Packet to, int lengthBytes) {
        return memory.load(copies[0], from - first * fragmentBytes, to, lengthBytes);
    }

    /** The response has ended: nothing of it is needed any more. */
    void release() {
        while (count > 0) {
            removeFirst();
        }
    }
}
