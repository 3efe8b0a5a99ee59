package io.urma4j.udma.transport;

/** The way of packets to a peer's port: what a {@link Port} needs to address them. Immutable. */
public interface Route {
    /** Largest payload of a packet that this machine's interface can send unfragmented: 256, 512, 1024, 2048 or 4096. */
    int mtuBytes();

    /** The peer's address as an EID, high half. */
    long eidHigh();

    long eidLow();

    /** The UDP port that the peer takes packets by. */
    int port();
}
