package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.WorkRequestList;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.buffer.BatchOp;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferProgress;
import io.urma4j.buffer.Transfers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Batches of transfers, each with buffers and windows of its own, beside posts by hand and beside bare copies. */
final class TransferSuite {
    private static final int TRANSFERS = 64; // of a batch
    private static final int PER_POST = 32;
    private static final int SHORT_BYTES = 4 << 10;
    private static final int LONG_BYTES = 64 << 10;
    private static final int SHORT_BATCHES = 64; // in a chunk
    private static final int LONG_BATCHES = 4;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final TransferOptions POLLED =
            TransferOptions.builder().progress(TransferProgress.BY_CALLER).build();

    private final Numbers.Run run;

    TransferSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (run.wants("buffer-batch")) {
            measure("shm0", SHORT_BYTES, this::shortBesidePosts);
        }
        if (run.wants("buffer-batch-copy")) {
            measure("shm0", SHORT_BYTES, this::shortBesideCopies);
        }
        if (run.wants("buffer-batch-udma")) {
            measure("udma0", LONG_BYTES, this::longBesidePosts);
        }
    }

    /** Measures what has been opened. */
    private interface Measuring {
        void run(Buffers buffers);
    }

    private static void measure(String device, int lengthBytes, Measuring measuring) throws Exception {
        try (Urma urma = Urma.open()) {
            UrmaContext home = urma.device(device).openContext();
            UrmaContext user = urma.device(device).openContext();
            PoolConfig config = PoolConfig.fixed(lengthBytes, TRANSFERS);
            try (RegisteredBufferPool exporting = RegisteredBufferPool.open(config, home);
                    RegisteredBufferPool using = RegisteredBufferPool.open(config, user)) {
                Buffers buffers = Buffers.of(user, exporting, using, lengthBytes);
                Pinned.run(0, () -> measuring.run(buffers));
            }
        }
    }

    /** A remote buffer for each local one. */
    private record Buffers(UrmaContext user, List<RemoteBuf> remotes, List<RdmaBuf> locals, int lengthBytes) {
        static Buffers of(
                UrmaContext user, RegisteredBufferPool exporting, RegisteredBufferPool using, int lengthBytes) {
            List<RemoteBuf> remotes = new ArrayList<>();
            List<RdmaBuf> locals = new ArrayList<>();
            Peer peer = Peer.of(user);
            for (int i = 0; i < TRANSFERS; i++) {
                RdmaBuf exported = exporting.acquire(lengthBytes, Duration.ZERO);
                remotes.add(exported.exportTo(peer, exported.view(), Access.READ_WRITE));
                locals.add(using.acquire(lengthBytes, Duration.ZERO));
            }
            return new Buffers(user, remotes, locals, lengthBytes);
        }

        BatchOp batch(Transfers transfers) {
            BatchOp batch = transfers.writeBatch();
            for (int i = 0; i < TRANSFERS; i++) {
                batch.add(remotes.get(i), locals.get(i).view());
            }
            return batch;
        }
    }

    private void shortBesidePosts(Buffers buffers) {
        besidePosts(
                buffers,
                SHORT_BATCHES,
                "buffer-batch",
                "BatchOp of 64 WRITEs of 4 KiB until all have ended; the same posts by hand");
    }

    private void longBesidePosts(Buffers buffers) {
        besidePosts(buffers, LONG_BATCHES, "buffer-batch-udma", "the same of 64 KiB on udma0; the same posts by hand");
    }

    private void besidePosts(Buffers buffers, int batches, String name, String what) {
        try (Transfers transfers = Transfers.open(POLLED, buffers.user);
                Posts posts = Posts.open(buffers)) {
            run.tell(Figure.speed(
                    name,
                    what,
                    run.alternation()
                            .measure(
                                    Timed.of(batches(transfers, buffers.batch(transfers)), batches),
                                    Timed.of(posts, batches)),
                    new AtLeast(0.95)));
        }
    }

    private void shortBesideCopies(Buffers buffers) {
        try (Transfers transfers = Transfers.open(POLLED, buffers.user);
                Arena arena = Arena.ofShared()) {
            MemorySegment from = arena.allocate((long) TRANSFERS * buffers.lengthBytes, 4096);
            MemorySegment to = arena.allocate((long) TRANSFERS * buffers.lengthBytes, 4096);
            run.tell(Figure.speed(
                    "buffer-batch-copy",
                    "BatchOp of 64 WRITEs of 4 KiB until all have ended; copies of the same bytes",
                    run.alternation()
                            .measure(
                                    Timed.of(batches(transfers, buffers.batch(transfers)), SHORT_BATCHES),
                                    Timed.of(copies(from, to, buffers.lengthBytes), SHORT_BATCHES)),
                    new AtLeast(0.75)));
        }
    }

    private static Loop batches(Transfers transfers, BatchOp batch) {
        return operations -> {
            long ended = 0;
            for (int i = 0; i < operations; i++) {
                batch.submit(LIMIT);
                while (!batch.isIdle()) {
                    ended += transfers.poll();
                }
                if (!batch.isSuccess()) {
                    throw new IllegalStateException(batch.result().toString());
                }
            }
            return ended;
        };
    }

    private static Loop copies(MemorySegment from, MemorySegment to, int lengthBytes) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                for (long at = 0; at < from.byteSize(); at += lengthBytes) {
                    MemorySegment.copy(from, at, to, at, lengthBytes);
                }
            }
            return operations;
        };
    }

    /** The same WRITEs by a queue of our own, with as many of them in a post and as few records. */
    private static final class Posts implements Loop, AutoCloseable {
        private final Jfc jfc;
        private final Jfs jfs;
        private final List<RemoteWindow> windows = new ArrayList<>();
        private final List<LocalSegment> segments = new ArrayList<>();
        private final long[] offsets = new long[TRANSFERS];
        private final int lengthBytes;
        private final WorkRequestList list = new WorkRequestList(PER_POST, 1);
        private final CompletionBatch records = new CompletionBatch(16);

        private Posts(Jfc jfc, Jfs jfs, int lengthBytes) {
            this.jfc = jfc;
            this.jfs = jfs;
            this.lengthBytes = lengthBytes;
        }

        static Posts open(Buffers buffers) {
            UrmaContext user = buffers.user;
            Jfc jfc = user.createJfc(new JfcConfig(512, true));
            Jfs jfs = user.createJfs(
                    jfc, JfsConfig.builder().depth(256).lockFree(true).build());
            Posts posts = new Posts(jfc, jfs, buffers.lengthBytes);
            var slab = buffers.remotes.getFirst().windows().getFirst().segment();
            RemoteSegment imported = user.importSegment(slab, null);
            for (int i = 0; i < TRANSFERS; i++) {
                RemoteBuf.Window window = buffers.remotes.get(i).windows().getFirst();
                RemoteSegment of =
                        window.segment().equals(slab) ? imported : user.importSegment(window.segment(), null);
                posts.windows.add(of.importWindow(window.key()));
                BufView view = buffers.locals.get(i).view();
                posts.segments.add(view.localSegment(user));
                posts.offsets[i] = view.localOffset();
            }
            return posts;
        }

        @Override
        public long run(int operations) {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                int ended = 0;
                for (int first = 0; first < TRANSFERS; first += PER_POST) {
                    post(first);
                    ended += jfc.poll(records);
                }
                while (ended < TRANSFERS / PER_POST) {
                    ended += jfc.poll(records);
                }
                sum += records.lengthBytes(0);
            }
            return sum;
        }

        private void post(int first) {
            list.clear();
            for (int i = first; i < first + PER_POST; i++) {
                list.write(windows.get(i), 0, i)
                        .from(segments.get(i), offsets[i], lengthBytes)
                        .flags(i == first + PER_POST - 1 ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
            }
            if (jfs.post(list) < PER_POST) {
                throw new IllegalStateException(String.valueOf(list.refusal()));
            }
        }

        @Override
        public void close() {
            jfs.close();
            jfc.close();
        }
    }
}
