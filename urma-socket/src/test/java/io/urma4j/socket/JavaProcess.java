package io.urma4j.socket;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs of the tests in processes of their own. */
final class JavaProcess {
    private JavaProcess() {}

    /** The command that runs a program with this class path, and what the tests run with. */
    static List<String> command(String classPath, Class<?> program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xshare:auto",
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Its errors are those of the test. */
    static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Sends a signal by its name; a process that stops itself by it returns once it goes on. */
    static void signal(long pid, String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("kill -" + name + " " + pid + " ended with " + exit);
        }
    }
}
