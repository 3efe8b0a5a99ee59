package io.urma4j.udma.control;

import java.nio.ByteBuffer;

/** Where control datagrams leave: as UD packets to QP 1. What does not get out is lost, and comes again. */
@FunctionalInterface
public interface ControlWire {
    void send(PortAddress to, ByteBuffer datagram);
}
