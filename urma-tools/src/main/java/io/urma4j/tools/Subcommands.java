package io.urma4j.tools;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;

/** Commands that only have subcommands. */
public final class Subcommands {
    private Subcommands() {}

    /** Prints that a subcommand is missing, and the list of them; returns the exit code. */
    public static int missing(CommandSpec spec) {
        CommandLine command = spec.commandLine();
        PrintWriter err = command.getErr();
        boolean isRoot = spec.parent() == null;
        err.println("urma: " + (isRoot ? "a command is missing; these are there" : needed(spec)));
        err.println();
        command.usage(err);
        err.flush();
        return ExitCode.USAGE;
    }

    private static String needed(CommandSpec spec) {
        List<String> names = List.copyOf(spec.subcommands().keySet());
        return spec.name() + " needs a command: " + Words.joined(names, "or");
    }
}
