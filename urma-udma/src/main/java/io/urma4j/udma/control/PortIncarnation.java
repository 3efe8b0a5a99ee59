package io.urma4j.udma.control;

import java.util.random.RandomGenerator;

/**
 * Incarnations of contexts on the network: 48 random bits, and the UDP port of the context's device in the lowest 16. A greeting
 * proves the port from which it was sent, and the kernel gives a port that is in use to no other user. So a copied incarnation
 * proves nothing at another port (docs/udma.md).
 */
public final class PortIncarnation {
    private static final int PORT_BITS = 16;
    private static final long PORT_MASK = (1L << PORT_BITS) - 1;

    private PortIncarnation() {}

    /** A new one, never 0, which means none. */
    public static long next(RandomGenerator random, int udpPort) {
        return random.nextLong() << PORT_BITS | udpPort;
    }

    /** One of UDP port 0, which no context can prove. */
    public static long ofNoPort(long number) {
        return number << PORT_BITS;
    }

    /** Whether it belongs to a context at that port. Never true for most versions before this rule. */
    static boolean isOf(long incarnation, PortAddress at) {
        return (incarnation & PORT_MASK) == at.udpPort();
    }
}
