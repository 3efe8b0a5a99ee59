package io.urma4j.bench.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Lets peers do a task in turns: each once per round, so that what the machine does meanwhile falls on all of them. The
 * first turn of each counts for nothing.
 */
final class RoundRobin {
    private static final Duration LATE = Duration.ofSeconds(5);
    private static final int MOST_LATE_FAILURES = 2;

    private final int rounds;
    private final Duration turn;
    private final Map<Peer, Integer> lateFailures = new HashMap<>();

    /**
     * A round-robin run.
     *
     * @param rounds how many count
     * @param turn how long each turn is
     */
    RoundRobin(int rounds, Duration turn) {
        this.rounds = rounds;
        this.turn = turn;
    }

    int rounds() {
        return rounds;
    }

    Duration turn() {
        return turn;
    }

    /**
     * What came of a task.
     *
     * @param failures of peers that could not finish it, with what they said
     */
    record Outcome(SequencedMap<Peer, Series> series, Map<Peer, String> failures) {}

    /** About how long {@link #play} takes. */
    Duration expected(Task task, List<Peer> peers) {
        long millis = 0;
        for (Peer peer : peers) {
            if (peer.can(task)) {
                millis += peer.warmUpMillis(task, turn) + rounds * (turn.toMillis() + peer.overheadMillis(task));
            }
        }
        return Duration.ofMillis(millis);
    }

    /**
     * All peers that can do the work, in their order. A peer that fails is skipped for the rest of the row, and its
     * failure is reported. One that has kept the others waiting this way twice is not run again.
     */
    Outcome play(Task task, List<Peer> peers) throws InterruptedException {
        SequencedMap<Peer, Series> series = new LinkedHashMap<>();
        Map<Peer, String> failures = new LinkedHashMap<>();
        List<Peer> playing =
                new ArrayList<>(peers.stream().filter(peer -> peer.can(task)).toList());
        for (Peer peer : List.copyOf(playing)) {
            if (lateFailures.getOrDefault(peer, 0) >= MOST_LATE_FAILURES) {
                failures.put(peer, "not asked any more, since it hung " + MOST_LATE_FAILURES + " times before");
                playing.remove(peer);
            }
        }
        for (int round = -1; round < rounds; round++) {
            for (Peer peer : List.copyOf(playing)) {
                long start = System.nanoTime();
                try {
                    if (round < 0) {
                        peer.warmUp(task, turn);
                    } else {
                        series.computeIfAbsent(peer, any -> new Series()).add(peer.measure(task, turn));
                    }
                } catch (IOException | RuntimeException e) {
                    Processes.awaitEndIfNear();
                    failures.put(peer, String.valueOf(e.getMessage()));
                    playing.remove(peer);
                    series.remove(peer);
                    if (System.nanoTime() - start > LATE.toNanos()) {
                        lateFailures.merge(peer, 1, Integer::sum);
                    }
                }
            }
        }
        return new Outcome(series, failures);
    }
}
