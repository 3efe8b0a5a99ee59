package io.urma4j.bench;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Cycles.Threads;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RegisteredBufferPool;
import java.nio.file.Path;
import java.util.List;

/** Acquire and release of pooled buffers, beside Netty's pooled and adaptive allocators of direct memory. */
final class NettySuite {
    private static final int KB = 1024;
    private static final int[] LENGTHS = {4 * KB, 64 * KB, KB * KB};
    private static final List<String> ALLOCATORS = List.of("pooled", "cached", "adaptive");
    private static final PoolConfig POOL = PoolConfig.builder(1L << 30).build();
    private static final String PEER = "netty-buffer";
    private static final String PEER_CLASS = "io.urma4j.peers.NettyBuffers";

    private final Numbers.Run run;

    NettySuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("buffer-netty")) {
            return;
        }
        String classPath;
        try {
            classPath = new Toolchain(Path.of(System.getProperty("urma.root")), false).jvm(PEER);
        } catch (PeerUnavailableException e) {
            System.out.println("buffer-netty: not measured, since Netty is not there: " + e.getMessage());
            run.wants("buffer-netty");
            return;
        }
        try (ChildProcess netty = ChildProcess.start(classPath, PEER_CLASS);
                Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext();
                RegisteredBufferPool pool = RegisteredBufferPool.open(POOL, context)) {
            measure(pool, netty);
        }
    }

    private void measure(RegisteredBufferPool pool, ChildProcess netty) {
        for (int lengthBytes : LENGTHS) {
            for (int count = 1; count <= 2; count++) {
                measure(pool, netty, lengthBytes, new Threads(count, false));
                measure(pool, netty, lengthBytes, new Threads(count, true));
            }
        }
        Pinned.free();
    }

    /** Beside each allocator; the better one counts. */
    private void measure(RegisteredBufferPool pool, ChildProcess netty, int lengthBytes, Threads threads) {
        String name = "buffer-netty-" + lengthBytes / KB + "k-" + threads;
        if (!run.wants(name)) {
            return;
        }
        Cycles.pin(threads);
        Timed ours = Cycles.timed(PoolSuite.cycles(pool, lengthBytes)::run, threads);
        Rounds worst = null;
        for (String allocator : ALLOCATORS) {
            String line = Cycles.line(allocator, lengthBytes, threads);
            Rounds rounds = run.alternation().measure(ours, () -> Double.parseDouble(netty.ask(line)));
            if (worst == null || Rounds.median(rounds.ratios()) > Rounds.median(worst.ratios())) {
                worst = rounds;
            }
        }
        if (ours instanceof SideBySide both) {
            both.close();
        }
        if (worst != null) {
            run.tell(Figure.ratio(
                    name,
                    "acquire and release %d KiB in %d %s; Netty's better allocator"
                            .formatted(
                                    lengthBytes / KB,
                                    threads.count(),
                                    threads.areVirtual() ? "virtual threads" : "threads"),
                    worst,
                    new AtMost(1)));
        }
    }
}
