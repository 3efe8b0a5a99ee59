package io.urma4j.peer;

/** A client's answer to {@link PeerMemoryClient#acquire}. */
public sealed interface Ownership {
    /** The range is this client's; {@link PeerAcquisition#release} will follow. */
    record Mine(PeerAcquisition acquisition) implements Ownership {}

    /** Another client may own it. */
    record NotMine() implements Ownership {}

    /**
     * The range is this client's, but of a kind that cannot be registered, such as managed or pooled memory. No other client
     * is asked.
     *
     * @param reason for the user
     */
    record Refused(String reason) implements Ownership {}

    /** The answer that another client may own it. */
    Ownership NOT_MINE = new NotMine();
}
