package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import io.urma4j.PostFlags;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.TransferNotice;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.WindowGrant;
import io.urma4j.WorkRequestList;
import io.urma4j.buffer.BatchOp;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferProgress;
import io.urma4j.buffer.Transfers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * At the queue level no operation allocates on the Java heap, with locks or without: the parameter of a subclass, which
 * names its device and how often each operation is done, says which.
 */
@SuppressWarnings("NullAway.Init") // everything is opened before each test
public abstract class AllocationContract {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private static Path runtime;

    @Parameter
    boolean lockFree;

    private final String device;
    private final int warmUp;
    private final int operations;
    private final int windows;
    private Urma urma;
    private LocalSegment local;
    private RemoteSegment remote;
    private Jfc jfc;
    private Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(16);

    private LocalSegment home;
    private Jfc homeJfc;
    private Jfr homeJfr;
    private TargetJetty target;
    private final CompletionBatch homeBatch = new CompletionBatch(16);
    private final MemorySegment payload = Arena.ofAuto().allocate(16, 8);

    /**
     * For a device.
     *
     * @param warmUp how often an operation is done before anything counts
     * @param windows how often its bytes are counted
     * @param operations of each window
     */
    protected AllocationContract(String device, int warmUp, int windows, int operations) {
        this.device = device;
        this.warmUp = warmUp;
        this.windows = windows;
        this.operations = operations;
    }

