package io.urma4j.bench;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Processes;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Work;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The peer of the network figures: raw UDP in C between the same two CPUs, as much of it at a time as is asked for. */
final class RawUdp implements AutoCloseable {
    private final Process process;
    private final PrintWriter to;
    private final BufferedReader from;

    private RawUdp(Process process) {
        this.process = process;
        this.to = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        this.from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts both of its ends, which sleep until something is asked of them.
     *
     * @param program {@code raw_network}, compiled
     */
    static RawUdp start(Path program, Work work, int bytes) throws IOException {
        return new RawUdp(Processes.start(
                Processes.ANYWHERE,
                Map.of(),
                true,
                List.of(
                        program.toString(),
                        work.name(),
                        String.valueOf(bytes),
                        "lines",
                        String.valueOf(Pinned.cpu(0)),
                        String.valueOf(Pinned.cpu(1)))));
    }

    /** Runs that number of operations; returns the nanoseconds of one, by the program's own clock. */
    double nanos(long operations) {
        return Sample.parse(ask(operations)).nanos(Metric.MEAN);
    }

    /** Lets the other end sleep, which looks all the time since it was first asked. */
    void rest() {
        ask(0);
    }

    private String ask(long operations) {
        to.println(operations);
        try {
            String line = from.readLine();
            if (line == null) {
                throw new IllegalStateException("raw_network has ended: its last words are above");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        Processes.end(process);
    }
}
