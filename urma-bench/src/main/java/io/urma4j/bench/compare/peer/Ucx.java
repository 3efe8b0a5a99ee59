package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Processes;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** UCX, by its own {@code ucx_perftest}: as many operations in flight as we have, and the <em>overall</em> column. */
public final class Ucx implements Peer {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int FIRST_PORT = 13_637;
    private static final int PORTS = 200;
    private static final int SMALL_WINDOW = 256;
    private static final int WINDOW = 16;
    private static final int SMALL_BYTES = 4096;
    private static final int LEAST_OPERATIONS = 20;
    private static final int MOST_OPERATIONS = 50_000_000;

    private static final int MOST_ATTEMPTS = 60;
    private static final int START_MILLIS = 150;

    private static int nextPort; // one after the other: the last server may still hold its own

    private final String name;
    private final Reach reach;
    private final Map<String, String> environment;
    private final boolean sleeps;
    private final Map<Task, Double> nanosBefore = new HashMap<>();

    private Ucx(String name, Reach reach, Map<String, String> environment, boolean sleeps) {
        this.name = name;
        this.reach = reach;
        this.environment = environment;
        this.sleeps = sleeps;
    }

    /** Over shared memory. */
    public static Ucx memory() {
        return new Ucx(Names.UCX, Reach.MEMORY, Map.of("UCX_TLS", "posix,cma"), false);
    }

    /** Over shared memory, its progress sleeping in epoll. */
    public static Ucx sleeping() {
        return new Ucx(Names.UCX_SLEEP, Reach.MEMORY, Map.of("UCX_TLS", "posix,cma"), true);
    }

    /** Over TCP on the loopback interface. */
    public static Ucx tcp() {
        return new Ucx(Names.UCX_TCP, Reach.NETWORK, Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo"), false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        toolchain.need("ucx_perftest", "ucx-utils");
        return toolchain.packageVersion("ucx-utils") + ", ucx_perftest, " + environment.get("UCX_TLS")
                + (sleeps ? ", -E sleep" : "") + "; Debian's is of 2022";
    }

    @Override
    public boolean can(Task task) {
        return (task.reach() == reach || (reach == Reach.MEMORY && task.isStreamOfSockets()))
                && (task.work() == Work.WAKE) == sleeps
                && !test(task.work()).isEmpty();
    }

    private static String test(Work work) {
        return switch (work) {
            case WRITE_SEEN -> "ucp_put_lat";
            case WRITE_RATE -> "ucp_put_bw";
            case READ, READ_RATE -> "ucp_get";
            case FADD -> "ucp_fadd";
            case CAS -> "ucp_cswap";
            case SEND_LATENCY, WAKE -> "ucp_am_lat";
            case SEND_RATE -> "ucp_am_bw";
            case AT_RATE, CONNECT -> ""; // it has no mode for that
        };
    }

    private static boolean hasPercentiles(Work work) {
        return work == Work.SEND_LATENCY || work == Work.WAKE;
    }

    private static boolean hasWindow(Work work) {
        return work == Work.WRITE_RATE || work == Work.READ_RATE || work == Work.SEND_RATE;
    }

    @Override
    public long overheadMillis(Task task) {
        return hasPercentiles(task.work()) ? 2 * START_MILLIS : START_MILLIS;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        double expected = nanosBefore.getOrDefault(task, 2_000.0 + task.bytes());
        long operations = Math.clamp((long) (about.toNanos() / expected), LEAST_OPERATIONS, MOST_OPERATIONS);
        // one run reports one percentile
        Sample sample = once(task, operations, 50);
        nanosBefore.put(task, sample.nanos(Metric.MEAN));
        if (hasPercentiles(task.work())) {
            sample.with(Metric.P99, once(task, operations, 99).nanos(Metric.P50));
        }
        return sample;
    }

    private Sample once(Task task, long operations, int percentile) throws IOException, InterruptedException {
        int port = FIRST_PORT + nextPort++ % PORTS;
        List<String> command = new ArrayList<>(List.of("ucx_perftest", "-p", String.valueOf(port)));
        if (sleeps) {
            command.addAll(List.of("-E", "sleep"));
        }
        Process server = Processes.start(1, environment, false, command);
        try {
            List<String> options = new ArrayList<>(command);
            options.addAll(List.of("-t", test(task.work()), "-s", String.valueOf(task.bytes())));
            options.addAll(
                    List.of("-n", String.valueOf(operations), "-w", String.valueOf(Math.max(10, operations / 20))));
            options.addAll(List.of("-O", String.valueOf(window(task)), "-R", String.valueOf(percentile), "-f"));
            return UcxOutput.parse(client(server, options));
        } finally {
            Processes.end(server);
        }
    }

    private static int window(Task task) {
        return !hasWindow(task.work()) ? 1 : task.bytes() <= SMALL_BYTES ? SMALL_WINDOW : WINDOW;
    }

    /** It may come before the server listens. */
    private String client(Process server, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(options);
        command.add("127.0.0.1");
        for (int attempt = 0; ; attempt++) {
            Thread.sleep(attempt == 0 ? 20 : 50);
            Process client = Processes.start(0, environment, false, command);
            try {
                return Processes.output(client, PATIENCE, command);
            } catch (IOException e) {
                if (attempt == MOST_ATTEMPTS || !server.isAlive()) {
                    throw e;
                }
            }
        }
    }
}
