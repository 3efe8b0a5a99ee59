package io.urma4j.socket.peering;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The offers of another process, as the server of them sees them. */
interface Offers {
    /** An offer, and what its word was when it was read. */
    record Offer(int index, long word, long proof, int ring) {}

    /** The offer of a connection between these ends. */
    @Nullable
    Offer find(InetSocketAddress client, InetSocketAddress server);

    /**
     * Takes an offer; false if the client has withdrawn it.
     *
     * @throws UndecidedException if this process cannot learn whether it has
     */
    boolean take(Offer offer, long proof, int ring) throws UndecidedException;

    /** Refuses an offer; the client need not wait. */
    void refuse(Offer offer, int reason);
}
