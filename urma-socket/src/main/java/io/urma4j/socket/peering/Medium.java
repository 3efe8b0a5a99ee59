package io.urma4j.socket.peering;

import io.urma4j.SharedSegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/** How the processes of one device find each other's listeners, and each other's memory. Safe for any thread. */
interface Medium {
    /**
     * The listener that a connection to this address reaches; waits for a while where it has to be asked.
     *
     * @throws RefusedException if its process has another version
     */
    Optional<Listed> find(InetSocketAddress remote) throws InterruptedException, RefusedException;

    /** Memory for connections that this process makes to one other. */
    Arena arena();

    /**
     * Pairs it with the memory that the other process has sent in return. It stays open if that fails.
     *
     * @throws IllegalArgumentException if the other memory does not hold what it should
     */
    Pairing pair(Arena own, SharedSegment theirs);

    /**
     * Memory for connections that another process makes to this one, paired with the memory that it has sent.
     *
     * @throws IllegalArgumentException if the other memory does not hold what it should
     */
    Pairing accept(SharedSegment theirs);
}
