package io.urma4j.tools.admin;

import io.urma4j.tools.Subcommands;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma admin}: the resources and the activity of this user's processes. */
@Command(
        name = "admin",
        description = {
            "Inspect the running urma4j processes of this user: contexts, queues, segments, paths, counters, "
                    + "events, and blocked requests.",
            "Inspection has no cost on the data path of the inspected processes; tokens are never shown."
        },
        subcommands = {ShowCommand.class, StatsCommand.class, TopCommand.class, EventsCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma admin show --whole",
            "  urma admin show dev shm0 seg",
            "  urma admin stats --watch",
            "  urma admin top",
            "  urma admin events --follow"
        })
public final class AdminCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Without a subcommand: prints the list of subcommands. */
    @Override
    public Integer call() {
        return Subcommands.missing(spec);
    }
}
