package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognises retransmitted requests: their PSN is not above the highest of their flow. So a READ that is requested
 * again for only the rest of its responses counts as a new one.
 */
final class Flows {
    private static final int PSN_BITS = 24;

    private final Map<Flow, Integer> highest = new HashMap<>();

    /** The packets of one sequence of PSNs: to a queue pair, or on a shared connection to an end-to-end context. */
    private record Flow(InetAddress source, InetAddress destination, boolean isShared, int number) {}

    boolean isAgain(Datagram datagram) {
        Flow flow = flow(datagram);
        if (flow == null) {
            return false; // other packets are never retransmitted, or only because a request was
        }
        int psn = Bth.psn(datagram.packet().bytes());
        Integer last = highest.get(flow);
        if (last != null && distance(last, psn) <= 0) {
            return true;
        }
        highest.put(flow, psn);
        return false;
    }

    /** Null for a packet that is no request, or is never retransmitted. */
    private static @Nullable Flow flow(Datagram datagram) {
        Packet packet = datagram.packet();
        int opcode = packet.opcode();
        int transport = Opcodes.transport(opcode);
        if (Opcodes.isResponse(opcode) || isResync(opcode) || opcode == Opcodes.FRAGMENT) {
            return null;
        }
        if (Opcodes.has(opcode, Header.RDETH)) {
            int context = Rdeth.endToEndContext(packet.bytes(), packet.at(Header.RDETH));
            return new Flow(datagram.source(), datagram.destination(), true, context);
        }
        boolean isConnected =
                transport == Opcodes.RC || transport == Opcodes.OURS_RC && !Opcodes.has(opcode, Header.DETH);
        return isConnected
                ? new Flow(datagram.source(), datagram.destination(), false, Bth.destinationQp(packet.bytes()))
                : null;
    }

    /** A resync has the PSN of the abandoned packets, and carries no part of them. */
    private static boolean isResync(int opcode) {
        int transport = Opcodes.transport(opcode);
        return Opcodes.operation(opcode) == Opcodes.RESYNC
                && (transport == Opcodes.RD || transport == Opcodes.OURS_RD || transport == Opcodes.OURS_RC);
    }

    /** The distance between two PSNs, at most half the PSN space (WIRE §4.1). */
    private static int distance(int from, int to) {
        return (to - from) << (Integer.SIZE - PSN_BITS) >> (Integer.SIZE - PSN_BITS);
    }
}
