package io.urma4j.udma.simulation;

import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.IpHeaders;

/** The way from one machine to another; to that other one's packets it is where they come from. */
final class SimulatedRoute implements Route, Source {
    private static final long PREFIX = 0xFD77_0000_0000_0000L;
    private static final int IPV4_NET = 10 << 24;
    private static final int SOURCE_PORT = 0xC000;

    private final int from;
    private final int to;
    private final int mtuBytes;
    private final boolean ipv6;
    private final IpHeaders headers;

    SimulatedRoute(int from, int to, int mtuBytes, boolean ipv6) {
        this.from = from;
        this.to = to;
        this.mtuBytes = mtuBytes;
        this.ipv6 = ipv6;
        this.headers = headers();
    }

    /** As the ICRC covers them; each side of a wire has its own. */
    IpHeaders headers() {
        return ipv6
                ? IpHeaders.ipv6(PREFIX, from, PREFIX, to, SOURCE_PORT, IpHeaders.ROCE_PORT)
                : IpHeaders.ipv4(IPV4_NET | from, IPV4_NET | to, SOURCE_PORT, IpHeaders.ROCE_PORT);
    }

    IpHeaders sending() {
        return headers;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public long eidHigh() {
        return ipv6 ? PREFIX : 0;
    }

    @Override
    public long eidLow() {
        return ipv6 ? to : 0xFFFF_0000_0000L | IPV4_NET | to;
    }

    @Override
    public int port() {
        return SOURCE_PORT;
    }

    @Override
    public String toString() {
        return "route from " + Machine.name(from) + " to " + Machine.name(to);
    }
}
