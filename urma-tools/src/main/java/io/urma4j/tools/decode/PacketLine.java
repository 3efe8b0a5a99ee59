package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketText;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A packet as one readable line. */
final class PacketLine {
    private PacketLine() {}

    /** A packet whose ICRC is known to be right or wrong, or is not known at all. */
    static String of(
            Frame frame, long startNanos, Datagram datagram, @Nullable Drop drop, boolean isIcrcKnown, boolean again) {
        StringBuilder line = new StringBuilder(160);
        line.append(String.format(
                Locale.ROOT,
                "%5d %11.6f %s > %s ",
                frame.number(),
                (frame.timeNanos() - startNanos) / 1e9,
                datagram.source().getHostAddress(),
                datagram.destination().getHostAddress()));
        Packet packet = datagram.packet();
        if (drop != null && drop != Drop.ICRC) {
            return line.append(packet).append("  ").append(told(drop)).toString();
        }
        line.append(told(packet, again));
        if (!isIcrcKnown) {
            return line.append(String.format("  ICRC 0x%08x not verifiable: secret unknown", Icrc.in(packet)))
                    .toString();
        }
        return line.append(drop == Drop.ICRC ? String.format("  ICRC 0x%08x WRONG", Icrc.in(packet)) : "  ICRC ok")
                .toString();
    }

    /** A packet of a bundle, below the line of the bundle; or of fragments, below that of the last. */
    static String ofBundled(Packet packet, boolean again) {
        return "        " + told(packet, again);
    }

    private static String told(Packet packet, boolean again) {
        return PacketText.of(packet) + (again ? ", retransmitted" : "");
    }

    private static String told(Drop drop) {
        return switch (drop) {
            case TOO_SHORT -> "SHORTER THAN A BTH";
            case UNKNOWN_OPCODE -> "UNKNOWN OPCODE";
            case CUT -> "SHORTER THAN ITS HEADERS";
            case TOO_LONG -> "LONGER THAN ANY MTU";
            case TRANSPORT_VERSION -> "UNKNOWN TRANSPORT VERSION";
            case PARTITION -> "OF ANOTHER PARTITION";
            case BUNDLE -> "A BUNDLE OF SOMETHING ELSE";
            case FRAGMENT -> "A FRAGMENT OF ANOTHER LENGTH";
            case ICRC -> "ICRC WRONG";
            case NO_SECRET -> "WITHOUT THE SECRET"; // by a port, never by a file
            case ON_PURPOSE -> "LOST ON PURPOSE"; // by a port, never by a file
        };
    }
}
