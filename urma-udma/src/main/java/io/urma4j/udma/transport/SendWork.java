package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Packet;

/**
 * A send queue, as the transport sees it: work queue elements that do not change until they are {@linkplain #done done}, so
 * that any part of them can be retransmitted.
 */
public interface SendWork {
    /** Number of the queue: the source of its messages. */
    int queueId();

    /** The elements, in the layout of {@link io.urma4j.udma.ring.SendWqe}. */
    NativeMemory ring();

    /** The location in the ring of a position's element. */
    long at(long position);

    /**
     * Puts a part of the payload into a packet, inline or gathered from the local ranges, or has the packet {@linkplain
     * Packet#refer refer} to it; false if local memory is closed.
     */
    boolean gather(long position, long from, Packet to, int lengthBytes);

    /** Whether a part of the payload is being fetched, and is not here yet: the connection is woken when it may be. */
    default boolean awaits(long position, long from, int lengthBytes) {
        return false;
    }

    /** Whether bytes of a response can be stored now. If not, they count as lost. */
    default boolean takes(long position, long toOffset, int lengthBytes) {
        return true;
    }

    /** Whether many bytes of a READ may be requested now; if not, the connection is woken when they may. */
    default boolean admits(long position) {
        return true;
    }

    /** Stores a part of a READ response, or the old value of an atomic; false if local memory is closed. */
    boolean scatter(long position, long toOffset, NativeMemory from, long fromOffset, int lengthBytes);

    /**
     * The work request has ended. Called exactly once for each start, unless {@link #notReady} was.
     *
     * @param status number of URMA's completion status (SEMANTICS §2)
     */
    void done(long position, int status);

    /**
     * Its target had no receive work request. It is over for the connection, nothing of it was delivered, and it may be
     * started again after the time that the target requested. Only on connections that several queues share.
     */
    void notReady(long position, long waitNanos);
}
