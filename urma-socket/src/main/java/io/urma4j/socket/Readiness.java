package io.urma4j.socket;

import java.io.IOException;

/** What a channel is ready for, where the JDK's channel within it does not know. */
interface Readiness {
    /** In place of what is ready: the connection is over, so that all is, and nothing else that was ready before. */
    int HANGS_UP = 1 << 30;

    /** The key asks this from now on. May be called again for the same key. */
    default void registered(UrmaSelectionKey key) {}

    /** The key's selector has forgotten it. */
    default void deregistered(UrmaSelectionKey key) {}

    /** What the JDK's selector has to watch for a key with this interest. */
    int innerInterest(int interest);

    /** The JDK's selector has reported the JDK's channel. The channel does not block. */
    void woken() throws IOException;

    /**
     * Which operations of {@code interest} would not wait. For the others the JDK's channel will be reported, or {@link
     * UrmaSelectionKey#recheck} called, or the key becomes hot.
     *
     * @param isInnerReady whether the JDK's selector has just reported the JDK's channel
     * @return these, or {@link #HANGS_UP} and all
     */
    int ready(int interest, boolean isInnerReady);

    /** Whether a thread that spins should look: something may be ready for {@code interest}. Takes no lock. */
    boolean hasNews(int interest);

    /** The channel was closed, and its last key is gone. */
    void released();

    /** Whether nothing will be reported, so that the selector has to ask again from time to time. */
    boolean hasToPoll();
}
