package io.urma4j.peer;

import io.urma4j.UrmaOptions;
import java.util.List;

/** Brings the clients of one device family: found by {@link java.util.ServiceLoader}, and asked once per {@code Urma}. */
public interface PeerMemoryService {
    /** Short name of the family, which names it in reasons, for example {@code cuda}. */
    String name();

    /**
     * The clients that work here. A service that cannot work here throws with the reason, which the user sees on request of
     * one of its clients; it returns an empty list only if there is no reason to report.
     */
    List<PeerMemoryClient> clients(UrmaOptions options);
}
