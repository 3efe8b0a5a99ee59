package io.urma4j.tools.perftest;

import io.urma4j.UrmaException;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.FailureReport;
import io.urma4j.tools.Line;
import io.urma4j.tools.MemoryChoice;
import io.urma4j.tools.MemoryConverter;
import io.urma4j.tools.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma perftest}: latency and bandwidth between two processes, with the options that RDMA people know. */
@Command(
        name = "perftest",
        sortOptions = false,
        description = {
            "Measure latency or bandwidth between two processes, on one or on two machines.",
            "",
            "Without --server and --local it is the server: it waits for one client, adopts settings that "
                    + "only the client has, and refuses conflicting ones."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma perftest write_lat --local -a",
            "  urma perftest send_bw --local -s 4K --jettys 2 --json",
            "  urma perftest                            # one machine: serves one test of any kind",
            "  urma perftest read_lat -S host -D 10     # the other: ten seconds of it",
            "  urma perftest write_bw --local -s 1M --memory host --server_memory npu",
            "  urma perftest send_lat --local -s 64 --rate_limit 50 --rate_units P"
        })
public final class PerftestCommand implements Callable<Integer> {
    /** What a shell gives for Ctrl-C. */
    private static final int INTERRUPTED = 130;

    /** Ctrl-C reaches both processes of a terminal in random order. The delay lets this process report it first. */
    private static final long SIGNAL_MILLIS = 300;

    private static final int DEFAULT_PORT = 21115;
    private static final int HIGHEST_PORT = 0xFFFF;

    @Parameters(
            arity = "0..1",
            paramLabel = "TEST",
            description =
                    "read_lat, write_lat, send_lat, atomic_lat, read_bw, write_bw, send_bw or atomic_bw; optional on "
                            + "the server.")
    private @Nullable String test;

    @Option(
            names = {"-S", "--server"},
            paramLabel = "HOST",
            description = "Run as the client of the server at this host.")
    private @Nullable String host;

    @Option(
            names = {"-P", "--port"},
            paramLabel = "PORT",
            description = "TCP port of the server; default: 21115.")
    private @Nullable Integer port;

    @Option(names = "--local", description = "Also start the server side on this machine, in a separate process.")
    private boolean local;

    @Option(names = "--child", hidden = true, description = "Run as the server of --local.")
    private boolean child;

    @Mixin
    private DeviceOption device;

    @Option(names = "--eid_idx", paramLabel = "INDEX", description = "Index of the device's endpoint; default: 0.")
    private int eidIndex;

    @Option(
            names = "--memory",
            paramLabel = "MEMORY",
            converter = MemoryConverter.class,
            description =
                    "Where this side has payloads and counters: host (default), cuda:N, or npu:N, which is simulated.")
    private MemoryChoice memory = MemoryChoice.HOST;

    @Option(
            names = "--server_memory",
            paramLabel = "MEMORY",
            converter = MemoryConverter.class,
            description = "With --local: the same of the server side; default: as --memory.")
    private @Nullable MemoryChoice serverMemory;

    @Mixin
    RunOptions run; // read by name

