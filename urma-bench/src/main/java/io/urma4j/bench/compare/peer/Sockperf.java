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
import java.util.List;
import java.util.Map;

/** sockperf: ping-pong, and over UDP under load at a rate. It knows no turn shorter than a second. */
public final class Sockperf implements Peer {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int FIRST_PORT = 13_937;
    private static final int PORTS = 50;
    private static final int LEAST_BYTES = 14;
    private static final int MOST_BYTES = 1024;
    private static int nextPort;

    private final String name;
    private final Reach reach;
    private final List<String> options;

    private Sockperf(String name, Reach reach, String... options) {
        this.name = name;
        this.reach = reach;
        this.options = List.of(options);
    }

    /** Over UDP. */
    public static Sockperf udp() {
        return new Sockperf(Names.SOCKPERF, Reach.NETWORK, "--nonblocked");
    }

    /** Over TCP, beside sockets. */
    public static Sockperf tcp() {
        return new Sockperf(Names.SOCKPERF_TCP, Reach.SOCKETS, "--tcp", "--nonblocked");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        toolchain.need("sockperf", "sockperf");
        return toolchain.packageVersion("sockperf") + ", " + String.join(" ", options);
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == reach
                && task.bytes() >= LEAST_BYTES
                && task.bytes() <= MOST_BYTES
                && (task.work() == Work.SEND_LATENCY || (task.work() == Work.AT_RATE && reach == Reach.NETWORK));
    }

    @Override
    public long overheadMillis(Task task) {
        return 1_200;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        String port = String.valueOf(FIRST_PORT + nextPort++ % PORTS);
        List<String> common = new ArrayList<>(List.of("-i", "127.0.0.1", "-p", port));
        common.addAll(options);
        List<String> server = new ArrayList<>(List.of("sockperf", "server"));
        server.addAll(common);
        Process home = Processes.start(1, Map.of(), false, server);
        try {
            Thread.sleep(100); // it says nothing when it is ready
            boolean paced = task.work() == Work.AT_RATE;
            List<String> client = new ArrayList<>(List.of("sockperf", paced ? "under-load" : "ping-pong"));
            client.addAll(common);
            client.addAll(List.of("-m", String.valueOf(task.bytes()), "-t", "1"));
            if (paced) {
                client.addAll(List.of("--mps", String.valueOf(task.perSecond())));
            }
            return parse(Processes.run(0, Map.of(), PATIENCE, client), paced ? 2 : 1);
        } finally {
            Processes.end(home);
        }
    }

    /**
     * Its words: {@code avg-latency=3.210} and {@code ---> percentile 99.000 = 5.123}, in microseconds, of half a trip.
     *
     * @param times 2 for whole round trips
     */
    static Sample parse(String text, double times) throws IOException {
        Sample sample = new Sample();
        for (String line : text.lines().toList()) {
            put(sample, Metric.MEAN, line, "avg-latency=", times);
            put(sample, Metric.P50, line, "percentile 50.000 =", times);
            put(sample, Metric.P99, line, "percentile 99.000 =", times);
            put(sample, Metric.P999, line, "percentile 99.900 =", times);
        }
        if (Double.isNaN(sample.nanos(Metric.MEAN))) {
            throw new IOException("not the output of sockperf: " + text.strip());
        }
        return sample;
    }

    private static void put(Sample sample, Metric metric, String line, String key, double times) throws IOException {
        int at = line.indexOf(key);
        if (at < 0) {
            return;
        }
        String number = line.substring(at + key.length()).strip().split("[^0-9.]", 2)[0];
        try {
            sample.with(metric, Double.parseDouble(number) * 1_000 * times);
        } catch (IllegalArgumentException e) {
            throw new IOException("not the output of sockperf: " + line, e);
        }
    }
}
