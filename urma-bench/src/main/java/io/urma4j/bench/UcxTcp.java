package io.urma4j.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** UCX over TCP on the loopback interface: what somebody would take in our place. */
final class UcxTcp {
    private static final int PORT = 13_637;
    private static final int SECONDS = 60;

    private UcxTcp() {}

    static boolean isThere() {
        try {
            return run(List.of("ucx_perftest", "-h")).contains("ucp_put_bw");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Runs {@code ucx_perftest} on both CPUs, with 16 operations outstanding.
     *
     * @param test ucp_put_bw or ucp_get
     * @return nanoseconds per operation, of its <em>overall</em> column
     */
    static Timed timed(String test, int bytes, int operations) {
        return () -> {
            List<String> options = List.of(
                    "ucx_perftest",
                    "-t",
                    test,
                    "-s",
                    String.valueOf(bytes),
                    "-n",
                    String.valueOf(operations),
                    "-O",
                    "16",
                    "-w",
                    "100",
                    "-f",
                    "-p",
                    String.valueOf(PORT));
            try {
                Process server = start(List.of("ucx_perftest", "-p", String.valueOf(PORT)), 1);
                try {
                    return overallNanos(client(options));
                } finally {
                    server.waitFor(5, TimeUnit.SECONDS);
                    server.destroyForcibly();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        };
    }

    /** It may come before the server listens. */
    private static String client(List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(options);
        command.add("127.0.0.1");
        for (int attempt = 0; ; attempt++) {
            Process client = start(command, 0);
            String text = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (client.waitFor(SECONDS, TimeUnit.SECONDS) && client.exitValue() == 0) {
                return text;
            }
            if (attempt == 20) {
                throw new IOException("ucx_perftest ended with " + client.exitValue() + ": " + text);
            }
            Thread.sleep(100);
        }
    }

    /** The last line: iterations, percentile, average and overall latency in microseconds, and so on. */
    private static double overallNanos(String text) throws IOException {
        String[] lines = text.strip().split("\n", -1);
        String[] columns = lines[lines.length - 1].strip().split("\\s+", -1);
        try {
            return Double.parseDouble(columns[columns.length - 5]) * 1_000;
        } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException("not the output of ucx_perftest: " + text, e);
        }
    }

    private static Process start(List<String> command, int cpu) throws IOException {
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", String.valueOf(Pinned.cpu(cpu))));
        pinned.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(pinned);
        builder.environment().put("UCX_TLS", "tcp");
        builder.environment().put("UCX_NET_DEVICES", "lo");
        return builder.redirectErrorStream(true).start();
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
