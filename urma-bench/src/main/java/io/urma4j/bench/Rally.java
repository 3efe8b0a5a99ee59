package io.urma4j.bench;

/** Round trips by one kind of operation: one end serves, the other returns. */
interface Rally {
    /** The value of the last turn, which is not returned. */
    long STOP = -1;

    /** Serves that number of turns, and waits for the return of each. */
    void serve(int turns);

    /** Makes the other end return from {@link #returnAll}. */
    void stop();

    /** Returns each turn, until the other end stops. */
    void returnAll();
}
