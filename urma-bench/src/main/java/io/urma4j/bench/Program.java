package io.urma4j.bench;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What the programs of this module have in common: tables in UTF-8, and failures of one line. */
public final class Program {
    /** As for wrong options: 1 says that all was measured, and something is too slow. */
    private static final int FAILED = 2;

    private Program() {}

    /** Runs a picocli command, and ends the process with its exit code. */
    public static void run(Object command, String[] arguments) {
        System.setOut(new PrintStream(System.out, true, StandardCharsets.UTF_8));
        System.exit(of(command).execute(arguments));
    }

    /** The command, with failures in words. */
    static CommandLine of(Object command) {
        CommandLine line = new CommandLine(command);
        line.setExecutionExceptionHandler((e, _, _) -> {
            line.getErr().println(line.getCommandName() + ": " + (e.getMessage() == null ? e : e.getMessage()));
            line.getErr().flush();
            return FAILED;
        });
        line.setParameterExceptionHandler((e, _) -> wrongUse(line, e));
        return line;
    }

    private static int wrongUse(CommandLine line, ParameterException e) {
        String name = line.getCommandName();
        line.getErr().println(name + ": " + e.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(e, line.getErr())) {
            line.getErr().println(name + ": see 'urma-bench/" + name + " --help'");
        }
        line.getErr().flush();
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }
}
