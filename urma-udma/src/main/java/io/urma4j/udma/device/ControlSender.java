package io.urma4j.udma.device;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.nio.ByteBuffer;

/** Sends control datagrams from QP 1, each by itself: a datagram that finds no room at the port is lost. */
final class ControlSender {
    private final Port port;
    private int psn;

    ControlSender(Port port) {
        this.port = port;
    }

    void send(Route route, ByteBuffer datagram) {
        Packet packet = port.begin(route);
        if (packet != null) {
            Management.put(packet, psn++, datagram);
            port.end(datagram.remaining());
            port.flush();
        }
    }
}
