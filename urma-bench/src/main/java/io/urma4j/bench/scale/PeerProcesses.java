package io.urma4j.bench.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The processes of {@link PeerMain}, as small as a JVM can be. They end with their input; on Ctrl-C they are ended, too.
 */
final class PeerProcesses implements AutoCloseable {
    private static final List<String> SMALL_JVM = List.of(
            "-Xmx16m",
            "-Xss256k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED");
    private static final long TIME_TO_END_SECONDS = 10;

    private final String device;
    private final List<Process> alive = new ArrayList<>();
    private final Thread hook = new Thread(this::endAll, "end of all peers");
    private boolean isEnding;

    PeerProcesses(String device) {
        this.device = device;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts {@code count} processes at once; returns the first line of each. */
    List<String> start(int count) throws IOException {
        List<Process> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(start());
        }
        List<String> lines = new ArrayList<>();
        for (Process process : started) {
            lines.add(lineOf(process));
        }
        return lines;
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL_JVM);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PeerMain.class.getName(), device));
        synchronized (alive) {
            if (isEnding) {
                throw new IOException("this program is being ended");
            }
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            alive.add(process);
            return process;
        }
    }

    @SuppressWarnings("StreamResourceLeak") // the process owns its streams, which close with it
    private static String lineOf(Process process) throws IOException {
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("peer " + process.pid() + " ended before it was ready: its last words are above");
        }
        return line;
    }

    /** Memory that is a peer's own, with its part of what it shares; of the one that was started first. */
    long bytesOfOne() throws IOException {
        Path rollup = Path.of("/proc", Long.toString(alive.getFirst().pid()), "smaps_rollup");
        return Long.parseLong(Footprint.field(rollup, "Pss:", 1)) * 1024;
    }

    private void endAll() {
        List<Process> last;
        synchronized (alive) {
            isEnding = true;
            last = List.copyOf(alive);
        }
        last.forEach(Process::destroyForcibly);
    }

    /** Asks all processes to end, and kills those that do not. */
    @Override
    public void close() {
        try {
            for (Process process : alive) {
                process.getOutputStream().close();
            }
            for (Process process : alive) {
                if (!process.waitFor(TIME_TO_END_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (IOException e) {
            endAll();
        } catch (InterruptedException e) {
            endAll();
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it runs already
        }
    }
}
