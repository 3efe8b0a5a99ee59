package io.urma4j.bench.gpu;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.bench.Alternation;
import io.urma4j.bench.ChildProcess;
import io.urma4j.bench.Limit;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Records;
import io.urma4j.bench.Timed;
import io.urma4j.cuda.CudaClient;
import io.urma4j.cuda.CudaDriver;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DmaEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Requests on device memory of another process, which this process opens by IPC, beside the driver's own calls on memory of this
 * process: from memory of the host, and from the device to itself.
 */
final class IpcPart {
    private static final long PAGE_BYTES = 4096;
    private static final int BLOCKS = 4096;
    private static final int BLOCK_BYTES = 64 << 10;
    private static final long LENGTH_BYTES = (long) BLOCKS * BLOCK_BYTES;
    private static final int HOST_BYTES = 16 << 20;
    private static final int DEVICE_BYTES = 64 << 20;
    private static final int CHUNK_BYTES = 32 << 20;
    private static final int DEVICE_COPIES = 8; // timed at once
    private static final Limit FROM_HOST = new AtLeast(0.85);
    private static final Limit ON_DEVICE = new AtLeast(0.9);
    private static final Limit NONE = new AtLeast(0);

    private IpcPart() {}

    static void run(PartRun run) throws Exception {
        CudaDriver driver = run.driver();
        try (Urma urma = Urma.open(run.options());
                DeviceMemory own = allocate(urma);
                UrmaContext context = urma.device("shm0").openContext();
                LocalSegment device = context.register(own, SegmentConfig.of(Access.LOCAL_ONLY));
                ChildProcess home = DeviceHome.start(run, DeviceHome.Way.OPENED, LENGTH_BYTES);
                RemoteSegment remote = context.importSegment(SharedSegment.parse(home.hear()))) {
            if (!remote.isOneSided()) {
                throw notOpened(driver, own, remote);
            }
            LocalSegment host = context.register(context.allocate(Copies.FOOTPRINT_BYTES), Access.LOCAL_ONLY);
            RemoteCopies fromHost = new RemoteCopies(context, remote, host);
            RoundTrip.check(fromHost, home, run.report());
            RemoteCopies onDevice = new RemoteCopies(context, remote, device);
            try (PreparedTransfer blocks =
                            PreparedTransfer.of(onDevice.jfs(), List.of(remote), device, BLOCK_BYTES, BLOCKS);
                    DeviceMemory target = allocate(urma)) {
                BlockCopies copies = new BlockCopies(blocks, onDevice);
                check(copies, own, home, run.report());
                compare(driver, fromHost, onDevice, copies, own, target, run.report());
            }
        }
    }

    private static DeviceMemory allocate(Urma urma) {
        return urma.peerMemory().allocate(CudaClient.NAME, PartRun.ORDINAL, LENGTH_BYTES);
    }

    /** A sandbox may refuse IPC; otherwise this is a failure. */
    private static Exception notOpened(CudaDriver driver, DeviceMemory own, RemoteSegment remote) {
        try {
            driver.ipcHandle(own.address());
        } catch (UrmaException e) {
            return new SkippedException("the driver has no IPC here: " + e.reason());
        }
        return new IllegalStateException(remote + " was not opened, though the driver makes handles");
    }

    /** By calls of the driver, from memory of this process on the device to other memory of this process. */
    private record WithinCopies(HandCopies copies, long target, long source) {
        Timed large() {
            return Timed.of(
                    count -> {
                        for (int i = 0; i < count; i++) {
                            copies.startWithin(target, source, DEVICE_BYTES);
                            copies.await();
                        }
                        return count;
                    },
                    DEVICE_COPIES);
        }

        Timed blocks() {
            return Timed.of(
                    count -> {
                        for (int block = 0; block < BLOCKS; block++) {
                            long to = target + (long) BlockCopies.place(block) * BLOCK_BYTES;
                            copies.startWithin(to, source + (long) block * BLOCK_BYTES, BLOCK_BYTES);
                        }
                        copies.await();
                        return count;
                    },
                    1);
        }
    }

