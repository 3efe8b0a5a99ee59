package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.CompilerThreads;
import io.urma4j.tools.Line;
import io.urma4j.tools.Progress;
import io.urma4j.tools.Session;
import io.urma4j.tools.Units;
import io.urma4j.tools.perftest.Stream.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The side that leads a run and reports its result. */
final class Client {
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(5);
    private static final long RETRY_MILLIS = 100;
    private static final Duration WARM_UP_PATIENCE = Duration.ofSeconds(2);
    private static final Duration COMPILED =
            Duration.ofMillis(20); // of CPU time at most, in a piece of the last warm-up
    private static final int MOST_WARM_UPS = 6;

    private final Session session;
    private final OutputOptions options;
    private final OutputFiles files;
    private final PrintWriter out;
    private final PrintWriter err;
    private long received;
    private long sent;

    Client(Session session, OutputOptions options, OutputFiles files, PrintWriter out, PrintWriter err) {
        this.session = session;
        this.options = options;
        this.files = files;
        this.out = out;
        this.err = err;
    }

    /** Connects; tries again for a while, since a server that was started just now may not listen yet. */
    static Control connect(String host, int port) throws IOException, InterruptedException {
        return connect(host, port, CONNECT_PATIENCE);
    }

    static Control connect(String host, int port, Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(host, port), (int) patience.toMillis());
                return Control.greet(socket, "the server");
            } catch (ConnectException e) {
                socket.close();
                if (System.nanoTime() - deadline > 0) {
                    throw new CommandFailure("no process listens on port " + port + " of " + host
                            + "; 'urma perftest' there is the server");
                }
            } catch (SocketTimeoutException | SocketException e) {
                socket.close();
                throw new CommandFailure("port " + port + " of " + host + " cannot be reached: " + e.getMessage(), e);
            } catch (IOException | RuntimeException | InterruptedException e) {
                socket.close();
                throw e;
            }
            Thread.sleep(RETRY_MILLIS);
        }
    }

    /** Runs the test with the server at the other end. */
    void run(Control control, Settings own) throws IOException, InterruptedException {
        Line wish = Line.of(Server.SETTINGS);
        own.given().forEach(wish::with);
        control.say(wish);
        Settings settings = new Settings(control.hear(Server.AGREED).values());
        Clashes.check(settings);
        Side side = new Side(session, settings, control, true);
        side.meet();
        Report report = new Report(out, options, files, settings);
        report.begin(side.endpoint());
        boolean first = true;
        for (long size : Operations.sizes(settings)) {
            measure(side, control, settings, report, size, first || Operations.isOtherCode(settings, size));
            first = false;
        }
        tell(side, settings, report);
        control.say(Line.of(Control.BYE));
    }

    private void measure(Side side, Control control, Settings settings, Report report, long size, boolean cold)
            throws InterruptedException {
        long seed = ThreadLocalRandom.current().nextLong();
        if (settings.isGiven("--warm_up")) {
            long times = settings.warmUpIterations(size, cold);
            if (times > 0) {
                run(side, control, settings, report, new Phase(size, times, null, seed), false);
            }
        } else {
            warmUp(
                    side,
                    control,
                    settings,
                    report,
                    new Phase(size, settings.warmUpIterations(size, cold), WARM_UP_PATIENCE, seed));
        }
        boolean endless = settings.period() != null || settings.duration() != null;
        long times = endless ? Phase.ENDLESS : settings.iterations(size);
        run(side, control, settings, report, new Phase(size, times, settings.duration(), seed + 1), true);
    }

    /** In pieces with rests, until the compiler has nothing more to do: both sides spin, and it may get no CPU meanwhile. */
    private void warmUp(Side side, Control control, Settings settings, Report report, Phase piece)
            throws InterruptedException {
        CompilerThreads compilers = CompilerThreads.own();
        long spent = compilers.spentNanos();
        long before;
        int pieces = 0;
        do {
            before = spent;
            run(side, control, settings, report, piece, false);
            compilers.awaitRest(WARM_UP_PATIENCE);
            spent = compilers.spentNanos();
            pieces++;
        } while (spent - before > COMPILED.toNanos() && pieces < MOST_WARM_UPS);
    }

    private void run(Side side, Control control, Settings settings, Report report, Phase phase, boolean timed)
            throws InterruptedException {
        side.prepare(phase);
        control.say(phase.toLine().with("timed", timed));
        control.hear("ready");
        try (Progress progress = Progress.of(err, settings.workload() + " of " + Units.bytes(phase.sizeBytes()))) {
            if (settings.isLatency()) {
                Samples samples = settings.hasRate() || settings.duration() != null
                        ? Samples.histogram()
                        : Samples.of(phase.times());
                side.leadTurns(phase, samples, timed);
                if (timed) {
                    progress.hide();
                    report.row(samples.summary(
                            phase.sizeBytes(), settings.workload().isPingPong() ? 2 : 1));
                }
            } else {
                Duration period = timed ? settings.period() : null;
                Listener listener = period != null
                        ? new Periods(report, phase.sizeBytes(), period)
                        : (completed, nanos) -> {
                            if (phase.duration() == null) {
                                progress.at(completed, phase.times());
                            } else {
                                progress.at(nanos, phase.duration().toNanos());
                            }
                        };
                Bandwidth bandwidth = side.leadStream(phase, listener, timed);
                if (timed && period == null) {
                    progress.hide();
                    report.row(settings.isBidirectional() ? bandwidth.plus(ofPeer(side, phase)) : bandwidth);
                }
            }
        }
        received += timed ? side.lastOfPeer().number("received") : 0;
        sent += timed ? side.sent() : 0;
        if (settings.isVerified()) {
            control.say(Line.of("check"));
            side.check(phase);
            control.hear("checked");
        }
    }

    private static Bandwidth ofPeer(Side side, Phase phase) {
        Line done = side.lastOfPeer();
        return new Bandwidth(phase.sizeBytes(), done.number("iterations"), done.number("nanos"), done.fraction("peak"));
    }

    private void tell(Side side, Settings settings, Report report) throws IOException {
        report.note(Notes.meaning(settings));
        if (settings.receives() && !settings.workload().isPingPong()) {
            report.note("The server received " + Units.count(received) + " of " + Units.count(sent) + " messages.");
        }
        if (settings.continuesAfterErrors()) {
            long failures = side.failures() + side.lastOfPeer().number("failures");
            report.note(Units.count(failures) + " operations failed, and were skipped.");
        }
        report.note(
                settings.isVerified()
                        ? "Verified: the received data was compared with the sent data, outside of the timed part."
                        : "Not verified (--no-verify).");
        side.endpoint().steps().forEach(report::note);
        Map<String, Meter.Reading> readings = new LinkedHashMap<>();
        readings.put("client", side.meter().reading());
        readings.put("server", Meter.Reading.of(side.lastOfPeer()));
        readings.forEach(report::note);
        report.note(Machine.line() + "; reading the clock takes " + Machine.clockNanos() + " ns");
        report.end(side.endpoint(), readings);
    }
}
