package io.urma4j.bench.gpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code urma tck} in a JVM of its own, which a driver may take with it. Its results become lines of the report. */
final class SuiteProcess {
    /** Shown when the process ended without a count. */
    private static final int LAST_WORDS = 10;

    private SuiteProcess() {}

    /** Runs it to its end, and kills it after {@code patience}. */
    static void run(List<String> command, Duration patience, Report report) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        Thread watchdog = Thread.ofVirtual().start(() -> endAfter(process, patience));
        Deque<String> last = new ArrayDeque<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            boolean isOfFailure = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                isOfFailure = line.startsWith("FAILED ") || (isOfFailure && line.startsWith(" "));
                if (isOfFailure || line.startsWith("skipped ")) {
                    report.line(line);
                }
                last.addLast(line);
                if (last.size() > LAST_WORDS) {
                    last.removeFirst();
                }
            }
        }
        int status = process.waitFor();
        watchdog.interrupt();
        String count = last.isEmpty() ? "" : last.getLast();
        if (status == 0 && count.matches("\\d+ passed.*") && !count.startsWith("0 ")) {
            report.line(count);
            return;
        }
        last.forEach(report::line);
        report.failed("urma tck, exit code " + status);
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
