package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Ending;
import io.urma4j.tools.Line;
import io.urma4j.tools.MemoryChoice;
import io.urma4j.tools.OwnLauncher;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The server of {@code --local}: a separate JVM, which prints its port on stdout and ends with its stdin. */
final class LocalServer implements AutoCloseable {
    private static final Duration TIME_TO_START = Duration.ofSeconds(60);
    private static final Duration TIME_TO_END = Duration.ofSeconds(6);
    private static final String PORT = "port";

    private final Process process;

    private LocalServer(Process process) {
        this.process = process;
    }

    static LocalServer start(@Nullable String device, int eidIndex, MemoryChoice memory) throws IOException {
        List<String> line = OwnLauncher.command();
        line.addAll(List.of("perftest", "--child", "--port", "0", "--eid_idx", Integer.toString(eidIndex)));
        if (device != null) {
            line.addAll(List.of("--device", device));
        }
        line.addAll(List.of("--memory", memory.toString()));
        return new LocalServer(new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The line that the child prints. */
    static Line portLine(int port) {
        return Line.of(PORT).with(PORT, port);
    }

    /** Waits until it listens. */
    int port() throws InterruptedException {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("output of the server").start(() -> listen(port));
        try {
            return port.get(TIME_TO_START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CommandFailure("the server (process " + process.pid() + ") ended before it listened", e);
        } catch (TimeoutException e) {
            throw new CommandFailure("the server (process " + process.pid() + ") did not listen in time", e);
        }
    }

    private void listen(CompletableFuture<Integer> port) {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                if (Line.isLine(text)) {
                    port.complete((int) Line.decode(text).number(PORT));
                } else {
                    System.err.println(text); // the JVM's own words, such as a warning
                }
            }
        } catch (IOException | RuntimeException e) {
            port.completeExceptionally(e);
        }
        port.completeExceptionally(new IOException("the server reported no port"));
    }

    /** In the child: interrupts this thread when the parent has ended for any reason. */
    static void endWithParent() {
        Thread worker = Thread.currentThread();
        Thread.ofPlatform().daemon().name("parent").start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // nothing is said here
                }
            } catch (IOException e) {
                // the same as its end
            }
            worker.interrupt();
            try {
                worker.join(TIME_TO_END);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(1); // hardly reached: the process has ended with its worker
        });
    }

    /** Ends it: by the end of its input, and if that is not enough, by force. Also when this thread is interrupted. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        Ending.of(process, TIME_TO_END);
    }
}
