package io.urma4j.udma.control;

import io.urma4j.udma.control.ControlDatagram.Kind;
import java.nio.ByteBuffer;

/** Sends the datagrams of one context. */
record ContextSender(ControlPort port, long incarnation) {
    /** To a peer, with its tag. */
    void send(Peer to, Kind kind, long number, ByteBuffer body) {
        send(PeerTable.Id.of(to), kind, number, to.peerTag, to.ownFloor(), body);
    }

    void send(PeerTable.Id to, Kind kind, long number, long tag, long floor, ByteBuffer body) {
        port.send(
                to.address(),
                new ControlDatagram(
                        kind, port.self().udpPort(), number, to.incarnation(), incarnation, tag, floor, body));
    }
}
