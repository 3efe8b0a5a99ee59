package io.urma4j.bench.gpu;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** {@code urma tck} in a JVM of its own. Its results become lines of the report. */
final class SuiteProcess {
    /** Shown when the process ended without a count. */
    private static final int LAST_WORDS = 10;

    private final Report report;
    private final Deque<String> last = new ArrayDeque<>();
    private boolean isOfFailure;

    private SuiteProcess(Report report) {
        this.report = report;
    }

    /** Runs it to its end, and kills it after {@code patience}. */
    static void run(List<String> command, Duration patience, Report report) throws IOException, InterruptedException {
        SuiteProcess suite = new SuiteProcess(report);
        suite.end(WatchedProcess.run(command, patience, suite::take));
    }

    private void take(String line) {
        isOfFailure = line.startsWith("FAILED ") || (isOfFailure && line.startsWith(" "));
        if (isOfFailure || line.startsWith("skipped ")) {
            report.line(line);
        }
        last.addLast(line);
        if (last.size() > LAST_WORDS) {
            last.removeFirst();
        }
    }

    private void end(int status) {
        String count = last.isEmpty() ? "" : last.getLast();
        if (status == 0 && count.matches("\\d+ passed.*") && !count.startsWith("0 ")) {
            report.line(count);
            return;
        }
        last.forEach(report::line);
        report.failed("urma tck, exit code " + status);
    }
}
