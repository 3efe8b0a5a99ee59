package io.urma4j.udma.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * What the ICRC covers in front of the BTH: eight bytes, IP and UDP header, those fields masked that routers may change (WIRE
 * §8.1). The eight bytes are ones in RoCE, and the secret of two peers of urma4j (docs/wire-extensions.md). Made once for a
 * path, and brought up to date for each packet. For one thread at a time.
 */
public final class IpHeaders {
    /** The UDP port of RoCEv2. */
    public static final int ROCE_PORT = 4791;

    /** The eight bytes of RoCE: a masked LRH, which is not there. The value without an agreed secret. */
    public static final long NO_SECRET = -1;

    private static final int ONES = 8;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;
    private static final byte UDP_PROTOCOL = 17;
    private static final short DONT_FRAGMENT = 0x4000;
    private static final byte HOP_LIMIT = 64;

    private static final int IPV4_LENGTH = ONES + 2;
    private static final int IPV4_ID = ONES + 4;
    private static final int IPV4_FLAGS = ONES + 6;
    private static final int IPV4_SOURCE = ONES + 12;
    private static final int IPV6_LENGTH = ONES + 4;
    private static final int IPV6_SOURCE = ONES + 8;
    private static final int UDP_LENGTH = 4; // in the UDP header

    private static final int KEPT = 256; // CRCs: the packets of a run differ in their ID
    private static final long NO_KEY = -1;
    private static final int TRAFFIC_CLASS_SHIFT = 20; // in the first word of IPv6

    private final ByteBuffer masked;
    private final boolean ipv4;
    private int trafficClass;
    private final long[] keptKeys = new long[KEPT];
    private final int[] keptCrcs = new int[KEPT];

    private IpHeaders(int ipBytes) {
        masked = ByteBuffer.allocate(ONES + ipBytes + UDP_BYTES); // big-endian, as the wire
        ipv4 = ipBytes == IPV4_BYTES;
        masked.putLong(NO_SECRET);
        Arrays.fill(keptKeys, NO_KEY);
    }

    /** Of packets that are never fragmented, and whose ID is 0 unless {@link #ipv4Id} says otherwise. */
    public static IpHeaders ipv4(int source, int destination, int sourcePort, int destinationPort) {
        IpHeaders headers = new IpHeaders(IPV4_BYTES);
        headers.masked
                .put((byte) 0x45)
                .put((byte) 0xFF) // TOS
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort(DONT_FRAGMENT)
                .put((byte) 0xFF) // TTL
                .put(UDP_PROTOCOL)
                .putShort((short) 0xFFFF) // checksum
                .putInt(source)
                .putInt(destination);
        return headers.udp(sourcePort, destinationPort);
    }

    public static IpHeaders ipv6(
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow,
            int sourcePort,
            int destinationPort) {
        IpHeaders headers = new IpHeaders(IPV6_BYTES);
        headers.masked
                .putInt(0x6FFF_FFFF) // traffic class and flow label
                .putShort((short) 0)
                .put(UDP_PROTOCOL)
                .put((byte) 0xFF) // hop limit
                .putLong(sourceHigh)
                .putLong(sourceLow)
                .putLong(destinationHigh)
                .putLong(destinationLow);
        return headers.udp(sourcePort, destinationPort);
    }

    private IpHeaders udp(int sourcePort, int destinationPort) {
        masked.putShort((short) sourcePort)
                .putShort((short) destinationPort)
                .putShort((short) 0)
                .putShort((short) 0xFFFF); // checksum
        return this;
    }

    public boolean isIpv4() {
        return ipv4;
    }

    /** Turns them into those of a packet from elsewhere to the same destination; IPv4 only. */
    public void ipv4Source(int address, int port) {
        if (masked.getInt(IPV4_SOURCE) != address || sourcePort() != (short) port) {
            masked.putInt(IPV4_SOURCE, address);
            sourcePort((short) port);
        }
    }

    /** Turns them into those of a packet from elsewhere to the same destination; IPv6 only. */
    public void ipv6Source(long high, long low, int port) {
        if (masked.getLong(IPV6_SOURCE) != high
                || masked.getLong(IPV6_SOURCE + Long.BYTES) != low
                || sourcePort() != (short) port) {
            masked.putLong(IPV6_SOURCE, high);
            masked.putLong(IPV6_SOURCE + Long.BYTES, low);
            sourcePort((short) port);
        }
    }

