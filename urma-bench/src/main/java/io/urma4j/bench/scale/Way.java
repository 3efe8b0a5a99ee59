package io.urma4j.bench.scale;

import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.IpHeaders;

/**
 * The way from a simulated host to another; to that other one's packets it is where they come from.
 *
 * @param to where it leads
 * @param headers of packets that go there, for their ICRC
 */
record Way(SimulatedHost to, IpHeaders headers) implements Route, Source {
    private static final int NET = 10 << 24;
    private static final long V4_MAPPED = 0xFFFF_0000_0000L;
    private static final int PORT = 0xC000;
    private static final int MTU_BYTES = 4096;

    static Way between(SimulatedHost from, SimulatedHost to) {
        return new Way(to, IpHeaders.ipv4(NET | from.number(), NET | to.number(), PORT, IpHeaders.ROCE_PORT));
    }

    @Override
    public int mtuBytes() {
        return MTU_BYTES;
    }

    @Override
    public long eidHigh() {
        return 0;
    }

    @Override
    public long eidLow() {
        return V4_MAPPED | NET | to.number();
    }

    @Override
    public int port() {
        return PORT;
    }

    @Override
    public long secret() {
        return IpHeaders.NO_SECRET;
    }
}
