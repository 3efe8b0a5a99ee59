package io.urma4j.tck;

import io.urma4j.JettyDescriptor;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.SharedJetty;
import java.time.Duration;
import java.util.List;

/** A JFR or Jetty of the home, with the JFC that its records go to. */
public interface HomeQueue extends HomeObject {
    /** Descriptor and token, for senders. */
    SharedJetty shared();

    default JettyDescriptor descriptor() {
        return shared().descriptor();
    }

    int id();

    /** Posts a receive work request with one buffer; false when the queue is full. */
    boolean receive(HomeSegment buffer, long offset, long lengthBytes, long userContext);

    /**
     * Posts a receive work request with several buffers in one segment.
     *
     * @param ranges offset, length, offset, length, …
     */
    boolean receiveScattered(HomeSegment buffer, long[] ranges, long userContext);

    /** The next record of its JFC. */
    Outcome next();

    /** The next {@code count} records of its JFC. */
    List<Outcome> nextOnes(int count);

    /** All records of its JFC that come within {@code time}. */
    List<Outcome> within(Duration time);

    /** {@link io.urma4j.Jfr#rxThreshold}. */
    void rxThreshold(int threshold);

    ReceiveState receiveState();

    void modifyReceive(ReceiveState next);

    /** State of the Jetty. */
    QueueState state();

    /** {@link io.urma4j.Jetty#modify}. */
    void modify(QueueState next);

    /** From ERROR to RESET: drains and flushes what the Jetty sends. */
    void reset();

    /** Imports {@code peer}, and binds the Jetty to it. */
    void bind(SharedJetty peer);

    void unbind();

    /** Sends from the Jetty to its bound peer, or to {@code peer}, and waits for the result. */
    Outcome send(SharedJetty peer, byte[] message);

    /** The same, and the peer's record counts as solicited. */
    Outcome sendSolicited(SharedJetty peer, byte[] message);

    long counter(String name);

    /** False once its JFC has overflowed. */
    boolean isJfcValid();

    void close();
}
