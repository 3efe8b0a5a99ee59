package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.control.HeardSecrets;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;

/**
 * Verifies ICRCs: with the eight ones of RoCE, or with a secret of two urma4j peers. The capture reveals this secret if
 * it has their greeting, or a later request with its answer. The verifier must have {@linkplain #hear seen} the whole
 * capture before it is asked.
 */
final class Verifier {
    /** The result of verifying an ICRC. */
    enum Verdict {
        RIGHT,
        WRONG,
        /** It is not that of RoCE, and the capture does not reveal the secret of its sender, if there is one. */
        NOT_VERIFIABLE
    }

    private final HeardSecrets heard = new HeardSecrets();
    private final Set<End> proven = new HashSet<>();
    private final Icrc icrc = new Icrc();

    /** What packets of one direction of a connection name. */
    private record End(InetAddress source, InetAddress destination, int number) {}

    /** Learns from a datagram what is needed to verify others. */
    void hear(Datagram datagram) {
        if (PacketCheck.of(datagram.packet()) == null && isRight(datagram, IpHeaders.NO_SECRET)) {
            heard.hear(datagram.source(), datagram.destination(), datagram.packet());
            proven.add(end(datagram));
        }
    }

    /** Verifies a datagram with a well-formed packet. */
    Verdict verdict(Datagram datagram) {
        if (isRight(datagram, IpHeaders.NO_SECRET)) {
            return Verdict.RIGHT;
        }
        if (!isOfConnection(datagram.packet())) {
            return Verdict.WRONG; // no secret enters those of datagrams and greetings
        }
        End end = end(datagram);
        for (long secret : heard.between(datagram.source(), datagram.destination())) {
            if (isRight(datagram, secret)) {
                proven.add(end);
                return Verdict.RIGHT;
            }
        }
        return proven.contains(end) ? Verdict.WRONG : Verdict.NOT_VERIFIABLE;
    }

    private boolean isRight(Datagram datagram, long secret) {
        return icrc.isRight(datagram.packet(), datagram.ip().secret(secret));
    }

    private static boolean isOfConnection(Packet packet) {
        return !Opcodes.has(packet.opcode(), Header.DETH) || Opcodes.has(packet.opcode(), Header.RDETH);
    }

    private static End end(Datagram datagram) {
        return new End(
                datagram.source(), datagram.destination(), datagram.packet().connectionNumber());
    }
}
