package io.urma4j.bench.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Lets peers do a task in turns: each once per round, so that what the machine does meanwhile falls on all of them. The
 * first turn of each counts for nothing.
 *
 * @param rounds how many count
 * @param turn how long each turn is
 * @param mostWarmUp how long a peer may warm up at most
 */
public record Contest(int rounds, Duration turn, Duration mostWarmUp) {
    /**
     * What came of a task.
     *
     * @param failures of peers that could not finish it, with what they said
     */
    public record Outcome(SequencedMap<Peer, Series> series, Map<Peer, String> failures) {}

    /** All that can, in their order. A peer that fails once is left alone, and its failure told. */
    public Outcome play(Task task, List<Peer> peers) throws InterruptedException {
        SequencedMap<Peer, Series> series = new LinkedHashMap<>();
        Map<Peer, String> failures = new LinkedHashMap<>();
        List<Peer> playing =
                new ArrayList<>(peers.stream().filter(peer -> peer.can(task)).toList());
        for (int round = -1; round < rounds; round++) {
            for (Peer peer : List.copyOf(playing)) {
                try {
                    if (round < 0) {
                        peer.warmUp(task, mostWarmUp);
                    } else {
                        series.computeIfAbsent(peer, any -> new Series()).add(peer.measure(task, turn));
                    }
                } catch (IOException | IllegalArgumentException e) {
                    Processes.awaitEndIfNear();
                    failures.put(peer, String.valueOf(e.getMessage()));
                    playing.remove(peer);
                    series.remove(peer);
                }
            }
        }
        return new Outcome(series, failures);
    }
}
