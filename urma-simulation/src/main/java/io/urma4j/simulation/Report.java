package io.urma4j.simulation;

import io.urma4j.udma.ring.WorkStatus;

/**
 * The totals of one run or of several.
 *
 * @param operations work requests that were posted
 * @param succeeded of them
 * @param packets packets sent
 * @param bundles those with several packets in one datagram
 * @param fragments those with a part of a packet, on a path whose MTU has shrunk
 * @param lost packets lost by the network
 * @param repeated packets duplicated by the network
 * @param overtaken packets that arrived out of order
 * @param damaged packets corrupted by the network
 * @param nanos of virtual time
 * @param events that happened
 * @param received packets that the connections had received which were open at the end
 * @param predicted those of them that were expected, and took the short way
 * @param sentAtOnce requests of these connections that went from the work queue to the network in one step
 * @param digest of all packets, records and counters, and of memory at the end
 */
public record Report(
        long operations,
        long succeeded,
        long packets,
        long bundles,
        long fragments,
        long lost,
        long repeated,
        long overtaken,
        long damaged,
        long nanos,
        long events,
        long received,
        long predicted,
        long sentAtOnce,
        long digest) {

    /** The totals of no run. */
    public static final Report NOTHING = new Report(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Report of(World world, ConnectionTotals connections, long nanos, long events) {
        long succeeded = world.operations().stream()
                .filter(one -> one.status == WorkStatus.SUCCESS)
                .count();
        Network network = world.network;
        return new Report(
                world.operations().size(),
                succeeded,
                network.sent,
                network.bundles,
                network.fragments,
                network.lost,
                network.repeated,
                network.overtaken,
                network.damaged,
                nanos,
                events,
                connections.received(),
                connections.predicted(),
                connections.sentAtOnce(),
                world.digest.value());
    }

    /** Whether a run without prediction had the same outcome to the last byte. */
    boolean isSameAs(Report unpredicted) {
        return digest == unpredicted.digest
                && events == unpredicted.events
                && nanos == unpredicted.nanos
                && received == unpredicted.received;
    }

    /** The sum of both. */
    public Report plus(Report other) {
        return new Report(
                operations + other.operations,
                succeeded + other.succeeded,
                packets + other.packets,
                bundles + other.bundles,
                fragments + other.fragments,
                lost + other.lost,
                repeated + other.repeated,
                overtaken + other.overtaken,
                damaged + other.damaged,
                nanos + other.nanos,
                events + other.events,
                received + other.received,
                predicted + other.predicted,
                sentAtOnce + other.sentAtOnce,
                digest ^ other.digest);
    }

    @Override
    public String toString() {
        return String.format(
                "%,d work requests, %,d of them succeeded; %,d packets, of which %,d bundles, %,d fragments, %,d lost, %,d repeated,"
                        + " %,d overtaken, %,d damaged; %,d of %,d predicted, %,d sent at once; %,.0f s of virtual time",
                operations,
                succeeded,
                packets,
                bundles,
                fragments,
                lost,
                repeated,
                overtaken,
                damaged,
                predicted,
                received,
                sentAtOnce,
                nanos / 1e9);
    }
}
