package io.urma4j.peer;

import java.util.List;

/** A client of this library, for display: its devices, and what it does when memory goes away. */
public record PeerClient(String name, ClientVersion version, ClientStyle style, List<PeerDevice> devices) {
    public PeerClient {
        devices = List.copyOf(devices);
    }
}
