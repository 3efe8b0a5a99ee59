package io.urma4j.bench.compare;

import io.urma4j.bench.compare.RoundRobin.Outcome;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.UrmaPeer;
import java.io.IOException;
import java.util.List;

/** The processes that one run of the guard measures with: urma4j's, and those of C. */
final class GuardPeers implements AutoCloseable {
    private final List<Peer> peers = List.of(UrmaPeer.queuesAlone(), RawMemory.awake(), new RawNetwork());

    /**
     * Starts the processes.
     *
     * @throws PeerUnavailableException if a program of C cannot be built
     */
    GuardPeers(Toolchain toolchain) throws IOException, InterruptedException, PeerUnavailableException {
        try {
            for (Peer peer : peers) {
                peer.obtain(toolchain);
            }
        } catch (IOException | InterruptedException | PeerUnavailableException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Measures urma4j and C in turns.
     *
     * @throws IOException if one of the two cannot finish the task
     */
    GuardRatio measure(Row row, RoundRobin roundRobin) throws IOException, InterruptedException {
        Outcome outcome = roundRobin.play(row.task(), peers);
        if (!outcome.failures().isEmpty()) {
            throw new IOException(
                    row.name() + ": " + String.join("; ", outcome.failures().values()));
        }
        List<Series> both = List.copyOf(outcome.series().values()); // urma4j first, and the one of C that can
        return GuardRatio.of(both.get(0).nanos(row.metric()), both.get(1).nanos(row.metric()));
    }

    @Override
    public void close() {
        peers.forEach(Peer::close);
    }
}
