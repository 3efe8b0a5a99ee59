package io.urma4j.bench.gpu;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Alternation;
import io.urma4j.bench.ChildProcess;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Rounds;
import io.urma4j.bench.Timed;
import io.urma4j.cuda.CudaClient;
import io.urma4j.cuda.CudaDriver;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DmaEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Requests on the device memory of another process, beside the slower of what they consist of: the driver's copy, and the copy of
 * one thread from memory to memory.
 */
final class ServedPart {
    private static final long FOOTPRINT_BYTES = Copies.FOOTPRINT_BYTES;
    private static final long PAGE_BYTES = 4096;
    private static final int[] LENGTHS = {64 << 10, 1 << 20, 16 << 20};
    private static final int GATED_BYTES = 16 << 20;
    private static final double LIMIT = 0.7;
    private static final double ANY = 0; // a figure without a limit
    private static final int CHUNK_BYTES = 32 << 20;
    private static final int TRIES = 30;

    private ServedPart() {}

    static void run(PartRun run) throws Exception {
        CudaDriver driver = run.driver();
        try (Urma urma = Urma.open(run.options());
                DeviceMemory memory = urma.peerMemory().allocate(CudaClient.NAME, PartRun.ORDINAL, FOOTPRINT_BYTES);
                UrmaContext context = urma.device("shm0").openContext();
                ChildProcess home = DeviceHome.start(run, DeviceHome.Way.SERVED, FOOTPRINT_BYTES);
                RemoteSegment remote = context.importSegment(SharedSegment.parse(home.hear()))) {
            LocalSegment local = context.register(context.allocate(FOOTPRINT_BYTES), Access.LOCAL_ONLY);
            RemoteCopies served = new RemoteCopies(context, remote, local);
            RoundTrip.check(served, home, run.report());
            try (Arena arena = Arena.ofShared();
                    var region = memory.pin(true, List.of())) {
                MemorySegment host = arena.allocate(FOOTPRINT_BYTES, PAGE_BYTES).fill((byte) 1);
                MemorySegment other =
                        arena.allocate(FOOTPRINT_BYTES, PAGE_BYTES).fill((byte) 2);
                try (DmaEngine.Pinning _ = region.engine().pinHost(host);
                        HandCopies byHand =
                                HandCopies.open(driver, PartRun.ORDINAL, memory.address(), host.address())) {
                    compare(served, byHand, new HostCopies(host, other), run.report());
                }
            }
        }
    }

    /** By the calling thread, in memory of the host. */
    private record HostCopies(MemorySegment one, MemorySegment other) implements Copies {
        @Override
        public void in(long at, int lengthBytes) {
            MemorySegment.copy(one, at, other, at, lengthBytes);
        }

        @Override
        public void out(long at, int lengthBytes) {
            MemorySegment.copy(other, at, one, at, lengthBytes);
        }
    }

    private static void compare(RemoteCopies served, HandCopies byHand, Copies memcpy, Report report)
            throws IOException {
        Stream<Comparison> rows = Arrays.stream(LENGTHS)
                .boxed()
                .flatMap(length -> Stream.of(true, false).map(isIn -> compare(served, byHand, memcpy, length, isIn)));
        Comparison.report(rows, report);
    }

    private static Comparison compare(Copies served, Copies byHand, Copies memcpy, int lengthBytes, boolean isIn) {
        Timed subject = served.timed(lengthBytes, isIn, CHUNK_BYTES);
        Timed driver = byHand.timed(lengthBytes, isIn, CHUNK_BYTES);
        Timed thread = memcpy.timed(lengthBytes, isIn, CHUNK_BYTES);
        boolean isDriverSlower = quick(driver) > quick(thread);
        Rounds rounds =
                new Alternation(15, 150_000_000, 400_000_000).measure(subject, isDriverSlower ? driver : thread);
        String length = lengthBytes < 1 << 20 ? (lengthBytes >> 10) + "k" : (lengthBytes >> 20) + "m";
        String what = "%s device memory of another process, speed beside %s"
                .formatted(isIn ? "WRITE to" : "READ from", isDriverSlower ? "the driver's copy" : "memcpy");
        return new Comparison(
                "gpu-served-" + (isIn ? "write-" : "read-") + length,
                what,
                rounds,
                new AtLeast(lengthBytes == GATED_BYTES ? LIMIT : ANY));
    }

    private static double quick(Timed timed) {
        double[] nanos = new double[TRIES];
        for (int i = 0; i < TRIES; i++) {
            nanos[i] = timed.chunkNanos();
        }
        return Rounds.median(nanos);
    }
}
