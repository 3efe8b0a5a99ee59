package io.urma4j.udma.hostile;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** The ICRC of RoCE, for attackers that have nothing but the JDK. */
public final class RoceSeal {
    private static final int IP_BYTES = 20;
    private static final int COVERED_BYTES = 8 + IP_BYTES + 8;

    private RoceSeal() {}

    /** A packet with its ICRC, as an IPv4 datagram that is not to be fragmented carries it. */
    static ByteBuffer sealed(byte[] packet, InetAddress source, int sourcePort, InetSocketAddress victim) {
        int udpBytes = 8 + packet.length + Integer.BYTES;
        ByteBuffer covered = ByteBuffer.allocate(COVERED_BYTES + packet.length);
        covered.putLong(-1L);
        covered.put((byte) 0x45).put((byte) -1).putShort((short) (IP_BYTES + udpBytes));
        covered.putShort((short) 0)
                .putShort((short) 0x4000)
                .put((byte) -1)
                .put((byte) 17)
                .putShort((short) -1);
        covered.put(source.getAddress()).put(victim.getAddress().getAddress());
        covered.putShort((short) sourcePort).putShort((short) victim.getPort());
        covered.putShort((short) udpBytes).putShort((short) -1);
        covered.put(packet);
        covered.put(COVERED_BYTES + 4, (byte) -1); // the byte that routers may change
        CRC32 crc = new CRC32();
        crc.update(covered.flip());
        ByteBuffer whole = ByteBuffer.allocate(packet.length + Integer.BYTES);
        return whole.put(packet)
                .putInt(Integer.reverseBytes((int) crc.getValue()))
                .flip();
    }
}
