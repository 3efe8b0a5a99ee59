package io.urma4j.examples.kvcache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The decoder's handle of the producer: a JVM like this one. It ends with this process. For one thread. */
final class ProducerProcess implements AutoCloseable {
    private static final Duration TIME_TO_END = Duration.ofSeconds(10);

    private final Process process;
    private final BufferedReader output;
    private final PrintWriter input;

    private ProducerProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    /** Starts it with these options. */
    static ProducerProcess start(List<String> options) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Producer.class.getName()));
        line.addAll(options);
        return new ProducerProcess(new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    boolean isGone() {
        return !process.isAlive();
    }

    /** The next line with that beginning, without it. */
    String line(String beginning) throws IOException {
        String line = output.readLine();
        if (line == null || !line.startsWith(beginning)) {
            throw new CacheException("the producer (process " + pid() + ") ended before its cache was open");
        }
        return line.substring(beginning.length());
    }

    void say(String line) {
        input.println(line);
    }

    /** Ends its standard input; returns whether it ended well. */
    boolean end() throws InterruptedException {
        input.close();
        return process.waitFor(TIME_TO_END.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
