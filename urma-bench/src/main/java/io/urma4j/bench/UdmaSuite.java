package io.urma4j.bench;

import io.urma4j.Urma;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.bench.RallyEnd.Rallies;
import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.peer.Ucx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The software network card on loopback: two processes on two CPUs, beside raw UDP in C on the same two, and beside UCX
 * over TCP.
 */
final class UdmaSuite {
    static final String DEVICE = "udma0";

    /** Each end loses one packet in a hundred of those that arrive. */
    static final UrmaOptions LOSSY = Loopback.options().withSetting("urma.udma.loss", "0.01:4711");

    private static final int CHUNK = 100;
    private static final Duration UCX_TURN = Duration.ofMillis(200);
    private static final int SMALL_BYTES = 8;
    private static final int SMALL_PACKET_BYTES = 40; // BTH, RETH, eight bytes, ICRC
    private static final long STREAM_BYTES = 64 << 20;
    private static final int SMALL_OPERATIONS = 64 * 1024;
    private static final int WARM_UP_CHUNKS = 20; // both ends spin, and leave the compiler little time

    private final Numbers.Run run;
    private @Nullable PredictedShare share; // of the end that the figure is about

    UdmaSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("udma-")) {
            return;
        }
        try (Urma urma = Urma.open(Loopback.options())) {
            urma.device(DEVICE);
        } catch (UrmaException e) {
            System.err.println("numbers: no figures of udma: " + e.getMessage());
            return;
        }
        try (ChildProcess child = ChildProcess.start(Child.Role.CARD);
                RallyEnd end = new RallyEnd(DEVICE)) {
            share = new PredictedShare(end);
            Toolchain toolchain = new Toolchain(Path.of(System.getProperty("urma.root", ".")), false);
            Path raw = toolchain.compile("cc", "raw_network");
            Rallies rallies = end.meet(child.ask(end.invitation()));
            idle(child);
            Pinned.run(0, () -> roundTrips(raw, child, rallies));
            Pinned.run(0, () -> streams(toolchain, raw, child, rallies.stream()));
            loss(child, rallies.stream());
            new AllocationSuite(run, DEVICE, "udma-", 50_000).measure();
        } catch (IOException | PeerUnavailableException e) {
            System.err.println("numbers: no figures of udma: " + e.getMessage());
        }
    }

    // ---- idleness

    /** The child's device is open, its segment is imported, and no thread polls. */
    private void idle(ChildProcess child) throws IOException, InterruptedException {
        if (!run.wants("udma-idle")) {
            return;
        }
        double[] waiting = new IdleCpu(child.pid()).millisPerSecond();
        double bare;
        try (ChildProcess idler = ChildProcess.start(Child.Role.IDLER)) {
            bare = Rounds.median(new IdleCpu(idler.pid()).millisPerSecond());
        }
        run.tell(new Figure(
                "udma-idle",
                "CPU of a process with an idle device, beyond that of an idle JVM",
                WaitingSuite.perSecond(Rounds.median(waiting)),
                WaitingSuite.perSecond(bare),
                Rounds.median(waiting) - bare,
                Rounds.least(waiting) - bare,
                Rounds.most(waiting) - bare,
                new AtMost(1)));
    }

    // ---- round trips

    private void roundTrips(Path raw, ChildProcess child, Rallies rallies) throws IOException {
        try (RawUdp turns = RawUdp.start(raw, Work.SEND_LATENCY, SendRally.MESSAGE_BYTES)) {
            Timed bare = rawTurns(turns);
            atMost(
                    "udma-send",
                    "SEND 64 B until its record is polled",
                    rally(child, "send", rallies.sends()),
                    bare,
                    1.4);
            atMost(
                    "udma-write",
                    "WRITE 8 B until a polling home sees it",
                    rally(child, "write", rallies.writes()),
                    bare,
                    1.4);
            atMost("udma-read", "READ 8 B, half of it", alone(child, rallies.stream()::reads), bare, 1.5);
            atMost("udma-fadd", "FADD 8 B, half of it", alone(child, rallies.stream()::adds), bare, 1.5);
        }
    }

    /** Half of a round trip, in the C program's own time. */
    private static Timed rawTurns(RawUdp turns) {
        return new Timed() {
            @Override
            public double chunkNanos() {
                return turns.nanos(CHUNK);
            }

            @Override
            public void end() {
                turns.rest();
            }
        };
    }

    private static Timed rally(ChildProcess child, String kind, Rally rally) {
        return new Timed() {
            @Override
            public void begin() {
                child.ask(kind);
            }

            @Override
            public double chunkNanos() {
                long start = System.nanoTime();
                rally.serve(CHUNK);
                return (System.nanoTime() - start) / (2.0 * CHUNK);
            }

            @Override
            public void end() {
                rally.stop();
                child.ask("ended?");
            }
        };
    }

    /** A loop of one end, while the other does nothing but poll. */
    private static Timed alone(ChildProcess child, Loop loop) {
        return polled(child, () -> {
            long start = System.nanoTime();
            loop.run(CHUNK);
            return (System.nanoTime() - start) / (2.0 * CHUNK);
        });
    }

    private static Timed polled(ChildProcess child, Timed chunk) {
        return new Timed() {
            @Override
            public void begin() {
                child.ask("poll");
            }

            @Override
            public double chunkNanos() {
                return chunk.chunkNanos();
            }

            @Override
            public void end() {
                child.ask("enough");
            }
        };
    }

    // ---- streams

    private void streams(Toolchain toolchain, Path raw, ChildProcess child, StreamEnd stream)
            throws IOException, InterruptedException {
        Ucx ucx = Ucx.tcp();
        boolean hasUcx = isThere(ucx, toolchain);
        for (int bytes : new int[] {64 << 10, 1 << 20}) {
            String size = bytes >> 10 >= 1024 ? "1m" : "64k";
            int operations = (int) (STREAM_BYTES / bytes);
            Timed writes = perOperation(child, operations, count -> stream.writes(bytes, count));
            Timed reads = perOperation(child, operations, count -> stream.reads(bytes, count));
            try (RawUdp flood = RawUdp.start(raw, Work.WRITE_RATE, bytes)) {
                Timed bare = () -> flood.nanos(operations);
                atLeast(
                        "udma-write-" + size,
                        "WRITE " + size + ", speed beside raw UDP with GSO and GRO",
                        writes,
                        bare,
                        0.5);
                atLeast(
                        "udma-read-" + size,
                        "READ " + size + ", speed beside raw UDP with GSO and GRO",
                        reads,
                        bare,
                        0.5);
            }
            if (hasUcx) {
                atLeast(
                        "udma-write-tcp-" + size,
                        "WRITE " + size + ", speed beside UCX put over TCP",
                        writes,
                        timed(ucx, Work.WRITE_RATE, bytes),
                        1.5);
                atLeast(
                        "udma-read-tcp-" + size,
                        "READ " + size + ", speed beside UCX get over TCP",
                        reads,
                        timed(ucx, Work.READ_RATE, bytes),
                        1.5);
            }
        }
        try (RawUdp flood = RawUdp.start(raw, Work.WRITE_RATE, SMALL_PACKET_BYTES)) {
            atLeast(
                    "udma-batch",
                    "WRITE 8 B, 64 posts + polls, packets beside raw UDP with GSO",
                    perOperation(child, SMALL_OPERATIONS, count -> stream.writes(SMALL_BYTES, count)),
                    () -> flood.nanos(SMALL_OPERATIONS),
                    0.4);
        }
    }

    private static boolean isThere(Ucx ucx, Toolchain toolchain) throws IOException, InterruptedException {
        try {
            ucx.obtain(toolchain);
            return true;
        } catch (PeerUnavailableException e) {
            System.err.println("numbers: no figures beside UCX: " + e.reason());
            return false;
        }
    }

    private static Timed timed(Ucx ucx, Work work, int bytes) {
        return () -> {
            try {
                return ucx.measure(Task.of(work, Reach.NETWORK, bytes), UCX_TURN)
                        .nanos(Metric.MEAN);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        };
    }

    // ---- loss

    /** Beside the same without loss. The kernel of a small machine may lack netem, so the ports lose the packets. */
    private void loss(ChildProcess child, StreamEnd lossless) throws Exception {
        if (!run.wantsSomeOf("udma-loss-")) {
            return;
        }
        try (ChildProcess lossyChild = ChildProcess.start(Child.Role.LOSSY_CARD);
                RallyEnd end = new RallyEnd(DEVICE, LOSSY)) {
            share = new PredictedShare(end);
            StreamEnd lossy = end.meet(lossyChild.ask(end.invitation())).stream();
            Pinned.run(0, () -> {
                for (int bytes : new int[] {64 << 10, 1 << 20}) {
                    String size = bytes >> 10 >= 1024 ? "1m" : "64k";
                    int operations = (int) (STREAM_BYTES / bytes);
                    atLeast(
                            "udma-loss-write-" + size,
                            "WRITE " + size + " with 1 % of loss, speed beside that without",
                            perOperation(lossyChild, operations, count -> lossy.writes(bytes, count)),
                            perOperation(child, operations, count -> lossless.writes(bytes, count)),
                            0.9);
                    atLeast(
                            "udma-loss-read-" + size,
                            "READ " + size + " with 1 % of loss, speed beside that without",
                            perOperation(lossyChild, operations, count -> lossy.reads(bytes, count)),
                            perOperation(child, operations, count -> lossless.reads(bytes, count)),
                            0.9);
                }
            });
        }
    }

    private static Timed perOperation(ChildProcess child, int operations, Loop loop) {
        return polled(child, () -> {
            long start = System.nanoTime();
            loop.run(operations);
            return (double) (System.nanoTime() - start) / operations;
        });
    }

    private void atMost(String name, String what, Timed subject, Timed bare, double limit) {
        if (run.ratio(name, what + "; half a round trip of raw UDP in C", subject, bare, limit)) {
            tellShare();
        }
    }

    private void atLeast(String name, String what, Timed subject, Timed bare, double limit) {
        if (run.speed(name, what, run.alternation().forLongChunks(WARM_UP_CHUNKS), subject, bare, limit)) {
            tellShare();
        }
    }

    private void tellShare() {
        if (share != null) {
            System.out.println(share.next());
        }
    }

    // ---- the other process

    static void child(Child parent, UrmaOptions options) throws Exception {
        try (RallyEnd end = new RallyEnd(DEVICE, options)) {
            String invitation = parent.hear();
            parent.say(end.invitation());
            Rallies rallies = end.meet(invitation);
            Pinned.run(1, () -> {
                for (String kind = parent.hear(); !kind.isEmpty(); kind = parent.hear()) {
                    parent.say("ready");
                    switch (kind) {
                        case "write" -> rallies.writes().returnAll();
                        case "send" -> rallies.sends().returnAll();
                        case "poll" -> end.pollUntil(parent::isToldMore);
                        default -> throw new IllegalArgumentException(kind);
                    }
                    parent.hear();
                    parent.say("ended");
                }
            });
        }
    }
}