    /** What two peers of urma4j have agreed on; {@link #NO_SECRET} unless this says otherwise. */
    public IpHeaders secret(long secret) {
        if (masked.getLong(0) != secret) {
            masked.putLong(0, secret);
            Arrays.fill(keptKeys, NO_KEY);
        }
        return this;
    }

    public long secret() {
        return masked.getLong(0);
    }

    private short sourcePort() {
        return masked.getShort(masked.capacity() - UDP_BYTES);
    }

    private void sourcePort(short port) {
        masked.putShort(masked.capacity() - UDP_BYTES, port);
        Arrays.fill(keptKeys, NO_KEY);
    }

    /**
     * Writes them as they were on the wire, for a packet of that length from the BTH to the ICRC; what is masked here
     * is as a sender of RoCE has it: a hop limit of 64, no UDP checksum; and the {@link #trafficClass}.
     */
    public void unmask(ByteBuffer to, int packetBytes) {
        int start = to.position();
        to.put(covering(packetBytes), ONES, masked.capacity() - ONES);
        if (ipv4) {
            to.put(start + 1, (byte) trafficClass).put(start + 8, HOP_LIMIT).putShort(start + 10, (short) 0);
            to.putShort(start + 10, (short) ~sum(to, start));
        } else {
            to.putInt(start, 0x6000_0000 | trafficClass << TRAFFIC_CLASS_SHIFT).put(start + 7, HOP_LIMIT);
        }
        to.putShort(to.position() - 2, (short) 0);
    }

    private static int sum(ByteBuffer header, int start) {
        int sum = 0;
        for (int i = 0; i < IPV4_BYTES; i += 2) {
            sum += Short.toUnsignedInt(header.getShort(start + i));
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (sum & 0xFFFF) + (sum >>> 16);
    }

    /** What routers may read and change, so that it is not covered; 0 unless this says otherwise. */
    public void trafficClass(int bits) {
        trafficClass = bits;
    }

    /** The identification that the sender's kernel gives to the next packet, which the ICRC covers. */
    public void ipv4Id(int id) {
        masked.putShort(IPV4_ID, (short) id);
    }

    /** Whether the packet may not be fragmented; it may not, unless this says otherwise. */
    public void ipv4DontFragment(boolean dont) {
        masked.putShort(IPV4_FLAGS, dont ? DONT_FRAGMENT : 0);
    }

    /** The bytes to be covered, for a packet of that length from the BTH to the ICRC, both included. */
    byte[] covering(int packetBytes) {
        int udpBytes = UDP_BYTES + packetBytes;
        if (ipv4) {
            masked.putShort(IPV4_LENGTH, (short) (IPV4_BYTES + udpBytes));
        } else {
            masked.putShort(IPV6_LENGTH, (short) udpBytes);
        }
        masked.putShort(masked.capacity() - UDP_BYTES + UDP_LENGTH, (short) udpBytes);
        return masked.array();
    }

    /**
     * What is in front of a packet of that length from the BTH to the ICRC has its share in the CRC of the whole, since the
     * CRC is linear: the CRC of the whole is this and that of the packet, one XOR the other, when the byte that routers may
     * change is 0. What was computed before is kept.
     *
     * @param crc may be used for it
     */
    int share(int packetBytes, CRC32 crc) {
        int idAndFlag =
                ipv4 ? masked.getShort(IPV4_ID) & 0xFFFF | (masked.getShort(IPV4_FLAGS) & DONT_FRAGMENT) << 2 : 0;
        long key = (long) packetBytes << 17 | idAndFlag; // a long packet needs 33 bits
        int slot = (idAndFlag ^ packetBytes >>> 2) & KEPT - 1;
        if (keptKeys[slot] == key) {
            return keptCrcs[slot];
        }
        crc.reset();
        crc.update(covering(packetBytes));
        int value =
                CrcShift.on((int) crc.getValue(), packetBytes - Icrc.BYTES) ^ Icrc.shareOfNotices(0xFF, packetBytes);
        keptKeys[slot] = key;
        keptCrcs[slot] = value;
        return value;
    }

    @Override
    public String toString() {
        return ipv4 ? "IPv4 headers" : "IPv6 headers";
    }
}
