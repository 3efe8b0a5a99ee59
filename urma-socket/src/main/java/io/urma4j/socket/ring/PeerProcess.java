package io.urma4j.socket.ring;

/** What a connection knows of the process at its other end, which may have other connections. Safe for any thread. */
public interface PeerProcess {
    /** Whether it has ended, as far as this process knows. */
    boolean hasEnded();

    /** Whether it has the memory of this process, so that nothing is in flight between them. */
    default boolean sharesMemory() {
        return true;
    }

    /** Whether it has sent its proofs in time until now, so that a first write may wait for one. */
    default boolean isPrompt() {
        return true;
    }

    /** A proof did not come in time. */
    default void wasLate() {}
}
