package io.urma4j.udma.udp;

import io.urma4j.udma.wire.IpHeaders;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** IP addresses as the two halves of an EID, and back: an IPv4 address is {@code ::ffff:a.b.c.d}. */
final class Addresses {
    private static final int IPV4_BYTES = 4;
    private static final long IPV4_PREFIX = 0xFFFF;
    private static final long LINK_LOCAL = 0xFE80; // fe80::/10, and nothing else of it is used
    private static final long MULTICAST = 0xFF;

    private Addresses() {}

    static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> 32 == IPV4_PREFIX;
    }

    static boolean isLinkLocal(long high) {
        return high >>> 48 == LINK_LOCAL;
    }

    static boolean isMulticast(long high, long low) {
        return isIpv4(high, low) ? (low >>> 28 & 0xF) == 0xE : high >>> 56 == MULTICAST;
    }

    static long high(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == IPV4_BYTES ? 0 : bigEndian(bytes, 0, Long.BYTES);
    }

    static long low(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == IPV4_BYTES
                ? IPV4_PREFIX << 32 | bigEndian(bytes, 0, IPV4_BYTES)
                : bigEndian(bytes, Long.BYTES, Long.BYTES);
    }

    static InetAddress of(long high, long low) {
        return of(high, low, 0);
    }

    /** @param scope the interface of a link-local address; else 0 */
    static InetAddress of(long high, long low, int scope) {
        boolean ipv4 = isIpv4(high, low);
        byte[] bytes = new byte[ipv4 ? IPV4_BYTES : 2 * Long.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            int fromEnd = bytes.length - 1 - i;
            bytes[i] = (byte) ((fromEnd < Long.BYTES ? low : high) >>> fromEnd % Long.BYTES * 8);
        }
        try {
            return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes", e);
        }
    }

    static String text(long high, long low) {
        return of(high, low).getHostAddress();
    }

    /** The headers of packets from one port to another, both of one IP version. */
    static IpHeaders headers(long fromHigh, long fromLow, int fromPort, long toHigh, long toLow, int toPort) {
        return isIpv4(fromHigh, fromLow)
                ? IpHeaders.ipv4((int) fromLow, (int) toLow, fromPort, toPort)
                : IpHeaders.ipv6(fromHigh, fromLow, toHigh, toLow, fromPort, toPort);
    }

    private static long bigEndian(byte[] bytes, int from, int count) {
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = value << 8 | bytes[from + i] & 0xFF;
        }
        return value;
    }
}
