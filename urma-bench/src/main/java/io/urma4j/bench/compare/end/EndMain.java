package io.urma4j.bench.compare.end;

import com.sun.management.OperatingSystemMXBean;
import io.urma4j.bench.ParentWatch;
import io.urma4j.bench.Pinned;
import io.urma4j.bench.PredictedPackets;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.end.Participant.Serving;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One of the two processes: executes the lines of {@link io.urma4j.bench.compare.ProcessPair}, and ends with its input.
 */
public final class EndMain {
    private static final int TASK_WORDS = 4;

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Participant participant;

    private EndMain(Participant participant) {
        this.participant = participant;
    }

    /** With the participant's class and the number of the CPU, counted from 0. */
    public static void main(String[] arguments) throws Exception {
        // the CPU of the event loops, which are what is measured; helper threads, such as an engine, run on any other
        System.setProperty("urma.cpu", arguments[1]);
        ParentWatch.endWithParent();
        try (Participant participant = Class.forName(arguments[0])
                .asSubclass(Participant.class)
                .getDeclaredConstructor()
                .newInstance()) {
            new EndMain(participant).obey();
        }
        System.exit(0); // whatever a library has left running
    }

    private void obey() throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                obey(List.of(line.split(" ", -1)));
            } catch (Exception | LinkageError e) {
                Pinned.free();
                e.printStackTrace();
                out.println("failed " + String.valueOf(e).replace('\n', ' '));
            }
        }
    }

    private void obey(List<String> words) throws Exception {
        List<String> rest = words.subList(1, words.size());
        switch (words.getFirst()) {
            case "version" -> out.println("version " + participant.version());
            case "address" -> out.println("at " + participant.address(Task.decode(rest)));
            case "serve" -> serve(Task.decode(rest), rest.get(TASK_WORDS));
            case "lead" -> lead(Task.decode(rest), Long.parseLong(rest.get(TASK_WORDS)), rest.get(TASK_WORDS + 1));
            default -> throw new IllegalArgumentException("unknown command: " + words.getFirst());
        }
    }

    private void serve(Task task, String leaderAddress) throws Exception {
        Serving serving = participant.serve(task, leaderAddress);
        Pinned.pin(Integer.getInteger("urma.cpu"));
        out.println("at " + serving.address());
        Spent spent = new Spent();
        serving.run(this::isToldMore);
        String used = spent.words();
        in.readLine(); // "enough"
        Pinned.free();
        out.println("served " + used);
    }

    private void lead(Task task, long millis, String homeAddress) throws Exception {
        Pinned.pin(Integer.getInteger("urma.cpu"));
        Spent spent = new Spent();
        Tally tally = participant.lead(task, millis * 1_000_000, homeAddress);
        String used = spent.words();
        Pinned.free();
        out.println("result operations=" + tally.operations() + " " + used + " " + tally.sample());
    }

    /** What this process uses and receives from now on. */
    private final class Spent {
        private final PredictedPackets packets = participant.packets();
        private final long cpuNanos = process.getProcessCpuTime();

        String words() {
            long spent = process.getProcessCpuTime() - cpuNanos;
            PredictedPackets since = participant.packets().minus(packets);
            return "spent=" + spent + " received=" + since.received() + " predicted=" + since.predicted();
        }
    }

    private boolean isToldMore() {
        try {
            return in.ready();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
