package io.urma4j.bench.compare;

import io.urma4j.bench.Pinned;
import io.urma4j.bench.PredictedPackets;
import io.urma4j.tools.CompilerThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Two JVMs that stay up and do one task after the other, since a JVM that has just started measures its compiler. We tell
 * them what to do by lines on their standard input:
 *
 * <pre>
 * leader  address TASK            →  at ADDRESS
 * home    serve TASK ADDRESS      →  at ADDRESS
 * leader  lead TASK MILLIS ADDRESS →  result operations=… spent=… mean=…
 * home    enough                  →  served spent=…
 * </pre>
 *
 * <p>Between tasks both wait for a line, and use no processor.
 */
public final class ProcessPair implements AutoCloseable {
    private static final int CPU_OF_LEADER = 0;
    private static final int CPU_OF_HOME = 1;

    private final End leader;
    private final End home;
    private boolean isServing; // the home
    private long operations;

    private ProcessPair(End leader, End home) {
        this.leader = leader;
        this.home = home;
    }

    /**
     * Starts both.
     *
     * @param participant class that knows what to do, with a constructor without parameters
     * @param leaderOptions for the JVM of the leader
     * @param homeOptions for that of the home
     */
    public static ProcessPair start(
            String classPath, String participant, List<String> leaderOptions, List<String> homeOptions)
            throws IOException {
        End home = new End(command(classPath, participant, homeOptions), CPU_OF_HOME);
        try {
            return new ProcessPair(new End(command(classPath, participant, leaderOptions), CPU_OF_LEADER), home);
        } catch (IOException e) {
            home.close();
            throw e;
        }
    }

    private static List<String> command(String classPath, String participant, List<String> options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:-UsePerfData", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.add("-Durma.folder=" + Processes.scratch());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, "io.urma4j.bench.compare.end.EndMain", participant));
        return command;
    }

    /** What the participant says of its version. */
    public String version() throws IOException {
        return leader.ask("version", "version");
    }

    /** Has both do it. */
    public Sample measure(Task task, Duration about) throws IOException {
        String leaderAddress = leader.ask("address " + task.encode(), "at");
        isServing = true;
        String homeAddress = home.ask("serve " + task.encode() + " " + leaderAddress, "at");
        String result = leader.ask("lead " + task.encode() + " " + about.toMillis() + " " + homeAddress, "result");
        String served = home.ask("enough", "served");
        isServing = false;
        Sample sample = Sample.parse(result).with(packets(result).plus(packets(served)));
        operations = (long) number(result, "operations=");
        double cpuNanos = number(result, "spent=") + number(served, "spent=");
        return operations > 0 && cpuNanos > 0 ? sample.with(Metric.CPU, cpuNanos / operations) : sample;
    }

    /** How many operations the last measurement had. */
    public long operations() {
        return operations;
    }

    /** Those of both. */
    public CompilerThreads compilers() {
        return CompilerThreads.of(leader.process.pid(), home.process.pid());
    }

    private static PredictedPackets packets(String line) {
        return new PredictedPackets((long) number(line, "received="), (long) number(line, "predicted="));
    }

    private static double number(String line, String key) {
        for (String word : line.split(" ", -1)) {
            if (word.startsWith(key)) {
                return Double.parseDouble(word.substring(key.length()));
            }
        }
        return 0;
    }

    @Override
    public void close() {
        if (isServing) {
            home.tell("enough"); // the leader has failed, so that no other message would end the home's wait
        }
        leader.close();
        home.close();
    }

    /** One of the two. */
    private static final class End implements AutoCloseable {
        private static final Duration PATIENCE = Duration.ofSeconds(20);

        private final Process process;
        private final PrintWriter to;
        private final BufferedReader from;

        End(List<String> command, int cpu) throws IOException {
            List<String> line = new ArrayList<>(command);
            line.add(String.valueOf(cpu)); // it ties its measuring thread itself; the others have both CPUs
            line.addAll(0, List.of("taskset", "-c", Pinned.cpu(CPU_OF_LEADER) + "," + Pinned.cpu(CPU_OF_HOME)));
            process = Processes.start(Processes.ANYWHERE, Map.of(), true, line);
            to = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
            from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** Sends a line, and returns what follows the expected word in the answer. */
        String ask(String line, String expected) throws IOException {
            to.println(line);
            Thread watchdog = Thread.ofPlatform().daemon().start(this::endWhenLate);
            try {
                return hear(line, expected);
            } finally {
                watchdog.interrupt();
            }
        }

        void tell(String line) {
            to.println(line);
        }

        private String hear(String asked, String expected) throws IOException {
            for (String answer = from.readLine(); answer != null; answer = from.readLine()) {
                if (answer.startsWith(expected + " ")) {
                    return answer.substring(expected.length() + 1);
                }
                if (answer.startsWith("failed ")) {
                    throw new IOException(answer.substring("failed ".length()));
                }
                System.err.println(answer); // a library's own words
            }
            throw new IOException("its process ended, or was ended after " + PATIENCE.toSeconds()
                    + " s, while it executed '" + asked.split(" ", 2)[0] + "'");
        }

        private void endWhenLate() {
            try {
                if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // it has answered
            }
        }

        @Override
        public void close() {
            to.close(); // the end of its input is its end
            try {
                if (process.waitFor(5, TimeUnit.SECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Processes.end(process);
        }
    }
}
