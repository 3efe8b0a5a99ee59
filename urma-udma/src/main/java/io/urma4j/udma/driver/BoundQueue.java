package io.urma4j.udma.driver;

import io.urma4j.PeerId;
import org.jspecify.annotations.Nullable;

/** A queue that may be bound to a peer by hand (S7.16). */
interface BoundQueue {
    /** The identity of the foreign peer that it is bound to; null if there is none. Any thread. */
    @Nullable
    PeerId foreignPeer();
}
