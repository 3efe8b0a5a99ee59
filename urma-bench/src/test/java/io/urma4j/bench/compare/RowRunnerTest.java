package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowRunnerTest {
    private static final Duration LONG = Duration.ofHours(1);

    private final RoundRobin roundRobin = new RoundRobin(3, Duration.ofMillis(1));
    private final Report report = new Report(Map.of());
    private final FakePeer urma = new FakePeer(Names.URMA, 100);
    private final FakePeer raw = new FakePeer(Names.RAW_MEMORY, 50);
    private final FakePeer aeron = new FakePeer(Names.AERON, 200);
    private final FakePeer broken = new FakePeer("broken", 0);

    private static Row row(String name, Work work, Target... targets) {
        return new Row(name, Task.of(work, Reach.MEMORY, 64), Metric.MEAN, List.of(targets), true);
    }

    private static Row atOneRate() {
        return new Row(
                "rate",
                new Task(Work.AT_RATE, Reach.MEMORY, 64, Task.COMMON_RATE),
                Metric.P99,
                List.of(Target.ahead(Names.AERON)),
                true);
    }

    private List<String> played(boolean quick, Duration time, List<Row> rows, Peer... peers) throws Exception {
        List<String> played = new ArrayList<>();
        new RowRunner(roundRobin, rows, List.of(peers), quick).play(Deadline.in(time), report, (row, outcome) -> {
            played.add(row.name() + " "
                    + outcome.series().keySet().stream().map(Peer::name).toList());
            outcome.failures().forEach((peer, what) -> report.failed(row.name(), what));
        });
        return played;
    }

    @Test
    void oneThatFailsStopsNobodyElse() throws Exception {
        assertThat(played(false, LONG, List.of(row("send", Work.SEND_RATE)), urma, broken, aeron))
                .containsExactly("send [urma4j, Aeron]");
        assertThat(report.foot()).contains("FAILED send: broken has no wish to");
    }

    @Test
    void rowsOfOneTaskArePlayedOnce() throws Exception {
        played(false, LONG, List.of(row("send", Work.SEND_RATE), row("send-cpu", Work.SEND_RATE)), urma);

        assertThat(urma.measured).hasSize(4); // to warm up, and three rounds
    }

    @Test
    void aRowForWhichThereIsNoTimeIsNamed() throws Exception {
        assertThat(played(false, Duration.ZERO, List.of(row("send", Work.SEND_RATE)), urma, aeron))
                .isEmpty();
        assertThat(report.foot()).contains("NOT RUN, no time: send");
    }

    @Test
    void aQuickRunHasThoseOfWhomSomethingIsAskedAndRawC() throws Exception {
        List<Row> rows = List.of(
                row("send", Work.SEND_RATE, Target.ahead(Names.AERON)), row("read", Work.READ), row("fadd", Work.FADD));

        assertThat(played(true, LONG, rows, urma, raw, aeron, new FakePeer("other", 1)))
                .containsExactly(
                        "send [urma4j, raw memory (C), Aeron]",
                        "read [urma4j, raw memory (C)]",
                        "fadd [urma4j, raw memory (C)]");
        assertThat(RowRunner.has(new FakePeer("other", 1), rows, true)).isFalse();
    }

    @Test
    void theOneRateIsHalfOfWhatTheSlowestCanDo() throws Exception {
        played(false, LONG, List.of(atOneRate()), urma, aeron);

        // half a round trip of 200 ns: 2.5 million round trips a second
        assertThat(urma.measured.getLast()).isEqualTo(new Task(Work.AT_RATE, Reach.MEMORY, 64, 1_200_000));
    }
}
