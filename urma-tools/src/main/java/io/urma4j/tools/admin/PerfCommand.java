package io.urma4j.tools.admin;

import io.urma4j.tools.Subcommands;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma perf}: how long things take in a running process. */
@Command(
        name = "perf",
        description = {
            "Measure in running processes of this user how long the steps of the data path and of the control plane take.",
            "Who is not measured pays nothing for it; who is, some hundred nanoseconds an operation."
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

    /** Without a subcommand there is nothing to do: tells what there is. */
    @Override
    public Integer call() {
        return Subcommands.missing(spec);
    }
}
