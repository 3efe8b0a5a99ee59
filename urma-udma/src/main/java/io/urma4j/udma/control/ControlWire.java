package io.urma4j.udma.control;

import java.nio.ByteBuffer;

/**
 * The output of control datagrams: UD packets to QP 1. A datagram that cannot be sent is lost, and its sender retransmits
 * it.
 */
@FunctionalInterface
public interface ControlWire {
    void send(PortAddress to, ByteBuffer datagram);
}
