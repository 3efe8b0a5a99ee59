package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma perf show}: what was measured since the last start. */
@Command(
        name = "show",
        description = {
            "Show the latencies measured since the last 'urma perf start', in microseconds; percentiles are "
                    + "accurate to 3 percent.",
            "post: the posting call, which on shared memory includes the work itself. execute: from the "
                    + "start of the post until its record was polled, sampled for one signalled work request at a time "
                    + "per queue. complete: a poll that returned records. All others: control steps, from the call to "
                    + "the result."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma perf show", "  urma perf show 4711 --watch 1", "  urma perf show --json"},
        exitCodeList = {"0:success, or a watch was ended by Ctrl-C", "1:failure, explained on stderr", "2:usage error"})
final class PerfShowCommand implements Callable<Integer> {
    private static final Set<Kind> KINDS = Set.of(Kind.PERF);
    private static final List<String> FIGURES =
            List.of("count", "t_min", "t_median", "t_avg", "90%", "99%", "99.9%", "t_max");

    @Mixin
    private ProcessChoice process;

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
                List<Sight.Seen> seen = process.of(sight.look(KINDS));
                process.requireNamed(seen);
                notice.check(seen);
                print(out, seen);
            });
        }
        return 0;
    }

    private void print(PrintWriter out, List<Sight.Seen> seen) {
        List<ContextView> contexts =
                seen.stream().flatMap(one -> one.contexts().stream()).toList();
        if (json.isAsked()) {
            Json.print(
                    out,
                    contexts.stream()
                            .map(context -> ResourceTables.asMap(context, KINDS))
                            .toList());
            return;
        }
        boolean any = false;
        for (Sight.Seen one : seen) {
            for (ContextView context : one.contexts()) {
                if (!context.resources(Kind.PERF).isEmpty()) {
                    any = true;
                    out.println(context.process() + ", context " + context.uasid() + " of "
                            + one.device().name());
                    table(context.resources(Kind.PERF)).print(out);
                    out.println();
                }
            }
        }
        if (!any && !contexts.isEmpty()) {
            out.println("no measurements; 'urma perf start' starts measuring");
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
        out.flush();
    }

    private static Table table(List<Resource> stages) {
        Table table = new Table().words("stage");
        FIGURES.forEach(table::figures);
        for (Resource stage : stages) {
            Object[] cells = new Object[FIGURES.size() + 1];
            cells[0] = stage.field("stage");
            for (int i = 0; i < FIGURES.size(); i++) {
                cells[i + 1] = stage.field(FIGURES.get(i));
            }
            table.row(cells);
        }
        return table;
    }
}