    @Mixin
    private OutputOptions output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Settings settings = settings();
        checkUse(settings);
        if (child) {
            return serveParent(settings);
        }
        if (local) {
            measureLocally(settings);
        } else if (host != null) {
            measureAt(host, settings);
        } else {
            serve(settings);
        }
        return 0;
    }

    private Settings settings() {
        SequencedMap<String, String> given = RunOptions.given(spec.commandLine().getParseResult());
        if (test != null) {
            given.put(Settings.TEST, test);
        }
        if (local || host != null) {
            putMemory(given, Settings.CLIENT_MEMORY, memory);
        }
        if (host == null) {
            putMemory(given, Settings.SERVER_MEMORY, serverMemory());
        }
        return new Settings(given);
    }

    private MemoryChoice serverMemory() {
        return serverMemory == null ? memory : serverMemory;
    }

    private static void putMemory(SequencedMap<String, String> given, String side, MemoryChoice choice) {
        if (!choice.isHost()) {
            given.put(side, choice.toString());
        }
    }

    private void checkUse(Settings settings) {
        boolean client = local || host != null;
        if (local && host != null) {
            throw wrongUse("--local and --server clash: the server is here or there");
        }
        if (local && port != null) {
            throw wrongUse("--local and --port clash: the server of --local takes any port");
        }
        if (serverMemory != null && !local) {
            throw wrongUse("--server_memory means nothing without --local: a server has --memory of its own");
        }
        if (port != null && (port < (client ? 1 : 0) || port > HIGHEST_PORT)) {
            throw wrongUse("--port " + port + " is not within " + (client ? 1 : 0) + " and " + HIGHEST_PORT);
        }
        if (!client && output.given() != null) {
            throw wrongUse(output.given() + " means nothing without --server or --local: the client prints the table");
        }
        if (client && test == null) {
            throw wrongUse("which TEST? One of " + Workload.words());
        }
        if (output.plot() != null && settings.isGiven("--infinite")) {
            throw wrongUse("--plot and --infinite clash: the plot is by size, not by time");
        }
        boolean endless = settings.isGiven("--infinite") && !settings.isGiven("--duration");
        if (endless && (output.asksJson() || output.csv() != null)) {
            throw wrongUse(output.given() + " and --infinite clash: the result is written at the end, and without "
                    + "--duration there is none");
        }
        checkClashes(settings);
    }

    private void checkClashes(Settings settings) {
        try {
            Clashes.checkOffered(settings);
            if (settings.isGiven(Settings.TEST)) {
                Clashes.check(settings);
            }
        } catch (CommandFailure e) {
            throw wrongUse(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrongUse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    // ---- the client

    private void measureLocally(Settings settings) throws IOException, InterruptedException {
        try (OutputFiles files = OutputFiles.open(output);
                Session session =
                        Session.open(device.name(), eidIndex, memory); // first, so that a failure is reported once
                LocalServer server = LocalServer.start(device.name(), eidIndex, serverMemory())) {
            try {
                measure(session, files, InetAddress.getLoopbackAddress().getHostAddress(), server.port(), settings);
            } catch (CommandFailure e) {
                Thread.sleep(SIGNAL_MILLIS); // ends by our own Ctrl-C when that was the reason
                throw e;
            }
        }
    }

    private void measureAt(String server, Settings settings) throws IOException, InterruptedException {
        try (OutputFiles files = OutputFiles.open(output);
                Session session = Session.open(device.name(), eidIndex, memory)) {
            measure(session, files, server, port == null ? DEFAULT_PORT : port, settings);
        }
    }

    private void measure(Session session, OutputFiles files, String server, int serverPort, Settings settings)
            throws IOException, InterruptedException {
        try (Control control = Client.connect(server, serverPort)) {
            Client client = new Client(
                    session,
                    output,
                    files,
                    spec.commandLine().getOut(),
                    spec.commandLine().getErr());
            talk(control, () -> client.run(control, settings));
        }
    }

    // ---- the server

    private void serve(Settings settings) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        try (Session session = Session.open(device.name(), eidIndex, memory);
                Server server = Server.listen(port == null ? DEFAULT_PORT : port, false)) {
            err.println("urma: perftest waits for a client on port " + server.port() + ", device "
                    + session.context().device().name());
            err.flush();
            try (Control control = server.accept(err)) {
                err.println("urma: serving " + control);
                err.flush();
                talk(control, () -> Server.follow(control, settings, session));
            }
        }
    }

    /** Runs as the child of {@code --local}. The parent learns of a failure by the connection, and reports it. */
    private int serveParent(Settings settings) throws IOException {
        LocalServer.endWithParent();
        PrintWriter out = spec.commandLine().getOut();
        boolean met = false;
        try (Session session = Session.open(device.name(), eidIndex, memory);
                Server server = Server.listen(0, true)) {
            out.println(LocalServer.portLine(server.port()).encode());
            out.flush();
            try (Control control = server.accept(spec.commandLine().getErr())) {
                met = true;
                talk(control, () -> Server.follow(control, settings, session));
            }
            return 0;
        } catch (InterruptedException e) {
            return INTERRUPTED;
        } catch (CommandFailure | UrmaException e) {
            if (!met) {
                throw e;
            }
            return 1;
        }
    }

    // ---- both

    /** The work of a side with the other one. */
    private interface Talk {
        void run() throws IOException, InterruptedException;
    }

    /** Runs the task, and notifies the other side if it fails. */
    private static void talk(Control control, Talk talk) throws IOException, InterruptedException {
        try {
            talk.run();
        } catch (InterruptedException e) {
            control.say(Line.of(Control.STOPPED));
            throw e;
        } catch (IOException | RuntimeException e) {
            if (!control.isOver()) {
                control.say(Line.of(Control.FAILED).with("message", FailureReport.describe(e)));
            }
            throw e;
        }
    }
}
