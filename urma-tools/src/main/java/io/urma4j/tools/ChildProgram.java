package io.urma4j.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** A program that a command runs in its place, with this process's streams. */
final class ChildProgram {
    private static final Duration TIME_TO_END = Duration.ofSeconds(10);

    private final List<String> command;

    /** {@code urma} as the program means this one. */
    ChildProgram(List<String> command) {
        this.command = command;
    }

    /** Passes all arguments behind the program's name to the program. */
    static void leaveItsOptions(CommandLine urma, String subcommand) {
        CommandLine found = urma.getSubcommands().get(subcommand);
        if (found == null) {
            throw new AssertionError("urma has no subcommand '" + subcommand + "'");
        }
        found.setStopAtPositional(true);
    }

    /** Fails if there is no such program. Other reasons against it become known only by its start. */
    void requirePresent() {
        String name = command.getFirst();
        if (!name.equals("urma") && !isPresent(name)) {
            throw missing(null);
        }
    }

    private static boolean isPresent(String name) {
        try {
            if (name.contains("/")) {
                return Files.exists(Path.of(name)); // whether this user may run it becomes known by its start
            }
            String folders = System.getenv().getOrDefault("PATH", "/bin:/usr/bin");
            return Stream.of(folders.split(":", -1)).anyMatch(folder -> isProgram(Path.of(folder, name)));
        } catch (InvalidPathException e) { // as of a folder that this locale cannot name
            return true;
        }
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    private CommandFailure missing(@Nullable Throwable cause) {
        return new CommandFailure("no program '" + command.getFirst() + "'", cause);
    }

    /** Runs it with these variables, and returns its exit code. It ends before this process. */
    int run(Map<String, String> environment) throws InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(line()).inheritIO();
        builder.environment().putAll(environment);
        Process process = start(builder);
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy(); // as Ctrl-C does by itself
            Ending.of(process, TIME_TO_END);
            throw e;
        }
    }

    private Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            throw reason.matches("(?s).*\\berror[:=] ?2\\b.*") ? missing(e) : new CommandFailure(reason, e);
        }
    }

    private List<String> line() {
        if (!command.getFirst().equals("urma")) {
            return command;
        }
        List<String> line = new ArrayList<>(OwnLauncher.command());
        line.addAll(command.subList(1, command.size()));
        return line;
    }
}
