package io.urma4j.simulation;

import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.IpHeaders;

/** The route of packets from one machine to another. */
final class SimulatedRoute implements Route {
    private static final long PREFIX = 0xFD77_0000_0000_0000L;
    private static final int IPV4_NET = 10 << 24;

    private final int from;
    private final int to;
    private final int mtuBytes;
    private final boolean ipv6;
    private final int sourcePort;
    private final long secret;
    private final Origin source;
    private final IpHeaders headers;
    private int narrowedBytes = NOT_NARROWED;

    private record Origin(long eidHigh, long eidLow, int port, long secret) implements Source {}

    /** A route from the port that a machine listens on, as for all packets of urma4j. */
    SimulatedRoute(int from, int to, int mtuBytes, boolean ipv6) {
        this(from, to, mtuBytes, ipv6, IpHeaders.ROCE_PORT, IpHeaders.NO_SECRET);
    }

    private SimulatedRoute(int from, int to, int mtuBytes, boolean ipv6, int sourcePort, long secret) {
        this.from = from;
        this.to = to;
        this.mtuBytes = mtuBytes;
        this.ipv6 = ipv6;
        this.sourcePort = sourcePort;
        this.secret = secret;
        this.source = new Origin(eidHigh(), eidLow(from), sourcePort, secret);
        this.headers = headers();
    }

    /** The headers that the ICRC covers; each end has its own copy. */
    IpHeaders headers() {
        return plainHeaders().secret(secret);
    }

    private IpHeaders plainHeaders() {
        return ipv6
                ? IpHeaders.ipv6(PREFIX, from, PREFIX, to, sourcePort, IpHeaders.ROCE_PORT)
                : IpHeaders.ipv4(IPV4_NET | from, IPV4_NET | to, sourcePort, IpHeaders.ROCE_PORT);
    }

    IpHeaders sending() {
        return headers;
    }

    /** The same from another port of the same machine. */
    SimulatedRoute fromPort(int port) {
        return new SimulatedRoute(from, to, mtuBytes, ipv6, port, secret);
    }

    /** The same with another secret. */
    SimulatedRoute withSecret(long other) {
        return new SimulatedRoute(from, to, mtuBytes, ipv6, sourcePort, other);
    }

    /** Whether its peer takes fragments: one that shares a secret, which urma4j peers do. */
    boolean takesFragments() {
        return secret != IpHeaders.NO_SECRET;
    }

    /** The sender learns what the path takes at present. */
    void narrow(int mostBytes) {
        narrowedBytes = mostBytes;
    }

    @Override
    public int narrowedBytes() {
        return narrowedBytes;
    }

    /** Where its packets come from, as the receiver sees it after it has checked their ICRC. */
    Source source() {
        return source;
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
        return eidLow(to);
    }

    private long eidLow(int machine) {
        return ipv6 ? machine : 0xFFFF_0000_0000L | IPV4_NET | machine;
    }

    @Override
    public int port() {
        return IpHeaders.ROCE_PORT;
    }

    @Override
    public long secret() {
        return secret;
    }

    @Override
    public String toString() {
        return "route from " + Machine.name(from) + " to " + Machine.name(to);
    }
}
