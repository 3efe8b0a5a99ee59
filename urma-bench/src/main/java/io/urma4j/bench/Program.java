package io.urma4j.bench;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** What the programs of this module have in common: tables in UTF-8, and failures of one line. */
public final class Program {
    private static final int FAILED = 2; // as for wrong options

    private Program() {}

    /** Runs a picocli command, and ends the process with its exit code. */
    public static void run(Object command, String[] arguments) {
        System.setOut(new PrintStream(System.out, true, StandardCharsets.UTF_8));
        CommandLine line = new CommandLine(command);
        line.setExecutionExceptionHandler((e, _, _) -> {
            System.err.println(line.getCommandName() + ": " + (e.getMessage() == null ? e : e.getMessage()));
            return FAILED;
        });
        System.exit(line.execute(arguments));
    }
}
