package io.urma4j.udma.device;

import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.transport.Route;

/** The ways of packets to the ports that commands name. */
@FunctionalInterface
public interface Routes {
    /**
     * The way to a port of a peer.
     *
     * @throws RuntimeException when there is none; says why
     */
    Route to(RemotePort port);
}
