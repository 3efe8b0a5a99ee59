package io.urma4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The peer of the network figures: raw UDP in C, compiled when it is first wanted. */
public final class RawUdp implements AutoCloseable {
    private static final String SOURCE = "/raw_udp.c";
    private static final int COMPILE_SECONDS = 60;

    private final Path place;
    private final Path program;

    private RawUdp(Path place, Path program) {
        this.place = place;
        this.program = program;
    }

    /**
     * Compiles it.
     *
     * @throws IOException when there is no C compiler, or it failed: its last words are on standard error
     */
    public static RawUdp compile() throws IOException, InterruptedException {
        Path place = Files.createTempDirectory("urma-bench");
        Path program = place.resolve("raw_udp");
        Path source = place.resolve("raw_udp.c");
        try (InputStream text = RawUdp.class.getResourceAsStream(SOURCE)) {
            if (text == null) {
                throw new IOException("the program lacks its resource " + SOURCE);
            }
            Files.copy(text, source);
        }
        Process compiler = new ProcessBuilder("cc", "-O2", "-o", program.toString(), source.toString())
                .inheritIO()
                .start();
        if (!compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            compiler.destroyForcibly();
            throw new IOException("cc could not compile " + source);
        }
        return new RawUdp(place, program);
    }

    /** One end: its lines in, its lines out. */
    public static final class End implements AutoCloseable {
        private final Process process;
        private final PrintWriter to;
        private final BufferedReader from;

        private End(Process process) {
            this.process = process;
            this.to = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
            this.from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** Tells it a line. */
        public void say(String line) {
            to.println(line);
        }

        /** Its next line; waits for it. */
        public String hear() {
            try {
                String line = from.readLine();
                if (line == null) {
                    throw new IllegalStateException("raw_udp has ended: its last words are above");
                }
                return line;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Tells it a line, and waits for the answer. */
        public String ask(String line) {
            say(line);
            return hear();
        }

        @Override
        public void close() {
            process.destroy();
        }
    }

    /** Starts an end: "pong", "ping", "sink" or "flood" on the n-th CPU. */
    public End start(String role, int cpu, String... more) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(program.toString(), role, String.valueOf(Pinned.cpu(cpu)));
        builder.command().addAll(List.of(more));
        return new End(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(program);
        Files.deleteIfExists(place.resolve("raw_udp.c"));
        Files.deleteIfExists(place);
    }
}
