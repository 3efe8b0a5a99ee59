package io.urma4j.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code urma}. */
@Command(name = "urma", mixinStandardHelpOptions = true, version = "urma4j 0.1.0-SNAPSHOT")
public final class Main {
    private Main() {}

    /** Runs the command; the exit code is 0, 1 for a failure, 2 for a wrong use. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
