package io.urma4j.tools.admin;

import io.urma4j.tools.Subcommands;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma perf}: the durations of steps in a running process. */
@Command(
        name = "perf",
        description = {
            "Measure the latency of the stages of data path and control plane in running processes of this " + "user.",
            "Measuring adds some hundred nanoseconds to each operation; a process that is not measured has "
                    + "no overhead."
        },
        subcommands = {PerfSwitchCommand.Start.class, PerfSwitchCommand.Stop.class, PerfShowCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma perf start 4711",
            "  urma perf show 4711 --watch 1",
            "  urma perf stop 4711",
            "  urma perf show 4711 --json"
        })
public final class PerfCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Without a subcommand: prints the list of subcommands. */
    @Override
    public Integer call() {
        return Subcommands.missing(spec);
    }
}
