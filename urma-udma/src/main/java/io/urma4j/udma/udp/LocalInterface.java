package io.urma4j.udma.udp;

import io.urma4j.udma.wire.PathMtu;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * The interface of a local address.
 *
 * @param name such as eth0
 * @param index its number
 * @param mtuBytes the longest IP packet that it sends
 * @param isUp whether it sends at all
 */
record LocalInterface(String name, int index, int mtuBytes, boolean isUp) {
    private static final int OVERHEAD_BYTES =
            76; // IPv4, UDP, BTH, RDETH, DETH, RETH, ImmDt and ICRC: no payload has more
    private static final int IPV6_MORE_BYTES = 20;
    private static final int LONGEST_IPV4_BYTES = 0xFFFF; // whatever the interface sends

    /** Without an interface, every packet of RoCE may be sent: the kernel refuses what is too long. */
    private static final LocalInterface UNKNOWN =
            new LocalInterface("none", 0, PathMtu.LARGEST_OF_ROCE + OVERHEAD_BYTES + IPV6_MORE_BYTES, false);

    static LocalInterface of(InetAddress address) {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(candidate -> has(candidate, address))
                    .findFirst()
                    .map(LocalInterface::of)
                    .orElse(UNKNOWN);
        } catch (SocketException e) {
            throw new UncheckedIOException("cannot list the interfaces of this machine", e);
        }
    }

    private static boolean has(NetworkInterface candidate, InetAddress address) {
        return isInScope(address, candidate.getIndex())
                && candidate.getInterfaceAddresses().stream()
                        .anyMatch(local -> local.getAddress().equals(address) || isOfLoopback(local, address));
    }

    /** Several interfaces may have the same link-local address: its scope tells which is meant. */
    static boolean isInScope(InetAddress address, int index) {
        return !(address instanceof Inet6Address ipv6) || ipv6.getScopeId() == 0 || ipv6.getScopeId() == index;
    }

    /** All of 127.0.0.0/8 is local, though only one address is listed. */
    private static boolean isOfLoopback(InterfaceAddress local, InetAddress address) {
        return local.getAddress().isLoopbackAddress()
                && address.isLoopbackAddress()
                && local.getAddress().getClass() == address.getClass();
    }

    private static LocalInterface of(NetworkInterface found) {
        try {
            return new LocalInterface(found.getName(), found.getIndex(), found.getMTU(), found.isUp());
        } catch (SocketException e) {
            return UNKNOWN; // it went since it was listed
        }
    }

    // ---- what may be wrong

    /** Why packets from an address cannot leave; empty if no reason is known. */
    static String objection(InetAddress address) {
        LocalInterface now = of(address);
        if (!now.isKnown()) {
            return "no interface of this machine has the address " + address.getHostAddress() + " any longer";
        }
        return now.isUp()
                ? ""
                : "the interface " + now.name() + " with the address " + address.getHostAddress() + " is down";
    }

    /** Why packets of a path MTU cannot leave from an address; empty if its interface sends them. */
    static String mtuObjection(InetAddress address, int pathMtuBytes) {
        LocalInterface now = of(address);
        return carries(now.mtuBytes(), address instanceof Inet6Address, pathMtuBytes)
                ? ""
                : "the interface " + now.name() + " has an MTU of " + now.mtuBytes()
                        + " bytes now, too small for connections with a path MTU of " + pathMtuBytes;
    }

    /** Whether there is one. */
    boolean isKnown() {
        return index != 0;
    }

    /** Whether a path with that MTU, the longest IP packet, takes all packets of a path MTU. */
    static boolean carries(int mtuBytes, boolean ipv6, int pathMtuBytes) {
        return mtuBytes - (ipv6 ? IPV6_MORE_BYTES : 0) - OVERHEAD_BYTES >= pathMtuBytes;
    }

    /** The largest path MTU whose packets all pass, and that is not above a limit. */
    int pathMtuBytes(boolean ipv6, int limitBytes) {
        int ipBytes = ipv6 ? mtuBytes - IPV6_MORE_BYTES : Math.min(mtuBytes, LONGEST_IPV4_BYTES);
        return PathMtu.within(Math.min(ipBytes - OVERHEAD_BYTES, limitBytes));
    }
}
