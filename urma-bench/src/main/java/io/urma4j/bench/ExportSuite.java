package io.urma4j.bench;

import com.sun.management.ThreadMXBean;
import io.urma4j.Access;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.RemoteBufCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;

/** Windows for peers and exports of leases, on shared memory, with both ends in this process. */
final class ExportSuite {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BYTES = ExportPair.BYTES;
    private static final int OPERATIONS = ExportPair.OPERATIONS;
    private static final int ALLOCATIONS = 200_000;

    /** Of an export: the remote buffer with its window, key and lists, and the grant. */
    private static final double MOST_EXPORT_BYTES = 512;

    private static final Duration NO_WAIT = Duration.ZERO;

    private final Numbers.Run run;

    ExportSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("buffer-export")) {
            return;
        }
        try (ExportPair pair = new ExportPair()) {
            Pinned.run(0, () -> measure(pair));
        }
    }

    private void measure(ExportPair pair) {
        if (run.wants("buffer-export-grant")) {
            run.tell(Figure.ratio(
                    "buffer-export-grant",
                    "grant a window and take it back; acquire and release 4 KiB of a pool",
                    run.alternation().measure(pair.grants(), pair.cycles()),
                    new AtMost(3)));
        }
        if (run.wants("buffer-export-write")) {
            run.tell(Figure.ratio(
                    "buffer-export-write",
                    "WRITE 8 B into a window, post and poll; into the whole segment",
                    run.alternation().measure(pair.windowWrites(), pair.wholeWrites()),
                    new AtMost(1.6)));
        }
        steps(pair.pair(), pair.pool());
    }

    // ---- a server's step

    private void steps(LocalPair pair, RegisteredBufferPool pool) {
        try (Arena arena = Arena.ofConfined();
                RdmaBuf buf = pool.acquire(BYTES, NO_WAIT)) {
            Step step = new Step(pair, buf, arena.allocate(RemoteBufCodec.MOST_BYTES));
            if (run.wants("buffer-export-step")) {
                run.tell(Figure.ratio(
                        "buffer-export-step",
                        "export, encode; decode, open, READ 4 KiB, close; take back; READ 4 KiB of an import",
                        run.alternation()
                                .measure(
                                        Timed.of(step::run, OPERATIONS),
                                        Timed.of(operations -> readWhole(pair, operations), OPERATIONS)),
                        new AtMost(6)));
            }
            if (run.wants("buffer-export-bytes")) {
                double bytes = bytes(step::export);
                run.tell(new Figure(
                        "buffer-export-bytes",
                        "export and take back, allocated",
                        String.format(Locale.ROOT, "%.1f B", bytes),
                        "0 B",
                        bytes,
                        bytes,
                        bytes,
                        new AtMost(MOST_EXPORT_BYTES)));
            }
        }
    }

    private static double bytes(Loop loop) {
        loop.run(ALLOCATIONS);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        loop.run(ALLOCATIONS);
        return Math.rint(10.0 * (THREADS.getCurrentThreadAllocatedBytes() - before) / ALLOCATIONS) / 10;
    }

    private static long readWhole(LocalPair pair, int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(pair.jfs.read(pair.remote, 0, pair.local, 0, BYTES, i));
            sum += pair.one();
        }
        return sum;
    }

    /** A client's export, and what the server does with it. */
    private static final class Step {
        private final LocalPair pair;
        private final RdmaBuf buf;
        private final MemorySegment message;
        private final Peer server;
        private final RemoteBufCodec client = new RemoteBufCodec();
        private final RemoteBufCodec atServer = new RemoteBufCodec();
        private final RemoteSegment imported;

        Step(LocalPair pair, RdmaBuf buf, MemorySegment message) {
            this.pair = pair;
            this.buf = buf;
            this.message = message;
            this.server = Peer.of(pair.jfs.context());
            RemoteBuf first = buf.exportTo(server, buf.view(), Access.READ);
            this.imported = pair.jfs
                    .context()
                    .importSegment(first.window(0).orElseThrow().segment(), null);
        }

        long export(int operations) {
            long quiet = 0;
            for (int i = 0; i < operations; i++) {
                quiet += buf.takeBack(buf.exportTo(server, buf.view(), Access.READ)) ? 1 : 0;
            }
            return quiet;
        }

        long run(int operations) {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                RemoteBuf exported = buf.exportTo(server, buf.view(), Access.READ);
                int lengthBytes = client.encode(exported, message);
                RemoteBuf remote = atServer.decode(message.asSlice(0, lengthBytes));
                RemoteWindow window =
                        imported.importWindow(remote.window(0).orElseThrow().key());
                Records.accepted(
                        window.read(pair.jfs, remote.offset(), pair.local, 0, remote.size(), i, PostFlags.DEFAULT));
                sum += pair.one();
                window.close();
                buf.takeBack(exported);
            }
            return sum;
        }
    }
}