    @BeforeEach
    void openInitiatorAndHome() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime));
        UrmaContext homeContext = urma.device(device).openContext();
        home = homeContext.register(homeContext.allocate(4096), Access.READ_WRITE_ATOMIC);
        homeJfc = homeContext.createJfc(new JfcConfig(256, lockFree));
        homeJfr = homeContext.createJfr(homeJfc, JfrConfig.builder().build());
        UrmaContext context = urma.device(device).openContext();
        local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
        remote = context.importSegment(SharedSegment.parse(home.share()));
        jfc = context.createJfc(new JfcConfig(256, lockFree));
        jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(lockFree).build());
        target = context.importJetty(SharedJetty.parse(homeJfr.share()));
    }

    @AfterEach
    void close() {
        urma.close();
    }

    @Test
    void writeAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.write(remote, 0, local, 0, 8, 1);
            take(jfc, batch);
        });
    }

    @Test
    void longWriteAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.write(remote, 1, local, 3, 1000, 1);
            take(jfc, batch);
        });
    }

    @Test
    void readAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.read(remote, 0, local, 0, 8, 1);
            take(jfc, batch);
        });
    }

    /** Nor do loads and stores of its bytes. */
    @Test
    void operationsOnViewsAllocateNothing() {
        var config = JfsConfig.builder().lockFree(lockFree).build();
        try (RdmaBuf buf = RdmaBuf.allocate(local.context(), 4096);
                BufQueue queue = BufQueue.open(local.context(), config)) {
            BufView view = buf.view().subrange(64, 8);
            assertAllocatesNothing(() -> {
                view.putLong(0, view.getLong(0) + 1);
                view.putInt(4, view.getInt(0));
                queue.write(remote, 0, view, 1);
                take(queue, batch);
                queue.read(remote, 0, view, 2);
                take(queue, batch);
            });
        }
    }

    /** A batch that is posted again, and polled by the caller. */
    @Test
    void batchOfTransfersAllocatesNothing() {
        UrmaContext context = local.context();
        assumeTrue(urma.device(device).attributes().capabilities().windows(), "the device has no windows");
        UrmaContext homeContext = home.context();
        LocalSegment slab = homeContext.register(
                homeContext.allocate(4096), SegmentConfig.of(Access.READ_WRITE).withWindowsOnly());
        WindowGrant grant = slab.grant(context.peerId(), 0, 4096, Access.READ_WRITE);
        RemoteBuf target = RemoteBuf.of(List.of(new RemoteBuf.Window(0, 0, slab.descriptor(), grant.key())));
        TransferOptions options = TransferOptions.builder()
                .progress(TransferProgress.BY_CALLER)
                .perPost(4)
                .build();
        try (RdmaBuf buf = RdmaBuf.allocate(context, 4096);
                Transfers transfers = Transfers.open(options, context)) {
            BatchOp batch = transfers.writeBatch();
            for (int i = 0; i < 6; i++) {
                batch.add(
                        target.subrange(64L * i, 64),
                        buf.view().first(32),
                        buf.view().last(32));
            }
            assertAllocatesNothing(() -> {
                batch.submit(PATIENCE);
                long deadline = System.nanoTime() + PATIENCE.toNanos();
                while (!batch.isIdle()) {
                    transfers.poll();
                    checkInTime(deadline);
                }
                if (!batch.isSuccess()) {
                    throw new AssertionError(batch.result());
                }
            });
        }
    }

    @Test
    void atomicsAllocateNothing() {
        assertAllocatesNothing(() -> {
            jfs.fetchAndAdd(remote, 0, local, 0, 1, 1);
            take(jfc, batch);
            jfs.compareAndSwap(remote, 0, local, 0, 1, 2, 1);
            take(jfc, batch);
            jfs.atomic(Opcode.FXOR, remote, 8, local, 8, 4, 5, 0, 1, PostFlags.DEFAULT);
            take(jfc, batch);
        });
    }

    @Test
    void messageAllocatesNothingAtEitherEnd() {
        assertAllocatesNothing(() -> {
            homeJfr.receive(home, 0, 64, 2);
            jfs.send(target, local, 0, 64, 1);
            take(homeJfc, homeBatch);
            take(jfc, batch);
        });
    }

    @Test
    void messageWithAnImmediateAllocatesNothingAtEitherEnd() {
        assertAllocatesNothing(() -> {
            homeJfr.receive(home, 0, 64, 2);
            jfs.sendImmediate(target, local, 0, 64, 7, 1);
            take(homeJfc, homeBatch);
            take(jfc, batch);
        });
    }

    /** Of host memory, with its notice. */
    @Test
    void preparedTransferAllocatesNothing() {
        var blocks = PreparedTransfer.of(jfs, List.of(remote), local, 64, 64);
        var notice = TransferNotice.word(remote, 4088);
        int[] here = {5, 1, 2, 3};
        int[] there = {9, 8, 2, 3};
        assertAllocatesNothing(() -> {
            blocks.post(Opcode.WRITE, here, there, 1, notice, 7);
            take(jfc, batch);
            blocks.post(Opcode.READ, here, there, 2);
            take(jfc, batch);
        });
    }

    /** Only the last of the eight makes a record. */
    @Test
    void writesWithoutRecordsAllocateNothing() {
        PostFlags silent = PostFlags.DEFAULT.unsignalled();
        assertAllocatesNothing(() -> {
            for (int i = 0; i < 7; i++) {
                jfs.write(remote, 8L * i, local, 0, 8, 1, silent);
            }
            jfs.write(remote, 56, local, 0, 8, 1);
            take(jfc, batch);
        });
    }

    /** Several ranges, and an inline payload of the caller. */
    @Test
    void listAllocatesNothing() {
        var list = new WorkRequestList(4, 2);
        assertAllocatesNothing(() -> {
            list.clear()
                    .write(remote, 0, 1)
                    .from(local, 0, 8)
                    .from(local, 64, 8)
                    .write(remote, 128, 2)
                    .inline(payload)
                    .writeNotify(remote, 256, remote, 512, 7, 3)
                    .from(local, 0, 8);
            jfs.post(list);
            for (int records = 0; records < 3; ) {
                take(jfc, batch);
                records += batch.size();
            }
        });
    }

    @Test
    void writeWithAnImmediateAllocatesNothingAtEitherEnd() {
        var list = new WorkRequestList(1, 1);
        assertAllocatesNothing(() -> {
            homeJfr.receive(home, 0, 64, 2);
            list.clear().writeImmediate(target, remote, 0, 7, 1).from(local, 0, 8);
            jfs.post(list);
            take(homeJfc, homeBatch);
            take(jfc, batch);
        });
    }

    /** Where they are no work requests: elsewhere each call has a lane to itself, and whatever that costs. */
    @Test
    void wordsOfMappedMemoryAllocateNothing() {
        assumeTrue(urma.device(device).attributes().capabilities().mappable(), "the device does not map segments");
        try (RemoteMemory memory = RemoteMemory.of(remote)) {
            assertAllocatesNothing(() -> {
                memory.writeLong(0, 5);
                memory.fetchAndAdd(0, 3);
                memory.compareAndSwap(0, 8, 1);
                memory.writeInt(8, 5);
                memory.fetchAndAddInt(8, 3);
                memory.compareAndSwapInt(8, 8, memory.readInt(8));
                if (memory.readLong(0) != 1) {
                    throw new AssertionError(memory);
                }
            });
        }
    }

    /** Where the writer asks for room by work requests, now and then, that is no operation of its own. */
    @Test
    void messageByPipeAllocatesNothing() {
        try (PipeReader reader = home.context().openPipe();
                PipeWriter writer = remote.context().openPipeTo(reader.share())) {
            MemorySegment message = payload;
            PipeReader.Handler handler = (memory, offset, lengthBytes) -> {};
            assertAllocatesNothing(() -> {
                boolean isSent = writer.trySend(message);
                while (isSent && reader.poll(handler, 4) == 0) {
                    Thread.onSpinWait();
                }
            });
            assertThat(reader.counters().get("received")).isGreaterThan(operations);
        }
    }

    /**
     * Each message needs what the reader has freed. A writer that does not map the pipe asks for it by a work request, and
     * makes an object if it sleeps until the answer; so one look without a sleep counts.
     */
    @Test
    void lookAtTheReadersCreditAllocatesNothing() {
        try (PipeReader reader = home.context().openPipe(4096);
                PipeWriter writer = remote.context().openPipeTo(reader.share())) {
            MemorySegment message = Arena.ofAuto().allocate(writer.maxMessageBytes());
            PipeReader.Handler handler = (memory, offset, lengthBytes) -> {};
            Runnable operation = () -> {
                while (!writer.trySend(message)) {
                    Thread.onSpinWait();
                }
                while (reader.poll(handler, 4) == 0) {
                    Thread.onSpinWait();
                }
            };
            repeat(operation, warmUp);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            long least = bytesOf(operation);
            while (least > 0 && System.nanoTime() - deadline < 0) {
                least = Math.min(least, bytesOf(operation));
            }
            assertThat(least).as("bytes allocated by one message").isZero();
        }
    }

    private static long bytesOf(Runnable operation) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        operation.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void pollThatFindsNothingAllocatesNothing() {
        assertAllocatesNothing(() -> jfc.poll(batch));
    }

    private static void take(Jfc from, CompletionBatch into) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (from.poll(into) == 0) {
            checkInTime(deadline);
        }
        checkSuccess(into);
    }

    private static void take(BufQueue from, CompletionBatch into) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (from.poll(into) == 0) {
            checkInTime(deadline);
        }
        checkSuccess(into);
    }

    private static void checkInTime(long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("no record within " + PATIENCE);
        }
    }

    private static void checkSuccess(CompletionBatch records) {
        if (!records.isSuccess(0)) {
            throw new AssertionError(records);
        }
    }

    /**
     * The lower quartile of all windows counts. Other windows may allocate a few bytes: if the machine takes the CPU
     * away until an engine falls asleep, a native call wakes it, which is rare here and therefore interpreted. Code
     * that is not compiled yet makes allocations that the compiler removes. So there is a deadline, and no number of
     * tries.
     */
    private void assertAllocatesNothing(Runnable operation) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        repeat(operation, warmUp);
        long[] bytes = bytesOfWindows(operation);
        while (bytes[windows / 4] != 0 && System.nanoTime() - deadline < 0) {
            bytes = bytesOfWindows(operation);
        }
        assertThat(bytes[windows / 4])
                .as("bytes allocated by %d operations, lower quartile of %s", operations, Arrays.toString(bytes))
                .isZero();
    }

    private long[] bytesOfWindows(Runnable operation) {
        long[] bytes = new long[windows];
        for (int i = 0; i < windows; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(operation, operations);
            bytes[i] = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        Arrays.sort(bytes);
        return bytes;
    }

    private static void repeat(Runnable operation, int times) {
        for (int i = 0; i < times; i++) {
            operation.run();
        }
    }
}
