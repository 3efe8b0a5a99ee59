package io.urma4j.udma.driver;

/** A queue that the card identifies by its tag. Called under the card's lock: returns at once, and calls no command. */
interface Tagged {
    /**
     * It went to ERROR.
     *
     * @param status of the failed work request, a number of URMA; 0 if none failed
     */
    default void failed(int status) {}

    /** The peer of its connection refused a request with that syndrome; it refuses all further ones, too. */
    default void requestRefused(int syndrome) {}

    /** Fewer receive work requests are left than the threshold. */
    default void receivesLow(long left) {}

    /** A message of it found no receive work request at the target with that handle. */
    default void receiverNotReady(int target) {}
}
