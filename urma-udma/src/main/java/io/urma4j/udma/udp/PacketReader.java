package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.PathMtu;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Takes the packets out of datagrams that have arrived, drops and counts bad ones, and passes the others on. */
final class PacketReader {
    /** How many packets are received at a time if the kernel does not merge them: later work is done once per batch. */
    private static final int PACKETS_OF_A_TURN = 64;

    /** A packet counts for one more for each such part of its length. */
    private static final int LONG_BYTES = 2 * PathMtu.LARGEST_OF_ROCE;

    private final PortCounters counters;
    private final @Nullable PcapWriter capture;
    private final PacketLoss.@Nullable Draws loss;
    private final Icrc icrc = new Icrc();
    private final IpHeaders headers; // of each packet that came, in turn
    private final Origin origin = new Origin();
    private long lookedAt; // packets that came, right or wrong; a long one counts for several

    /** @param loss of packets, on purpose; null for none */
    PacketReader(
            InetAddress address,
            int port,
            PortCounters counters,
            @Nullable PcapWriter capture,
            @Nullable PacketLoss loss) {
        long high = Addresses.high(address);
        long low = Addresses.low(address);
        this.headers = Addresses.headers(high, low, port, high, low, port);
        this.counters = counters;
        this.capture = capture;
        this.loss = loss == null ? null : loss.draws();
    }

    /** Receives available datagrams, up to a limit; returns how many. */
    int receiveAll(Arrivals from, PacketSink sink) {
        long lookedAtBefore = lookedAt;
        int datagrams = 0;
        int came;
        do {
            came = receive(from, sink);
            datagrams += came;
        } while (came == from.most() && lookedAt - lookedAtBefore < PACKETS_OF_A_TURN);
        return datagrams;
    }

    /** Receives as many datagrams as one system call takes; returns how many. */
    int receive(Arrivals from, PacketSink sink) {
        int datagrams = from.receive();
        if (datagrams <= 0) {
            if (datagrams != -Errno.EAGAIN && datagrams != -Errno.EINTR) {
                counters.add(Counter.RECEIVE_ERRORS, 1);
            }
            return 0;
        }
        counters.add(Counter.RECEIVED_DATAGRAMS, datagrams);
        for (int i = 0; i < datagrams; i++) {
            datagram(from, i, sink);
        }
        return datagrams;
    }

    private void datagram(Arrivals from, int datagram, PacketSink sink) {
        int length = from.receivedBytes(datagram);
        if (from.isTruncated(datagram)) {
            lookedAt += 1 + length / LONG_BYTES;
            counters.add(Drop.TOO_LONG);
            return;
        }
        from.origin(datagram, origin);
        if (headers.isIpv4()) {
            headers.ipv4Source((int) origin.eidLow(), origin.port());
        } else {
            headers.ipv6Source(origin.eidHigh(), origin.eidLow(), origin.port());
        }
        int trafficClass = from.trafficClass(datagram);
        boolean isMarked = Ecn.isMarked(trafficClass);
        headers.trafficClass(trafficClass);
        if (length == 0) {
            packet(from.view(datagram, 0, 0), 0, isMarked, sink);
            return;
        }
        int segment = from.segmentBytes(datagram);
        int id = 0; // the kernel numbers the packets of a run so
        for (int at = 0; at < length; at += segment) {
            packet(from.view(datagram, at, Math.min(segment, length - at)), id++, isMarked, sink);
        }
    }

    private void packet(Packet packet, int likelyId, boolean isMarked, PacketSink sink) {
        lookedAt += 1 + packet.lengthBytes() / LONG_BYTES;
        Drop drop = PacketCheck.of(packet);
        if (drop == null) {
            long secret = sink.secretOf(packet, origin);
            drop = icrc.check(packet, headers, secret, likelyId);
            origin.proven(secret);
        }
        if (drop == null && loss != null && loss.takesNext()) {
            counters.add(Drop.ON_PURPOSE); // it counts as lost by the network, before this host
            return;
        }
        if (capture != null) {
            capture.packet(packet, headers); // corrupted packets, too: they may be the cause that is looked for
        }
        if (drop != null) {
            counters.add(drop);
            return;
        }
        counters.add(Counter.RECEIVED_PACKETS, 1);
        counters.add(Counter.RECEIVED_BYTES, packet.lengthBytes());
        if (isMarked) {
            counters.add(Counter.RECEIVED_MARKED, 1);
        }
        Bth.forwardNotice(packet.bytes(), isMarked); // whatever it said: RoCEv2 has no use for it, and the card has
        sink.packet(packet, origin);
    }
}