    /** All blocks in one request, each to another place. */
    private static final class BlockCopies {
        private final PreparedTransfer transfer;
        private final RemoteCopies queue;
        private final int[] local = IntStream.range(0, BLOCKS).toArray();
        private final int[] remote =
                IntStream.range(0, BLOCKS).map(BlockCopies::place).toArray();

        BlockCopies(PreparedTransfer transfer, RemoteCopies queue) {
            this.transfer = transfer;
            this.queue = queue;
        }

        /** A permutation without neighbours that stay neighbours. */
        static int place(int block) {
            return block * 1667 % BLOCKS; // 1667 is odd, hence prime to their number
        }

        Timed timed() {
            return Timed.of(
                    count -> {
                        write();
                        return count;
                    },
                    1);
        }

        void write() {
            Records.accepted(transfer.post(Opcode.WRITE, local, remote, 0));
            queue.await();
        }
    }

    /** The blocks arrive, each at its place. */
    private static void check(BlockCopies copies, DeviceMemory own, ChildProcess home, Report report)
            throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment bytes = arena.allocate(LENGTH_BYTES, Long.BYTES);
            MemorySegment moved = arena.allocate(LENGTH_BYTES, Long.BYTES);
            RoundTrip.fill(bytes);
            for (int block = 0; block < BLOCKS; block++) {
                long to = (long) BlockCopies.place(block) * BLOCK_BYTES;
                MemorySegment.copy(bytes, (long) block * BLOCK_BYTES, moved, to, BLOCK_BYTES);
            }
            own.copyFrom(0, bytes);
            copies.write();
            if (DeviceHome.checksum(home, LENGTH_BYTES) == DeviceHome.checksum(moved)) {
                report.line("%d blocks of %d KiB written from device to device: every byte is right"
                        .formatted(BLOCKS, BLOCK_BYTES >> 10));
            } else {
                report.failed("the blocks that were written are not what the home has");
            }
        }
    }

    private static void compare(
            CudaDriver driver,
            RemoteCopies fromHost,
            RemoteCopies onDevice,
            BlockCopies blocks,
            DeviceMemory own,
            DeviceMemory target,
            Report report)
            throws IOException {
        try (Arena arena = Arena.ofShared();
                var region = target.pin(true, List.of())) {
            MemorySegment host =
                    arena.allocate(Copies.FOOTPRINT_BYTES, PAGE_BYTES).fill((byte) 1);
            try (DmaEngine.Pinning _ = region.engine().pinHost(host);
                    HandCopies byHand = HandCopies.open(driver, PartRun.ORDINAL, target.address(), host.address())) {
                WithinCopies within = new WithinCopies(byHand, target.address(), own.address());
                Stream<Supplier<Comparison>> rows = Stream.of(
                        () -> row(
                                "gpu-ipc-write-16m",
                                "WRITE to memory opened by IPC, speed beside cuMemcpyHtoDAsync_v2",
                                FROM_HOST,
                                fromHost.timed(HOST_BYTES, true, CHUNK_BYTES),
                                byHand.timed(HOST_BYTES, true, CHUNK_BYTES)),
                        () -> row(
                                "gpu-ipc-read-16m",
                                "READ from it, speed beside cuMemcpyDtoHAsync_v2",
                                NONE,
                                fromHost.timed(HOST_BYTES, false, CHUNK_BYTES),
                                byHand.timed(HOST_BYTES, false, CHUNK_BYTES)),
                        () -> row(
                                "gpu-ipc-device-64m",
                                "device to itself, speed beside cuMemcpyDtoDAsync_v2",
                                ON_DEVICE,
                                onDevice.timed(DEVICE_BYTES, true, DEVICE_COPIES * DEVICE_BYTES),
                                within.large()),
                        () -> row(
                                "gpu-ipc-blocks-64k",
                                "4,096 blocks of the device, speed beside a loop of cuMemcpyDtoDAsync_v2",
                                ON_DEVICE,
                                blocks.timed(),
                                within.blocks()));
                Comparison.report(rows.map(Supplier::get), report);
            }
        }
    }

    private static Comparison row(String name, String what, Limit limit, Timed subject, Timed byHand) {
        return new Comparison(
                name, what, new Alternation(15, 150_000_000, 400_000_000).measure(subject, byHand), limit);
    }
}
