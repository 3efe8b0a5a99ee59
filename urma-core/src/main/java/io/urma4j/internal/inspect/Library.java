package io.urma4j.internal.inspect;

import io.urma4j.Resource;
import io.urma4j.peer.PeerMemoryRegistry;
import java.util.List;
import java.util.Optional;

/** What a context knows of its library. Safe for any thread; returns at once. */
public interface Library {
    /** What the context tells of its library to other processes: kinds with PEER. */
    List<Resource> resources(Resource.Kind kind);

    /** The device memory; empty before the program uses it. */
    Optional<PeerMemoryRegistry> peerMemory();
}
