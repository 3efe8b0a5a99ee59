package io.urma4j.udma.driver;

import io.urma4j.udma.command.Refusal;

/** A queue that the card tells of by its tag. Under the card's lock: returns at once, and calls no command. */
interface Tagged {
    /** Stands for a queue that is closed. */
    Tagged CLOSED = new Tagged() {};

    /**
     * It went to ERROR.
     *
     * @param status of the failed work request, a number of URMA; 0 if none failed
     */
    default void failed(int status) {}

    /** A request of the peer of its connection was refused; all further ones are, too. */
    default void requestRefused(Refusal why) {}

    /** Fewer receive work requests are left than the threshold. */
    default void receivesLow(long left) {}

    /** A message of it found no receive work request at the target with that handle. */
    default void receiverNotReady(int target) {}
}
