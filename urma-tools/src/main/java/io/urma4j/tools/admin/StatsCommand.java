package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma admin stats}: counters. */
@Command(
        name = "stats",
        description = {
            "Show the counters of contexts and their queues.",
            "tx_pkt and rx_pkt count work requests and messages, tx_pkt_err failed ones, rx_pkt_err messages "
                    + "without a receive work request. Sums include only open queues."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma admin stats", "  urma admin stats --watch 1", "  urma admin stats --json"},
        exitCodeList = {"0:success, or a watch was ended by Ctrl-C", "1:failure, explained on stderr", "2:usage error"})
final class StatsCommand implements Callable<Integer> {
    private static final Set<String> SUMS =
            Set.of("tx_pkt", "rx_pkt", "tx_bytes", "rx_bytes", "tx_pkt_err", "rx_pkt_err", "events_dropped");

    private static final Set<Kind> KINDS = EnumSet.of(Kind.CONTEXT, Kind.JFC, Kind.JFS, Kind.JFR, Kind.JETTY);

    @Mixin
    private DeviceOption device;

    @Mixin
    private WatchOption watch;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Sight sight = Sight.open(device.name())) {
            EmptyNotice notice = new EmptyNotice(spec.commandLine().getErr(), watch.isAsked());
            watch.run(out, () -> {
                List<Sight.Seen> seen = sight.look(KINDS);
                notice.check(seen);
                print(out, seen);
            });
        }
        return 0;
    }

    private void print(PrintWriter out, List<Sight.Seen> seen) {
        if (json.isAsked()) {
            Json.print(out, seen.stream().map(StatsCommand::asMap).toList());
        } else {
            seen.forEach(one -> printTables(out, one));
        }
        out.flush();
    }

    private static Map<String, Object> asMap(Sight.Seen seen) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", seen.device().name());
        map.put(
                "contexts",
                seen.contexts().stream()
                        .map(context -> ResourceTables.asMap(countersOf(context), KINDS))
                        .toList());
        return map;
    }

    private void printTables(PrintWriter out, Sight.Seen seen) {
        List<ContextView> contexts =
                seen.contexts().stream().map(StatsCommand::countersOf).toList();
        for (Kind kind : KINDS) {
            if (contexts.stream().anyMatch(context -> !context.resources(kind).isEmpty())) {
                out.println(seen.device().name() + " " + kind);
                ResourceTables.print(out, contexts, kind);
                out.println();
            }
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
    }

    /** Only counters: for a queue, its number and its counters. */
    private static ContextView countersOf(ContextView context) {
        List<Resource> counters =
                context.resources().stream().map(StatsCommand::countersOf).toList();
        return new ContextView(context.uasid(), context.incarnation(), context.process(), counters, context.failure());
    }

    private static Resource countersOf(Resource resource) {
        Resource.Builder counters = Resource.builder(resource.kind(), resource.id());
        resource.fields().forEach((name, value) -> {
            boolean ofContext = resource.kind() == Kind.CONTEXT;
            boolean wanted = ofContext ? SUMS.contains(name) : !isDescription(name) || name.equals(ownId(resource));
            if (wanted) {
                counters.add(name, value);
            }
        });
        return counters.build();
    }

    private static String ownId(Resource resource) {
        return resource.fields().firstEntry().getKey();
    }

    /** Whether a field describes the queue: URMA's names have underscores, and our counters have none. */
    private static boolean isDescription(String name) {
        return name.contains("_") || name.equals("state") || name.equals("depth");
    }
}
