package io.urma4j.udma.transport;

import java.lang.foreign.MemorySegment;

/**
 * A send queue, as the transport sees it: work queue elements that stay where they are until they are {@linkplain #done
 * done}, so that any part of them can be sent again.
 */
public interface SendWork {
    /** Number of the queue: the source of its messages. */
    int queueId();

    /** The elements, laid out as {@link io.urma4j.udma.ring.SendWqe} says. */
    MemorySegment ring();

    /** Where the element of a position lies in the ring. */
    long at(long position);

    /** Copies a part of the payload, inline or gathered from the local ranges; false when local memory is gone. */
    boolean gather(long position, long from, MemorySegment to, long toOffset, int lengthBytes);

    /** Stores a part of what a READ brings, or the old value of an atomic; false when local memory is gone. */
    boolean scatter(long position, long toOffset, MemorySegment from, long fromOffset, int lengthBytes);

    /**
     * The work request has ended. Called exactly once for each start, unless {@link #notReady} was.
     *
     * @param status number of URMA's completion status (SEMANTICS §2)
     */
    void done(long position, int status);

    /**
     * Its target had no receive work request: it is over for the connection, nothing of it was delivered, and it may be
     * started anew after the time that the target asked for. Only on connections that several queues share.
     */
    void notReady(long position, long waitNanos);
}
