package io.urma4j.examples.blockstore.load;

import io.urma4j.examples.blockstore.Options;
import io.urma4j.examples.blockstore.ServerProcess;
import io.urma4j.examples.blockstore.load.Counts.Count;
import io.urma4j.examples.blockstore.load.KillPlan.Kill;
import io.urma4j.examples.blockstore.load.KillPlan.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The load: starts the processes, kills them by plan, ends them, and reports. */
public final class Load implements AutoCloseable {
    private static final Duration PROGRESS = Duration.ofSeconds(5);
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration END_TIMEOUT = Duration.ofMinutes(2);
    private static final long TURN_MILLIS = 50;

    private final LoadOptions options;
    private final Path folder;
    private final Map<Kind, Integer> killed = new EnumMap<>(Kind.class);
    private final List<String> failures = new ArrayList<>();
    private final List<String> pools = new ArrayList<>(); // as their processes have left them
    private final List<Child> clients = new ArrayList<>();
    private final List<Counts> counts = new ArrayList<>();
    private final Child server;
    private long begunNanos = System.nanoTime();

    private Load(LoadOptions options, Path folder) throws IOException {
        this.options = options;
        this.folder = folder;
        Map<String, String> environment = environment(options.device());
        this.server = new Child(
                "server",
                folder,
                environment,
                ServerProcess.class,
                "--device",
                options.device(),
                "--wait",
                options.serverWaits(),
                "--folder",
                folder.resolve("blocks").toString());
        for (int i = 0; i < options.clients(); i++) {
            counts.add(Counts.open(folder.resolve("client-" + i + ".counts")));
            clients.add(client(i, environment));
        }
    }

    private Child client(int number, Map<String, String> environment) throws IOException {
        return new Child(
                "client-" + number,
                folder,
                environment,
                LoadClient.class,
                "--device",
                options.device(),
                "--folder",
                folder.toString(),
                "--number",
                Integer.toString(number),
                "--seed",
                Long.toString(options.seed()),
                "--workers",
                Integer.toString(options.workers()),
                "--blocks",
                Integer.toString(options.blocks()));
    }

    /** The processes meet in the load's own folder, and packets stay on this host. */
    private Map<String, String> environment(String device) {
        Map<String, String> environment = new HashMap<>();
        environment.put("URMA_RUNTIME_DIR", runtimeDirectory().toString());
        if (device.startsWith("udma") && System.getenv("URMA_UDMA_ADDRESSES") == null) {
            environment.put("URMA_UDMA_ADDRESSES", "127.0.0.1");
        }
        return environment;
    }

    private Path runtimeDirectory() {
        return folder.resolve("runtime");
    }

    /** The options are those of {@link LoadOptions#HELP}. */
    public static void main(String[] line) throws Exception {
        System.exit(run(line));
    }

    private static int run(String... line) throws IOException, InterruptedException {
        if (List.of(line).contains("--help")) {
            System.out.print(LoadOptions.HELP);
            return 0;
        }
        LoadOptions options;
        try {
            options = LoadOptions.parse(line);
        } catch (Options.UsageException e) {
            System.err.println("run: " + e.getMessage() + " (--help lists the options)");
            return 2;
        }
        Path folder = Files.createTempDirectory(options.folder(), "blockstore-");
        // also after Ctrl-C
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
            delete(folder);
        }));
        try (Load load = new Load(options, folder)) {
            return load.run();
        }
    }

    private int run() throws IOException, InterruptedException {
        System.out.println("Block store on " + options.device() + ": " + options.clients() + " clients for "
                + options.duration().toSeconds() + " s, " + options.kills() + " kills, seed " + options.seed());
        System.out.println("See its pools with: URMA_RUNTIME_DIR=" + runtimeDirectory() + " ./urma admin show pool");
        List<Kill> plan = KillPlan.of(options.seed(), options.kills(), options.duration(), options.clients());
        awaitFirstOperations();
        Duration progressAt = PROGRESS;
        for (Kill kill : plan) {
            progressAt = workUntil(kill.at(), progressAt);
            execute(kill);
        }
        workUntil(options.duration(), progressAt);
        endAll();
        return Report.of(options, elapsed(), killed, counts, failures, pools).print() ? 0 : 1;
    }

    /** The time of the load begins when each client works. */
    private void awaitFirstOperations() throws IOException, InterruptedException {
        while (counts.stream().anyMatch(each -> each.get(Count.READS) + each.get(Count.WRITES) == 0)) {
            if (elapsed().compareTo(START_TIMEOUT) > 0) {
                fail(server, "served no request of some client within " + START_TIMEOUT);
            }
            if (!failures.isEmpty()) {
                return;
            }
            Thread.sleep(TURN_MILLIS);
            checkAlive();
        }
        begunNanos = System.nanoTime();
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begunNanos);
    }

    /** Waits, with a line of progress now and then; returns when the next one is due. */
    private Duration workUntil(Duration at, Duration progressAt) throws IOException, InterruptedException {
        Duration next = progressAt;
        while (elapsed().compareTo(at) < 0 && failures.isEmpty()) {
            Thread.sleep(TURN_MILLIS);
            checkAlive();
            if (elapsed().compareTo(next) >= 0) {
                System.out.println(Report.of(options, elapsed(), killed, counts, failures, pools)
                        .progress());
                next = next.plus(PROGRESS);
            }
        }
        return next;
    }

    private void checkAlive() throws IOException, InterruptedException {
        for (Child child : all()) {
            if (!child.isAlive()) {
                fail(child, "ended by itself with exit code " + child.exitCode(Duration.ZERO));
            }
        }
    }

    private List<Child> all() {
        List<Child> all = new ArrayList<>(clients);
        all.add(server);
        return all;
    }

    private void fail(Child child, String what) throws IOException {
        failures.add(child + " " + what);
        System.out.println("---- " + child + " " + what + "; its output:\n" + child.output() + "----");
    }

    private void execute(Kill kill) throws IOException, InterruptedException {
        if (!failures.isEmpty()) {
            return;
        }
        Child client = clients.get(kill.client());
        switch (kill.kind()) {
            case CLIENT_KILLED -> replace(client, kill.pause());
            case SERVER_KILLED -> replace(server, kill.pause());
            case CLIENT_STOPPED -> {
                client.stop();
                Thread.sleep(kill.pause());
                client.goOn();
            }
        }
        killed.merge(kill.kind(), 1, Integer::sum);
    }

    private static void replace(Child child, Duration pause) throws IOException, InterruptedException {
        child.kill();
        Thread.sleep(pause);
        child.restart();
    }

    /** Ends the clients, which verify their blocks, and then the server, which by then must have all of its buffers. */
    private void endAll() throws IOException, InterruptedException {
        for (Child client : clients) {
            client.end();
        }
        for (Child client : clients) {
            expectEnd(client);
        }
        server.end();
        expectEnd(server);
    }

    private void expectEnd(Child child) throws IOException, InterruptedException {
        int exitCode = child.exitCode(END_TIMEOUT);
        if (exitCode != 0) {
            fail(child, exitCode < 0 ? "did not end within " + END_TIMEOUT : "ended with exit code " + exitCode);
        }
        child.output()
                .lines()
                .filter(line -> line.startsWith("pool: "))
                .forEach(line -> pools.add(child + ": " + line.substring("pool: ".length())));
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.err.println("run: " + folder + " was not deleted: " + e);
        }
    }

    /** Kills the processes that still live. */
    @Override
    public void close() {
        all().forEach(Child::close);
        counts.forEach(Counts::close);
    }
}
