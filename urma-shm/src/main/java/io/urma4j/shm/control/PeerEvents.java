package io.urma4j.shm.control;

import io.urma4j.libc.Fd;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Notice;
import io.urma4j.spi.control.ControlMessage.Request;
import java.util.List;

/** Events of {@link Peers}. On the engine's thread. */
interface PeerEvents {
    /** A peer that has greeted is what it claims to be: the lock of its UASID names it. */
    void identified(Peer peer);

    /** A request of a peer; descriptors that are not removed from the list are closed. */
    void requested(Peer from, Connection via, Request request, List<Fd> descriptors);

    void answered(Peer from, Connection via, Answer answer, List<Fd> descriptors);

    /** An answer has lost its descriptor, because this process may open no more. */
    void answeredInPart(Peer from, Connection via, Answer answer, String why);

    void noticed(Peer from, Connection via, Notice notice);

    /** A peer is lost; its connections are closed. Called once, before the two below. */
    void lost(Peer peer, String why);

    /**
     * The proof of its end is known, or could not be obtained at once. Called once.
     *
     * @param proven it no longer touches memory of this context
     */
    void judged(Peer peer, String why, boolean proven);

    /** A lost peer no longer touches memory of this context. Called at most once. */
    void proven(Peer peer);
}
