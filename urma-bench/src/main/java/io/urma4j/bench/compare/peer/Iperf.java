package io.urma4j.bench.compare.peer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
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
import java.util.List;
import java.util.Map;

/** iperf3: one TCP stream, written in pieces of the size. It knows no turn shorter than a second. */
public final class Iperf implements Peer {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int FIRST_PORT = 13_987;
    private static final int PORTS = 50;
    private static final int LEAST_BYTES = 4096;
    private static final int MOST_BYTES = 1 << 20;
    private static int nextPort;

    @Override
    public String name() {
        return Names.IPERF;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        toolchain.need("iperf3", "iperf3");
        return toolchain.packageVersion("iperf3") + ", one TCP stream";
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && task.work() == Work.SEND_RATE
                && task.bytes() >= LEAST_BYTES
                && task.bytes() <= MOST_BYTES;
    }

    @Override
    public long overheadMillis(Task task) {
        return 1_200;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        String port = String.valueOf(FIRST_PORT + nextPort++ % PORTS);
        Process home = Processes.start(1, Map.of(), false, List.of("iperf3", "-s", "-1", "-p", port));
        try {
            Thread.sleep(150); // until it listens
            String text = Processes.run(
                    0,
                    Map.of(),
                    PATIENCE,
                    List.of("iperf3", "-c", "127.0.0.1", "-p", port, "-t", "1", "-J", "-l", "" + task.bytes()));
            return Sample.mean(8e9 * task.bytes() / receivedBitsPerSecond(text));
        } finally {
            Processes.end(home);
        }
    }

    /** What arrived, of the whole run. */
    static double receivedBitsPerSecond(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            boolean isSum = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME && "sum_received".equals(parser.currentName())) {
                    isSum = true;
                } else if (isSum && token == JsonToken.FIELD_NAME && "bits_per_second".equals(parser.currentName())) {
                    parser.nextToken();
                    return parser.getDoubleValue();
                }
            }
        }
        throw new IOException("not the output of iperf3: " + json.strip());
    }
}
