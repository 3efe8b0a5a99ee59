package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.udma.control.PortAddress;
import java.util.List;
import java.util.Optional;

/**
 * How a context is reached over the network: an endpoint of the kind {@code udma}. Its address is the EID, its key says
 * the rest.
 *
 * <pre>
 * key: 0…31 number of the segment or QP, 32…47 UDP port
 * </pre>
 */
record UdmaEndpoint(PortAddress at, int number, long vaBase) {
    static final String KIND = "udma";

    private static final int PORT_SHIFT = 32;
    private static final int PORT_MASK = 0xFFFF;

    Endpoint toEndpoint() {
        long key = Integer.toUnsignedLong(number) | (long) at.udpPort() << PORT_SHIFT;
        return new Endpoint(KIND, at.eid().toString(), key, vaBase, false);
    }

    /** The first of a descriptor's; empty when it has none. A critical one that we do not understand spoils all (S1.4). */
    static Optional<UdmaEndpoint> of(Object what, List<Endpoint> endpoints) {
        return ControlChecks.endpoint(what, endpoints, KIND).map(endpoint -> of(what, endpoint));
    }

    private static UdmaEndpoint of(Object what, Endpoint endpoint) {
        int udpPort = (int) (endpoint.key() >>> PORT_SHIFT) & PORT_MASK;
        if (endpoint.key() >>> PORT_SHIFT > PORT_MASK) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, what, "the key of its endpoint has bits that this version does not know");
        }
        if (udpPort == 0) {
            throw new UrmaException(UrmaStatus.EINVAL, what, "the key of its endpoint has no UDP port");
        }
        PortAddress at = new PortAddress(Eid.parse(endpoint.address()), udpPort);
        return new UdmaEndpoint(at, (int) endpoint.key(), endpoint.vaBase());
    }
}
