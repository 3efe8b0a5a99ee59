package io.urma4j.bench.gpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A program in a process of its own, which a driver may take with it, or hang. */
final class WatchedProcess {
    private WatchedProcess() {}

    /**
     * Runs it to its end, and kills it with its children after {@code patience}.
     *
     * @param line takes each line of its output
     * @return its exit code
     */
    static int run(List<String> command, Duration patience, Consumer<String> line)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        Thread watchdog = Thread.ofVirtual().start(() -> endAfter(process, patience));
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String next = lines.readLine(); next != null; next = lines.readLine()) {
                line.accept(next);
            }
        }
        int status = process.waitFor();
        watchdog.interrupt();
        return status;
    }

    private static void endAfter(Process process, Duration patience) {
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                List<ProcessHandle> children = process.descendants().toList(); // they hold its output open
                process.destroyForcibly(); // first: it might count after the end of a child
                children.forEach(ProcessHandle::destroyForcibly);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it has ended
        }
    }
}
