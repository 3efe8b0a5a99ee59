package io.urma4j.udma.udp;

import io.urma4j.libc.LibcException;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.FragmentEth;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The longest packet that a path takes at present, if that is less than its connections have agreed on. The kernel knows the MTU
 * of the interface, and what routers have reported. It is asked when it refuses a packet, and then once a second, until the path
 * takes all packets again. For the port's owner.
 */
final class PathLimit {
    /** Of a peer that takes no fragments. */
    static final PathLimit NONE = new PathLimit(() -> Integer.MAX_VALUE, () -> 0, false, 0);

    private static final long PAUSE_NANOS = 1_000_000_000;
    private static final int IPV4_AND_UDP_BYTES = 28;
    private static final int IPV6_AND_UDP_BYTES = 48;

    private final IntSupplier kernel;
    private final LongSupplier clock;
    private final boolean ipv4;
    private final int mtuBytes;
    private int bytes = Route.NOT_NARROWED;
    private long askedNanos;

    /**
     * Of a path that takes all packets until it refuses one.
     *
     * @param kernel says the longest IP packet; throws {@link LibcException} if it cannot
     * @param clock in nanoseconds
     * @param mtuBytes the path MTU of the port
     */
    PathLimit(IntSupplier kernel, LongSupplier clock, boolean ipv4, int mtuBytes) {
        this.kernel = kernel;
        this.clock = clock;
        this.ipv4 = ipv4;
        this.mtuBytes = mtuBytes;
    }

    /** {@link Route#narrowedBytes}. */
    int bytes() {
        if (bytes != Route.NOT_NARROWED && clock.getAsLong() - askedNanos >= PAUSE_NANOS) {
            ask();
        }
        return bytes;
    }

    /**
     * The kernel has refused a packet of that length.
     *
     * @return whether the path takes shorter ones, as is known from now on
     */
    boolean narrow(int refusedBytes) {
        if (bytes == Route.NOT_NARROWED || refusedBytes <= bytes) { // else it began before the limit was known
            ask();
        }
        return bytes != Route.NOT_NARROWED && bytes < refusedBytes;
    }

    private void ask() {
        askedNanos = clock.getAsLong();
        try {
            int longest = kernel.getAsInt();
            int most = longest - (ipv4 ? IPV4_AND_UDP_BYTES : IPV6_AND_UDP_BYTES);
            boolean isEnough = LocalInterface.carries(longest, !ipv4, mtuBytes);
            bytes = isEnough || most < FragmentEth.MIN_PACKET_BYTES ? Route.NOT_NARROWED : most;
        } catch (LibcException | UnsupportedOperationException _) {
            // without a route, or a free descriptor, the limit stays as it is
        }
    }

    @Override
    public String toString() {
        return bytes == Route.NOT_NARROWED ? "path not narrowed" : "path narrowed to packets of " + bytes + " bytes";
    }
}
