package io.urma4j.shm.control;

import io.urma4j.libc.Fd;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Notice;
import io.urma4j.spi.control.ControlMessage.Request;
import java.util.List;

/** What {@link Peers} hear and pass on. On the engine's thread. */
interface PeerEvents {
    /** A peer asks; descriptors that are not taken out of the list are closed. */
    void requested(Peer from, Connection via, Request request, List<Fd> descriptors);

    void answered(Peer from, Connection via, Answer answer, List<Fd> descriptors);

    void noticed(Peer from, Connection via, Notice notice);

    /** A peer is lost; its connections are closed. Once, before the two below. */
    void lost(Peer peer, String why);

    /**
     * Whether its end is proven is known, or could not be found out at once. Once.
     *
     * @param proven it touches no memory of ours any more
     */
    void judged(Peer peer, String why, boolean proven);

    /** A lost peer touches no memory of ours any more. At most once. */
    void proven(Peer peer);
}
