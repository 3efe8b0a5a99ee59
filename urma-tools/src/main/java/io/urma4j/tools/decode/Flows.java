package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Tells requests that are sent again: their PSN is not beyond all those that their flow has had. */
final class Flows {
    private static final int PSN_BITS = 24;

    private final Map<Flow, Integer> highest = new HashMap<>();

    private record Flow(InetAddress source, InetAddress destination, int destinationQp) {}

    boolean isAgain(Datagram datagram) {
        Packet packet = datagram.packet();
        int transport = Opcodes.transport(packet.opcode());
        if (transport != Opcodes.RC || Opcodes.isResponse(packet.opcode())) {
            return false; // others repeat nothing, or are repeated because somebody asked again
        }
        Flow flow = new Flow(datagram.source(), datagram.destination(), Bth.destinationQp(packet.bytes()));
        int psn = Bth.psn(packet.bytes());
        Integer last = highest.get(flow);
        if (last != null && distance(last, psn) <= 0) {
            return true;
        }
        highest.put(flow, psn);
        return false;
    }

    /** From one PSN to the other, of which a half turn is the largest (WIRE §4.1). */
    private static int distance(int from, int to) {
        return (to - from) << (Integer.SIZE - PSN_BITS) >> (Integer.SIZE - PSN_BITS);
    }
}
