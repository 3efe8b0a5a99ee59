package io.urma4j;

/**
 * The transport path of a context to a peer, with what it has counted since it was made. All queues of the two contexts share
 * it; on a network a bound RC Jetty has one of its own.
 *
 * <p>On a network the counters are about packets:
 *
 * <ul>
 *   <li>{@code sent}, {@code received}: packets, acknowledgements and retransmissions included.
 *   <li>{@code predicted}: those of the received ones that were expected, and took the short way of header prediction.
 *   <li>{@code sentAtOnce}: requests that were sent in one step, since nothing else was in flight.
 *   <li>{@code retransmitted}: those of the sent ones that had been sent before.
 *   <li>{@code spurious}: retransmissions of packets that were delayed and not lost.
 *   <li>{@code probes}: how often an acknowledgement was overdue, and the oldest packet was retransmitted alone.
 *   <li>{@code timeouts}: how often no acknowledgement arrived within the retransmission timeout.
 *   <li>{@code window}, {@code inFlight}: packets that may be unacknowledged now, and those that are.
 *   <li>{@code rttNanos}, {@code rtoNanos}: smoothed round trip, 0 before the first sample, and retransmission timeout.
 *   <li>{@code gapsSeen}: gaps in the peer's packets.
 *   <li>{@code gapNaks}: NAKs of the peer that reported a gap in ours; one gap may draw several.
 *   <li>{@code duplicates}: requests of the peer that had been received before.
 *   <li>{@code rnrSent}, {@code rnrReceived}: messages that found no receive work request, here and at the peer.
 *   <li>{@code marked}, {@code cnpSent}, {@code cnpReceived}: packets of the peer that a switch has marked for congestion
 *       (ECN), and congestion notification packets.
 *   <li>{@code nakInvalidSent}, {@code nakAccessSent}, {@code nakOperationSent}, and the same with {@code Received}: requests
 *       refused as invalid, for lack of access, or because the operation failed.
 *   <li>{@code ignored}, {@code contradicted}: packets that had no meaning in the state of the connection, and pairs of requests
 *       with one number and different contents.
 * </ul>
 *
 * <p>On shared memory they are about messages:
 *
 * <ul>
 *   <li>{@code sent}, {@code received}: messages; one that is repeated because its receiver was not ready counts again.
 *   <li>{@code slotsSent}, {@code slotsReceived}, {@code inFlight}: slots of the ring. A long message takes several; those in
 *       flight are unanswered.
 *   <li>{@code ringFull}: how often the sender came to a full ring.
 *   <li>{@code wakeUps}: how often the peer slept and was woken for a message or an answer.
 * </ul>
 *
 * @param number of the path; on a network the one that packets carry, so that captures show it: of the connection, or of the
 *     RC Jetty
 * @param peer endpoint and address space, or QP, of the other end
 * @param process of the peer in words; "unknown" where it does not say
 * @param state READY, or ERROR when nothing is sent any more
 */
public record TransportPath(long number, String peer, String process, String state, Counters counters) {
    /** The path as {@link UrmaContext#inspect} shows it. */
    public Resource toResource() {
        return Resource.builder(Resource.Kind.TP, number)
                .add("tpn", number)
                .add("peer", peer)
                .add("peer_process", process)
                .add("state", state)
                .add(counters)
                .build();
    }
}
