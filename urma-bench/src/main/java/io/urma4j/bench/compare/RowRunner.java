package io.urma4j.bench.compare;

import io.urma4j.bench.compare.RoundRobin.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** All rows in their order. A task is played once, however many rows show it. */
final class RowRunner {
    private final RoundRobin roundRobin;
    private final List<Row> rows;
    private final List<Peer> peers;
    private final boolean isQuick;
    private final Map<Task, Outcome> outcomes = new HashMap<>();
    private final Map<Reach, Integer> rates = new EnumMap<>(Reach.class);

    /**
     * A runner.
     *
     * @param isQuick whether a row runs only the peers with a target in it, and raw C
     */
    RowRunner(RoundRobin roundRobin, List<Row> rows, List<Peer> peers, boolean isQuick) {
        this.roundRobin = roundRobin;
        this.rows = rows;
        this.peers = peers;
        this.isQuick = isQuick;
    }

    /** About how long all rows take. */
    Duration expected() {
        Set<Task> tasks = new HashSet<>();
        Duration all = Duration.ZERO;
        for (Row row : rows) {
            if (tasks.add(row.task())) {
                all = all.plus(expected(row));
            }
            if (row.task().isAtCommonRate() && tasks.add(trips(row.task()))) {
                all = all.plus(roundRobin.expected(trips(row.task()), participants(row)));
            }
        }
        return all;
    }

    private Duration expected(Row row) {
        return roundRobin.expected(row.task(), participants(row));
    }

    /** Whether the peer has something to do. */
    static boolean has(Peer peer, List<Row> rows, boolean isQuick) {
        return rows.stream().anyMatch(row -> peer.can(row.task()) && (!isQuick || isWanted(peer, row, rows)));
    }

    private static boolean isWanted(Peer peer, Row row, List<Row> rows) {
        return peer.name().equals(Names.URMA)
                || Names.LIMITS.contains(peer.name())
                || rows.stream()
                        .filter(other -> other.task().equals(row.task()))
                        .anyMatch(other -> other.target(peer.name()).isPresent());
    }

    private List<Peer> participants(Row row) {
        return peers.stream()
                .filter(peer -> peer.can(row.task()) && (!isQuick || isWanted(peer, row, rows)))
                .toList();
    }

    /** What is done with the results of a row. */
    @FunctionalInterface
    interface Listener {
        void played(Row row, Outcome outcome) throws IOException;
    }

    /** Saves the results so far, so that a run that ends early keeps them. */
    @FunctionalInterface
    interface Saving {
        void save() throws IOException;
    }

    /** Runs the rows, and reports those for which no time is left. */
    void play(Deadline deadline, Report report, Listener listener) throws IOException, InterruptedException {
        for (Row row : rows) {
            if (!outcomes.containsKey(row.task()) && deadline.isTooNearFor(expected(row))) {
                report.hadNoTime(row.name());
                continue;
            }
            Row played = row.task().isAtCommonRate() ? row.with(row.task().at(commonRate(row))) : row;
            Outcome outcome = outcomes.get(played.task());
            if (outcome == null) {
                outcome = roundRobin.play(played.task(), participants(row));
                outcomes.put(played.task(), outcome);
            }
            listener.played(played, outcome);
        }
    }

    private static Task trips(Task task) {
        return Task.of(Work.SEND_LATENCY, task.reach(), task.bytes());
    }

    private int commonRate(Row row) throws InterruptedException {
        Integer known = rates.get(row.task().reach());
        if (known != null) {
            return known;
        }
        int rate = halfOfTheSlowest(row);
        rates.put(row.task().reach(), rate);
        return rate;
    }

    /**
     * Half the rate of the slowest participant, one round trip after the other, rounded to two digits. It uses the
     * median, since the peak rate counts, and a mean includes disturbances of the machine.
     */
    private int halfOfTheSlowest(Row row) throws InterruptedException {
        Task trips = trips(row.task());
        List<Peer> participants =
                participants(row).stream().filter(peer -> peer.can(trips)).toList();
        Outcome outcome = outcomes.get(trips);
        if (outcome == null || !outcome.series().keySet().containsAll(participants)) {
            outcome = roundRobin.play(trips, participants);
        }
        Outcome found = outcome;
        double slowest = participants.stream()
                .flatMap(peer -> Stream.ofNullable(found.series().get(peer)))
                .mapToDouble(Series::typical)
                .max()
                .orElse(1e6);
        double rate = 1e9 / (2 * slowest) / 2;
        double unit = Math.pow(10, Math.floor(Math.log10(rate)) - 1);
        return (int) Math.max(1, Math.floor(rate / unit) * unit);
    }
}
