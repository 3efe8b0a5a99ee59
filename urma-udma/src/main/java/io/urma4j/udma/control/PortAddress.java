package io.urma4j.udma.control;

import io.urma4j.Eid;

/** Where the port of a device is reached: a network address, and the UDP port that it listens on. */
public record PortAddress(Eid eid, int udpPort) {
    @Override
    public String toString() {
        return eid + " port " + udpPort;
    }
}
