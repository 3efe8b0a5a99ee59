package io.urma4j.tck;

import io.urma4j.SharedJetty;

/** A buffer that another process exported to the home, opened there. A refused operation stops no later one. */
public interface HomeRemoteBuf extends HomeObject {
    /** Writes at an offset of the buffer. */
    Outcome write(long offset, byte[] bytes);

    /** Reads from an offset of the buffer; {@link #lastRead} has the bytes. */
    Outcome read(long offset, int lengthBytes);

    byte[] lastRead();

    /** Adds 1 to eight bytes. */
    Outcome addOne(long offset);

    /** Leaves a write in progress, behind a message to {@code unready}, a queue of the same process that has no receive. */
    void hold(SharedJetty unready);
}
