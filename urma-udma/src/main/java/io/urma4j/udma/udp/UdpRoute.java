package io.urma4j.udma.udp;

import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.IpHeaders;
import java.net.InetSocketAddress;

/** The route from a local port to a peer's; see {@link UdpPort#route}. */
public final class UdpRoute implements Route {
    private final long eidHigh;
    private final long eidLow;
    private final int port;
    private final int mtuBytes;
    private final int scope;
    private final boolean ipv4;
    private final PathLimit limit; // of the port's owner, like the headers
    private final IpHeaders headers; // of the port's owner: its ID changes with each packet

    UdpRoute(long eidHigh, long eidLow, int port, int mtuBytes, int scope, PathLimit limit, IpHeaders headers) {
        this.eidHigh = eidHigh;
        this.eidLow = eidLow;
        this.port = port;
        this.mtuBytes = mtuBytes;
        this.scope = scope;
        this.ipv4 = Addresses.isIpv4(eidHigh, eidLow);
        this.limit = limit;
        this.headers = headers;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public long eidHigh() {
        return eidHigh;
    }

    @Override
    public long eidLow() {
        return eidLow;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long secret() {
        return headers.secret();
    }

    @Override
    public int narrowedBytes() {
        return limit.bytes();
    }

    /** The path did not take a packet of that length. Returns whether the next ones leave in shorter parts. */
    boolean narrow(int refusedBytes) {
        return limit.narrow(refusedBytes);
    }

    /** Whether it leads to the same port as another, with any secret: one datagram can carry packets of both. */
    boolean leadsWhere(UdpRoute other) {
        return this == other || eidLow == other.eidLow && eidHigh == other.eidHigh && port == other.port;
    }

    boolean isIpv4() {
        return ipv4;
    }

    int ipv4Address() {
        return (int) eidLow;
    }

    /** The interface that a link-local address belongs to; else 0. */
    int scope() {
        return scope;
    }

    IpHeaders headers() {
        return headers;
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(Addresses.of(eidHigh, eidLow), port);
    }

    @Override
    public String toString() {
        return "route to " + Addresses.text(eidHigh, eidLow) + " port " + port + ", MTU " + mtuBytes;
    }
}
