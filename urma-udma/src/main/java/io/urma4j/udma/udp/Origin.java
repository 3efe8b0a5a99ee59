package io.urma4j.udma.udp;

import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.IpHeaders;

/** The source of a packet. The object is reused for the next packet: copy it to keep it. For one thread at a time. */
public final class Origin implements Source {
    private static final long IPV4_PREFIX = 0xFFFF_0000_0000L; // ::ffff:0:0

    private long eidHigh;
    private long eidLow;
    private int port;
    private long secret = IpHeaders.NO_SECRET;

    Origin() {}

    void set(long high, long low, int udpPort) {
        eidHigh = high;
        eidLow = low;
        port = udpPort;
        secret = IpHeaders.NO_SECRET;
    }

    /** The secret that verified the ICRC of the packet. */
    void proven(long withSecret) {
        secret = withSecret;
    }

    void setIpv4(int address, int udpPort) {
        set(0, IPV4_PREFIX | Integer.toUnsignedLong(address), udpPort);
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
        return secret;
    }

    @Override
    public String toString() {
        return Addresses.text(eidHigh, eidLow) + " port " + port;
    }
}
