package io.urma4j.bench.compare;

import io.urma4j.bench.BufferRatios;
import io.urma4j.bench.Rounds;
import io.urma4j.bench.compare.RoundRobin.Outcome;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.UrmaPeer;
import java.io.IOException;
import java.util.List;

/** What one run of the guard measures with: the processes of urma4j and of C, and registered buffers in this one. */
final class GuardPeers implements AutoCloseable {
    private final BufferRatios buffers = new BufferRatios();
    private final List<Peer> peers = List.of(UrmaPeer.queuesAlone(), RawMemory.awake(), RawNetwork.bare());

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
     * Measures the two of a ratio in turns.
     *
     * @throws IOException if one of them cannot finish its task
     */
    GuardRatio measure(String name, RoundRobin roundRobin) throws IOException, InterruptedException {
        if (BufferRatios.NAMES.contains(name)) {
            Rounds rounds = buffers.measure(name, roundRobin.rounds(), roundRobin.turn());
            return GuardRatio.of(rounds.subjects(), rounds.peers());
        }
        return besideC(
                Rows.all().stream()
                        .filter(row -> row.name().equals(name))
                        .findFirst()
                        .orElseThrow(),
                roundRobin);
    }

    private GuardRatio besideC(Row row, RoundRobin roundRobin) throws IOException, InterruptedException {
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
        buffers.close();
    }
}
