package io.urma4j.udma.control;

import io.urma4j.Eid;

/** The address of a device's port: a network address and a UDP port. */
public record PortAddress(Eid eid, int udpPort) {
    @Override
    public String toString() {
        return eid + " port " + udpPort;
    }
}
