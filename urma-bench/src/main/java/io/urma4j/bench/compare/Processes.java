package io.urma4j.bench.compare;

import io.urma4j.bench.Pinned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts processes on one CPU each, and sees to it that none outlives us: not on failure, and not on Ctrl-C. */
public final class Processes {
    /** On the n-th CPU, counted from 0; any of them for {@link #ANYWHERE}. */
    public static final int ANYWHERE = -1;

    private static final int KILLED = 128 + 9;

    private static final Set<Process> alive = new HashSet<>();

    private static final List<Runnable> endings = new CopyOnWriteArrayList<>();
    private static @Nullable Path scratch;
    private static boolean isEnding;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Processes::endAll, "end of all processes"));
    }

    private Processes() {}

    /** Starts it; its errors go into its output unless {@code errorsApart}, and then to ours. */
    public static Process start(int cpu, Map<String, String> environment, boolean errorsApart, List<String> command)
            throws IOException {
        List<String> line = new ArrayList<>();
        if (cpu != ANYWHERE) {
            line.addAll(List.of("taskset", "-c", String.valueOf(Pinned.cpu(cpu))));
        }
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().putAll(environment);
        if (errorsApart) {
            builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        } else {
            builder.redirectErrorStream(true);
        }
        synchronized (alive) {
            if (isEnding) {
                throw new IOException("this program is being ended");
            }
            Process process = builder.start();
            alive.removeIf(earlier -> !earlier.isAlive());
            alive.add(process);
            return process;
        }
    }

    /** Runs it to its end and returns what it printed. */
    public static String run(int cpu, Map<String, String> environment, Duration atMost, List<String> command)
            throws IOException, InterruptedException {
        Process process = start(cpu, environment, false, command);
        process.getOutputStream().close();
        return output(process, atMost, command);
    }

    /**
     * Waits for the end of a process whose errors are in its output.
     *
     * @throws IOException when it takes longer, or ends otherwise than with 0
     */
    public static String output(Process process, Duration atMost, List<String> command)
            throws IOException, InterruptedException {
        Thread watchdog = Thread.ofPlatform().daemon().start(() -> endAfter(process, atMost));
        try {
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(Path.of(command.getFirst()).getFileName() + " ended with " + status
                        + (status == KILLED
                                ? " (killed, perhaps for taking longer than " + atMost.toSeconds() + " s)"
                                : "")
                        + ": " + lastWords(text));
            }
            return text;
        } finally {
            watchdog.interrupt();
        }
    }

    private static void endAfter(Process process, Duration atMost) {
        try {
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                endWithChildren(process);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it has ended
        }
    }

    private static String lastWords(String text) {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        return String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }

    /** Ends it and what it has started; mpirun, for one, has children. */
    public static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                endWithChildren(process);
            }
        } catch (InterruptedException e) {
            endWithChildren(process);
            Thread.currentThread().interrupt();
        }
    }

    private static void endWithChildren(Process process) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    private static void endAll() {
        List<Process> last;
        synchronized (alive) {
            isEnding = true; // the main thread goes on meanwhile, and shall start no more
            last = List.copyOf(alive);
        }
        last.forEach(Processes::endWithChildren);
        try {
            for (Process process : last) {
                process.waitFor(2, TimeUnit.SECONDS); // else it would write once more into what is removed below
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endings.forEach(Runnable::run);
        removeScratch();
    }

    /**
     * A failure that follows from the end of this program is not worth a report: the failing thread waits here until
     * the process ends.
     */
    static void awaitEndIfNear() throws InterruptedException {
        boolean near;
        synchronized (alive) {
            near = isEnding;
        }
        if (near) {
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /** What is to be done when all processes have ended, also on Ctrl-C. */
    public static void atEnd(Runnable ending) {
        endings.add(ending);
    }

    /** A folder in memory where peers may put their files; it goes with this process. */
    public static synchronized Path scratch() throws IOException {
        Path folder = scratch;
        if (folder == null) {
            Path memory = Path.of("/dev/shm");
            folder = Files.isWritable(memory)
                    ? Files.createTempDirectory(memory, "urma4j-compare-")
                    : Files.createTempDirectory("urma4j-compare-");
            scratch = folder;
        }
        return folder;
    }

    private static synchronized void removeScratch() {
        Path folder = scratch;
        if (folder == null) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            System.err.println("compare: cannot remove " + folder + ": " + e.getMessage());
        }
    }

    /** Whether a program of this name is on the PATH. */
    public static boolean has(String program) {
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "/usr/bin:/bin" : path).split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }
}
