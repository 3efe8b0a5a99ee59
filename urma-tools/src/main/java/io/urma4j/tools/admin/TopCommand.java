package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code urma admin top}: the rates of the paths, and their losses. */
@Command(
        name = "top",
        description = {
            "Show the busiest transport paths of all contexts with their rates per second, like 'top' for processes.",
            "On a network: packets, retransmissions, also as a share of the packets sent, round trip, window, packets in "
                    + "flight, timeouts, spurious retransmissions, and the peer's NAKs and congestion notifications. On "
                    + "shared memory: messages, slots of the rings, full rings, wake-ups, slots in flight.",
            "Each end of a path has its own row, about the packets that it sends. A narrow terminal shows only the first "
                    + "columns.",
            "'urma admin show dev DEVICE tp' shows all counters; docs/debugging.md explains them."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma admin top",
            "  urma admin top --device udma0 --interval 5",
            "  urma admin top --count 10 --json | jq .per_second.retransmitted"
        },
        exitCodeList = {"0:success, or Ctrl-C", "1:failure, explained on stderr", "2:usage error"})
final class TopCommand implements Callable<Integer> {
    private static final double SHORTEST_SECONDS = 0.05;
    private static final double LONGEST_SECONDS = 86_400;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Time between two samples; by default ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description =
                    "End after COUNT tables. Without it, go on until Ctrl-C on a terminal, and print one table to a "
                            + "file or a pipe. 0: go on in any case.")
    private @Nullable Integer count;

    @Option(
            names = {"-m", "--most"},
            paramLabel = "PATHS",
            defaultValue = "20",
            description = "Most paths to show; by default ${DEFAULT-VALUE}.")
    private int most;

    @Mixin
    private DeviceOption device;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        long tables = count == null ? (Terminal.showsStdout() ? 0 : 1) : count;
        try (Sight sight = Sight.open(device.name())) {
            run(sight, tables == 0 ? Long.MAX_VALUE : tables);
        } catch (InterruptedException e) {
            spec.commandLine().getOut().flush(); // Ctrl-C is the way to end it
        }
        return 0;
    }

    private void checkOptions() {
        if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
            throw new ParameterException(
                    spec.commandLine(), "--interval is " + seconds + ", not within 0.05 and 86400 seconds");
        }
        if (count != null && count < 0) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ", below 0");
        }
        if (most < 1) {
            throw new ParameterException(spec.commandLine(), "--most is " + most + ", below 1");
        }
    }

    private void run(Sight sight, long tables) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        EmptyNotice notice = new EmptyNotice(spec.commandLine().getErr(), tables > 1);
        boolean clears = Terminal.showsStdout() && !json.isAsked();
        List<PathSample> before = look(sight, notice);
        for (long i = 0; i < tables; i++) {
            Thread.sleep(Duration.ofNanos((long) (seconds * 1e9)));
            List<PathSample> after = look(sight, notice);
            if (clears) {
                out.print(WatchOption.CLEAR);
            } else if (i > 0 && !json.isAsked()) {
                out.println();
            }
            print(out, PathRate.between(before, after));
            before = after;
        }
    }

    private List<PathSample> look(Sight sight, EmptyNotice notice) throws InterruptedException {
        List<PathSample> samples = new ArrayList<>();
        List<ContextView> contexts = new ArrayList<>();
        List<Sight.Seen> all = sight.look(Set.of(Kind.TP));
        long now = System.nanoTime();
        for (Sight.Seen seen : all) {
            samples.addAll(PathSample.of(seen.device().name(), seen.contexts(), now));
            contexts.addAll(seen.contexts());
        }
        notice.check(all);
        if (samples.isEmpty()) {
            notice.say("no context has a path to a peer");
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
        return samples;
    }

    private void print(PrintWriter out, List<PathRate> rates) {
        if (json.isAsked()) {
            rates.stream().limit(most).forEach(rate -> Json.printLine(out, dated(rate)));
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%s  %d paths, per second of the last %.1f s",
                    LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS),
                    rates.size(),
                    rates.isEmpty() ? seconds : rates.getFirst().seconds()));
            TopTables.print(out, rates, most);
        }
        out.flush();
    }

    private static Map<String, Object> dated(PathRate rate) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS));
        map.putAll(rate.asMap());
        return map;
    }
}
