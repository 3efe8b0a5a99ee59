package io.urma4j.bench;

/** One way to tell the other process something and be told: one end serves, the other returns. */
interface Rally {
    /** Told last, and not returned. */
    long STOP = -1;

    /** Serves that number of turns, and waits for the return of each. */
    void serve(int turns);

    /** Tells the other end to leave {@link #returnAll}. */
    void stop();

    /** Returns each turn, until the other end stops. */
    void returnAll();
}
