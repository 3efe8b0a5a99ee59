package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Device memory as a local range, beside the copy engine alone: what the way through host memory costs. */
final class PeerSuite {
    private static final int BYTES = 1 << 20;
    private static final int BATCH = 16;

    private static final int OPERATIONS = 64; // of a chunk: the whole footprint
    private static final int WRITES = 1000; // to measure the host's

    /** More than fits caches: bytes of a device come from memory. */
    private static final long FOOTPRINT_BYTES = 64L * BYTES;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Numbers.Run run;

    PeerSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("peer-")) {
            return;
        }
        long rate = hostBytesPerSecond() / 2;
        SimulatedNpus npus = new SimulatedNpus(NpuConfig.DEFAULT.withBytesPerSecond(rate));
        try (Urma urma = Urma.open(Loopback.options());
                Arena arena = Arena.ofShared()) {
            urma.peerMemory().add(npus);
            DeviceMemory memory = urma.peerMemory().allocate(SimulatedNpus.NAME, 0, FOOTPRINT_BYTES);
            try (CopyStream stream = npus.engine(0).openStream()) {
                Engine engine = new Engine(stream, memory.address(), touched(arena));
                Queue queue = Queue.open(urma, memory);
                measure(queue, engine);
            }
        }
    }

    private static MemorySegment touched(Arena arena) {
        return arena.allocate(FOOTPRINT_BYTES, 4096).fill((byte) 1);
    }

    /** The place of an operation: one after the other. */
    private static long place(int operation) {
        return operation * (long) BYTES % FOOTPRINT_BYTES;
    }

    private void measure(Queue queue, Engine engine) {
        speed("peer-write-1m", "WRITE 1 MiB from device memory, one at a time", queue.writes(1), engine.reads(1), 0.8);
        speed("peer-read-1m", "READ 1 MiB into device memory, one at a time", queue.reads(1), engine.writes(1), 0.8);
        speed(
                "peer-write-1m-16",
                "WRITE 1 MiB from device memory, 16 posted",
                queue.writes(BATCH),
                engine.reads(BATCH),
                0.9);
        speed(
                "peer-read-1m-16",
                "READ 1 MiB into device memory, 16 posted",
                queue.reads(BATCH),
                engine.writes(BATCH),
                0.9);
    }

    private void speed(String name, String what, Loop subject, Loop engine, double limit) {
        run.speed(
                name,
                what + ", speed beside the engine",
                run.alternation().forLongChunks(5),
                Timed.of(subject, OPERATIONS),
                Timed.of(engine, OPERATIONS),
                limit);
    }

    /** What a WRITE of host memory makes on this machine: the engine gets half of it, so that the ratio means something. */
    private static long hostBytesPerSecond() {
        try (LocalPair pair = new LocalPair("shm0", true, FOOTPRINT_BYTES)) {
            double[] nanos = new double[WRITES];
            for (int i = 0; i < WRITES; i++) {
                long start = System.nanoTime();
                Records.accepted(pair.jfs.write(pair.remote, place(i), pair.local, place(i), BYTES, i));
                pair.one();
                nanos[i] = System.nanoTime() - start;
            }
            return (long) (BYTES * 1e9 / Rounds.median(nanos));
        }
    }

    /** The engine alone, between the device and host memory. */
    private record Engine(CopyStream stream, long address, MemorySegment host) {
        Loop reads(int batch) {
            return loop(batch, (at, copy) -> stream.copyOut(address + at, host.asSlice(at, BYTES), copy));
        }

        Loop writes(int batch) {
            return loop(batch, (at, copy) -> stream.copyIn(address + at, host.asSlice(at, BYTES), copy));
        }

        private interface Start {
            void start(long at, Copy copy);
        }

        private static Loop loop(int batch, Start start) {
            Copy[] copies = new Copy[batch];
            for (int i = 0; i < batch; i++) {
                copies[i] = new Copy();
            }
            return operations -> {
                for (int i = 0; i < operations; i += batch) {
                    for (int j = 0; j < batch; j++) {
                        start.start(place(i + j), copies[j]);
                    }
                    for (Copy copy : copies) {
                        check(copy);
                    }
                }
                return operations;
            };
        }

        private static void check(Copy copy) {
            if (!copy.await(PATIENCE.toNanos()) || copy.failure() != null) {
                throw new IllegalStateException(copy.toString());
            }
        }
    }

    /** A queue whose local range is device memory. */
    private record Queue(Jfs jfs, Jfc jfc, RemoteSegment remote, LocalSegment local, CompletionBatch records) {
        static Queue open(Urma urma, DeviceMemory memory) {
            UrmaContext home = urma.device("shm0").openContext();
            LocalSegment segment = home.register(home.allocate(FOOTPRINT_BYTES), Access.READ_WRITE);
            segment.memory().fill((byte) 1);
            UrmaContext context = urma.device("shm0").openContext();
            Jfc jfc = context.createJfc(new JfcConfig(4 * BATCH, false));
            return new Queue(
                    context.createJfs(jfc, JfsConfig.builder().depth(2 * BATCH).build()),
                    jfc,
                    context.importSegment(SharedSegment.parse(segment.share())),
                    context.register(memory, SegmentConfig.of(Access.LOCAL_ONLY)),
                    new CompletionBatch(BATCH));
        }

        Loop writes(int batch) {
            return loop(batch, at -> jfs.write(remote, at, local, at, BYTES, 1));
        }

        Loop reads(int batch) {
            return loop(batch, at -> jfs.read(remote, at, local, at, BYTES, 1));
        }

        private interface Post {
            boolean post(long at);
        }

        private Loop loop(int batch, Post post) {
            return operations -> {
                long sum = 0;
                for (int i = 0; i < operations; i += batch) {
                    for (int j = 0; j < batch; j++) {
                        Records.accepted(post.post(place(i + j)));
                    }
                    sum += await(batch);
                }
                return sum;
            };
        }

        private long await(int due) {
            long sum = 0;
            for (int seen = 0; seen < due; ) {
                int count = jfc.poll(records);
                sum += Records.sum(records, count);
                seen += count;
            }
            return sum;
        }
    }
}
