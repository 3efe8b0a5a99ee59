package io.urma4j.udma.wire;

/** Why a packet is not looked at any further, in the order of {@link PacketCheck} and of what follows it (WIRE §8.3). */
public enum Drop {
    /** Shorter than a BTH. */
    TOO_SHORT,
    UNKNOWN_OPCODE,
    /** Shorter than its headers, its padding and the ICRC. */
    CUT,
    /** Longer than the largest MTU allows. */
    TOO_LONG,
    TRANSPORT_VERSION,
    /** Of a partition that this end is no member of. */
    PARTITION,
    /** What is in a bundle is cut, or does not belong there. */
    BUNDLE,
    /** A fragment does not lie in its packet, or has another length than it says. */
    FRAGMENT,
    ICRC,
    /** Its ICRC is that of RoCE, and its sender and we have agreed on a secret: it was forged, or sent before that. */
    NO_SECRET,
    /** It was valid, but dropped by the simulated loss. */
    ON_PURPOSE
}
