package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma perf start} and {@code stop}. */
abstract class PerfSwitchCommand implements Callable<Integer> {
    @Mixin
    private ProcessChoice process;

    @Mixin
    private DeviceOption device;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    private final boolean on;

    private PerfSwitchCommand(boolean on) {
        this.on = on;
    }

    /** Begins. */
    @Command(
            name = "start",
            description = {
                "Start measuring. Earlier results are discarded.",
                "Measuring continues until 'urma perf stop', or until the measured process ends."
            },
            footerHeading = "%nExamples:%n",
            footer = {"  urma perf start", "  urma perf start 4711 -d shm0"})
    static final class Start extends PerfSwitchCommand {
        Start() {
            super(true);
        }
    }

    /** Ends. */
    @Command(
            name = "stop",
            description = "Stop measuring. 'urma perf show' still shows the results.",
            footerHeading = "%nExamples:%n",
            footer = {"  urma perf stop", "  urma perf stop 4711"})
    static final class Stop extends PerfSwitchCommand {
        Stop() {
            super(false);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Sight sight = Sight.open(device.name())) {
            List<Sight.Seen> seen = sight.measure(on, process.pid());
            process.requireAny(seen);
            List<ContextView> contexts =
                    seen.stream().flatMap(one -> one.contexts().stream()).toList();
            if (json.isAsked()) {
                Json.print(out, contexts.stream().map(PerfSwitchCommand::asMap).toList());
            } else {
                seen.forEach(one -> one.contexts().stream()
                        .filter(context -> context.failure().isEmpty())
                        .forEach(context -> out.println((on ? "measuring " : "no longer measuring ")
                                + context.process() + ", context " + context.uasid() + " of "
                                + one.device().name())));
            }
            out.flush();
            ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
            if (contexts.stream().noneMatch(context -> context.failure().isEmpty())) {
                throw new CommandFailure("no context could be reached");
            }
        }
        return 0;
    }

    private static Map<String, Object> asMap(ContextView context) {
        return ResourceTables.asMap(context, Set.of());
    }
}
