package io.urma4j.udma.udp;

import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.wire.IpHeaders;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The routes from a local port; the same object for the same peer, while not too many others are used. Any thread. */
final class Routes {
    private static final int MAX_ROUTES = 1024; // that are remembered; more work as well, but find no company

    private record Key(long eidHigh, long eidLow, int port, long secret, boolean takesFragments) {}

    private final InetAddress address;
    private final int port;
    private final LocalInterface localInterface;
    private final int mtuBytes;
    private final Map<Key, UdpRoute> known = new LinkedHashMap<>(64, 0.75f, true) { // guarded by this
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, UdpRoute> eldest) {
                    return size() > MAX_ROUTES;
                }
            };

    Routes(InetAddress address, int port, LocalInterface localInterface, int mtuBytes) {
        this.address = address;
        this.port = port;
        this.localInterface = localInterface;
        this.mtuBytes = mtuBytes;
    }

    /** The route to a peer's port, for packets with that secret. */
    synchronized UdpRoute to(long eidHigh, long eidLow, int udpPort, long secret, boolean takesFragments) {
        Key key = new Key(eidHigh, eidLow, udpPort, secret, takesFragments);
        UdpRoute route = known.get(key);
        if (route == null) {
            route = newRoute(key);
            known.put(key, route);
        }
        return route;
    }

    private UdpRoute newRoute(Key to) {
        check(to);
        IpHeaders headers = Addresses.headers(
                Addresses.high(address), Addresses.low(address), port, to.eidHigh, to.eidLow, to.port);
        int scope = Addresses.isLinkLocal(to.eidHigh) ? localInterface.index() : 0;
        InetAddress remote = Addresses.of(to.eidHigh, to.eidLow, scope);
        PathLimit limit = to.takesFragments
                ? new PathLimit(
                        () -> UdpSocket.routeMtuBytes(address, remote), System::nanoTime, headers.isIpv4(), mtuBytes)
                : PathLimit.NONE;
        return new UdpRoute(to.eidHigh, to.eidLow, to.port, mtuBytes, scope, limit, headers.secret(to.secret));
    }

    private void check(Key to) {
        boolean ipv4 = Addresses.isIpv4(to.eidHigh, to.eidLow);
        if (ipv4 == address instanceof Inet6Address) {
            throw new PortException(
                    Addresses.text(to.eidHigh, to.eidLow) + " cannot be reached from " + address.getHostAddress()
                            + ": one is of IPv4, the other of IPv6",
                    null);
        }
        boolean isAny = to.eidLow == 0 && to.eidHigh == 0 || ipv4 && (int) to.eidLow == 0;
        if (isAny || Addresses.isMulticast(to.eidHigh, to.eidLow)) {
            throw new PortException(Addresses.text(to.eidHigh, to.eidLow) + " is no address of one peer", null);
        }
        if (to.port < 1 || to.port > 0xFFFF) {
            throw new PortException("port " + to.port + " is not within 1 and 65535", null);
        }
    }
}
