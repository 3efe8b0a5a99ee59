package io.urma4j.udma.udp;

import io.urma4j.udma.wire.IpHeaders;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The routes from a local port; the same object for the same peer, while not too many others are used. Any thread. */
final class Routes {
    private static final int MAX_ROUTES = 1024; // that are remembered; more work as well, but find no company

    private record Key(long eidHigh, long eidLow, int port, long secret) {}

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
    synchronized UdpRoute to(long eidHigh, long eidLow, int udpPort, long secret) {
        Key key = new Key(eidHigh, eidLow, udpPort, secret);
        UdpRoute route = known.get(key);
        if (route == null) {
            route = newRoute(eidHigh, eidLow, udpPort, secret);
            known.put(key, route);
        }
        return route;
    }

    private UdpRoute newRoute(long eidHigh, long eidLow, int udpPort, long secret) {
        boolean ipv4 = Addresses.isIpv4(eidHigh, eidLow);
        if (ipv4 == address instanceof Inet6Address) {
            throw new PortException(
                    Addresses.text(eidHigh, eidLow) + " cannot be reached from " + address.getHostAddress()
                            + ": one is of IPv4, the other of IPv6",
                    null);
        }
        if (eidLow == 0 && eidHigh == 0 || ipv4 && (int) eidLow == 0 || Addresses.isMulticast(eidHigh, eidLow)) {
            throw new PortException(Addresses.text(eidHigh, eidLow) + " is no address of one peer", null);
        }
        if (udpPort < 1 || udpPort > 0xFFFF) {
            throw new PortException("port " + udpPort + " is not within 1 and 65535", null);
        }
        IpHeaders headers =
                Addresses.headers(Addresses.high(address), Addresses.low(address), port, eidHigh, eidLow, udpPort);
        int scope = Addresses.isLinkLocal(eidHigh) ? localInterface.index() : 0;
        return new UdpRoute(eidHigh, eidLow, udpPort, mtuBytes, scope, headers.secret(secret));
    }
}
