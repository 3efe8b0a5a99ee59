package io.urma4j.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.ContextOptions;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowGrant;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An importer that opens a home's device memory: which device copies, and when the home may use the memory again. Two libraries, each
 * with simulated NPUs of its own, stand for two processes.
 */
class OpenedMemoryTest {
    private static final int SIZE = 3 << 20;
    private static final NpuConfig SHARING = NpuConfig.DEFAULT.withIpc(true);

    private final Arena arena = Arena.ofShared();
    private Path directory;
    private SimulatedNpus homeNpus;
    private SimulatedNpus npus;
    private Urma homeUrma;
    private Urma urma;
    private UrmaContext home;
    private UrmaContext importer;
    private Jfc jfc;
    private Jfs jfs;
    private DeviceMemory memory;
    private LocalSegment segment;

    @BeforeEach
    void open(@TempDir Path temporary) {
        directory = temporary;
        homeNpus = new SimulatedNpus(SHARING);
        npus = new SimulatedNpus(SHARING);
        homeUrma = library(homeNpus);
        urma = library(npus);
        home = homeUrma.device("shm0").openContext();
        importer = urma.device("shm0").openContext();
        jfc = importer.createJfc(JfcConfig.DEFAULT);
        jfs = importer.createJfs(jfc, JfsConfig.DEFAULT);
        memory = homeUrma.peerMemory().allocate("npu", 0, SIZE);
        memory.fill(0, SIZE, (byte) 0);
    }

    private Urma library(SimulatedNpus devices) {
        Urma opened = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        opened.peerMemory().add(devices);
        return opened;
    }

    @AfterEach
    void close() {
        homeNpus.stop(0, false);
        urma.close();
        homeUrma.close();
        arena.close();
        assertThat(homeNpus.violations()).isEmpty();
        assertThat(npus.violations()).isEmpty();
    }

    private RemoteSegment imported(SegmentConfig config) {
        segment = home.register(memory, config);
        return importer.importSegment(segment.descriptor(), segment.token());
    }

    private RemoteSegment opened() {
        RemoteSegment remote = imported(SegmentConfig.of(Access.READ_WRITE));
        assertThat(remote.isOneSided()).isTrue();
        return remote;
    }

    private LocalSegment local(int lengthBytes, byte value) {
        DeviceMemory here = urma.peerMemory().allocate("npu", 0, lengthBytes);
        here.fill(0, lengthBytes, value);
        return importer.register(here, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    private CompletionStatus ended() {
        CompletionBatch one = new CompletionBatch(1);
        Patience.await("a record", () -> jfc.poll(one) == 1);
        return one.status(0);
    }

    private CompletionStatus write(RemoteSegment to, LocalSegment from, int lengthBytes) {
        assertThat(jfs.write(to, 0, from, 0, lengthBytes, 1)).isTrue();
        return ended();
    }

    private byte homeByte(long offset) {
        MemorySegment one = arena.allocate(1);
        memory.copyTo(offset, one);
        return one.get(JAVA_BYTE, 0);
    }

    /** Counts the copies of the home's engine from now on. */
    private AtomicInteger homeCopies() {
        AtomicInteger copies = new AtomicInteger();
        for (int nth = 1; nth <= 1000; nth++) {
            homeNpus.faults().on("copy", nth, copies::incrementAndGet);
        }
        return copies;
    }

    @Test
    void homeIsNotNeededForReadsAndWrites() {
        RemoteSegment remote = opened();
        LocalSegment device = local(SIZE, (byte) 7);
        LocalSegment host = importer.register(importer.allocate(SIZE), Access.LOCAL_ONLY);
        homeNpus.stop(0, true); // its engine copies nothing

        assertThat(write(remote, device, SIZE)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(jfs.read(remote, 0, host, 0, SIZE, 2)).isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(host.memory().get(JAVA_BYTE, SIZE - 1)).isEqualTo((byte) 7);
        host.memory().fill((byte) 8);
        assertThat(write(remote, host, SIZE)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(jfs.read(remote, 0, device, 0, SIZE, 3)).isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);

        homeNpus.stop(0, false);
        assertThat(homeByte(0)).isEqualTo((byte) 8);
        assertThat(homeByte(SIZE - 1)).isEqualTo((byte) 8);
    }

    /** One copy for a range, whatever its length: nothing goes through memory of the host. */
    @Test
    void deviceCopiesInOneHop() {
        RemoteSegment remote = opened();
        LocalSegment device = local(SIZE, (byte) 7);
        AtomicInteger copies = new AtomicInteger();
        for (int nth = 1; nth <= 100; nth++) {
            npus.faults().on("copy", nth, copies::incrementAndGet);
        }

        assertThat(write(remote, device, SIZE)).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(copies).hasValue(1);
    }

    @Test
    void atomicsAndWritesBesideThemAskTheHome() {
        RemoteSegment remote = imported(SegmentConfig.of(Access.READ_WRITE_ATOMIC));
        assertThat(remote.isOneSided()).isTrue();
        LocalSegment host = importer.register(importer.allocate(64), Access.LOCAL_ONLY);
        AtomicInteger copies = homeCopies();

        assertThat(jfs.read(remote, 0, host, 0, 8, 1)).isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(copies).as("copies of the home for a READ").hasValue(0);
        assertThat(write(remote, host, 8)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(copies).as("copies of the home for a WRITE").hasValue(1);
        assertThat(jfs.atomic(Opcode.FADD, remote, 8, host, 8, 8, 5, 0, 1, PostFlags.DEFAULT))
                .isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(copies).as("copies of the home for an atomic").hasValue(3);
        assertThat(host.memory().get(JAVA_LONG, 8)).isZero();
    }

    @Test
    void windowOfOpenedMemoryBeginsAtItsOffset() {
        RemoteSegment remote = opened();
        WindowGrant grant = segment.grant(segment.importing().getFirst(), 4096, 64, Access.READ_WRITE);
        RemoteWindow window = remote.importWindow(grant.key());
        LocalSegment host = importer.register(importer.allocate(64), Access.LOCAL_ONLY);
        host.memory().fill((byte) 9);
        homeNpus.stop(0, true);

        assertThat(window.write(jfs, 8, host, 0, 8, 1, PostFlags.DEFAULT)).isTrue();

        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        homeNpus.stop(0, false);
        assertThat(homeByte(8)).isZero();
        assertThat(homeByte(4096 + 7)).isZero();
        assertThat(homeByte(4096 + 8)).isEqualTo((byte) 9);
        grant.takeBack();
        assertThat(window.write(jfs, 8, host, 0, 8, 2, PostFlags.DEFAULT)).isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void segmentToReadIsServed() {
        RemoteSegment remote = imported(SegmentConfig.of(Access.READ));

        assertThat(remote.isOneSided()).isFalse();
        assertServed(remote);
    }

    private void assertServed(RemoteSegment remote) {
        LocalSegment host = importer.register(importer.allocate(64), Access.LOCAL_ONLY);
        AtomicInteger copies = homeCopies();
        assertThat(jfs.read(remote, 0, host, 0, 8, 1)).isTrue();
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(copies).hasValue(1);
    }

    @Test
    void isolatedAndForeignMemoryIsServed() {
        assertThat(imported(SegmentConfig.of(Access.READ_WRITE).withIsolation()).isOneSided())
                .isFalse();
        assertServed(importer.importSegment(segment.descriptor(), segment.token()));
        DeviceMemory part = homeUrma.peerMemory().wrap("npu", 0, memory.address() + 4096, 4096);
        LocalSegment foreign = home.register(part, SegmentConfig.of(Access.READ_WRITE));
        assertThat(importer.importSegment(foreign.descriptor(), foreign.token()).isOneSided())
                .isFalse();
    }

    @Test
    void importerWithoutSuchDevicesIsServed() {
        try (Urma other = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory))) {
            other.peerMemory().add(new SimulatedNpus(NpuConfig.DEFAULT));
            segment = home.register(memory, SegmentConfig.of(Access.READ_WRITE));
            UrmaContext there = other.device("shm0").openContext();

            assertThat(there.importSegment(segment.descriptor(), segment.token())
                            .isOneSided())
                    .isFalse();
        }
    }

    /** The devices of both ends differ, so the handle is refused, and the home serves. */
    @Test
    void handleThatCannotBeOpenedIsServed() {
        try (Urma other = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory))) {
            other.peerMemory().add(new SimulatedNpus(SHARING.withPageBytes(4096)));
            segment = home.register(memory, SegmentConfig.of(Access.READ_WRITE));
            UrmaContext there = other.device("shm0").openContext();
            RemoteSegment remote = there.importSegment(segment.descriptor(), segment.token());

            assertThat(remote.isOneSided()).isFalse();
            assertThat(segment.unregister(Patience.LIMIT).isComplete()).isTrue();
            assertThat(remote.isRevoked()).isTrue();
        }
    }

    /** A driver may take its time: until the memory is open, the home serves the import. */
    @Test
    void slowDriverDelaysNoImportBeyondItsTimeout() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        npus.faults().on("open", 1, () -> awaitUninterrupted(opening));
        segment = home.register(memory, SegmentConfig.of(Access.READ_WRITE));
        UrmaContext hasty =
                urma.device("shm0").openContext(0, ContextOptions.DEFAULT.withImportTimeout(Duration.ofSeconds(1)));

        RemoteSegment remote = hasty.importSegment(segment.descriptor(), segment.token());

        assertThat(remote.isOneSided()).isFalse();
        opening.countDown();
        Patience.await("the opened memory", remote::isOneSided);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies of the importer that its device does not make are made by the home. */
    @Test
    void homeServesAfterAResetOfTheImportersDevice() {
        RemoteSegment remote = opened();

        npus.reset(0);

        assertThat(remote.isOneSided()).isFalse();
        assertServed(remote);
    }

    @Test
    void revocationEndsCopiesInProgress() throws Exception {
        LocalSegment device = local(SIZE, (byte) 7);
        long pinned = npus.pinnedBytes(0);
        RemoteSegment remote = opened();
        CountDownLatch started = new CountDownLatch(1);
        npus.faults().on("copy", 1, started::countDown);
        npus.stop(0, true); // its engine takes copies, and makes no progress
        Thread posting = Thread.ofPlatform().start(() -> jfs.write(remote, 0, device, 0, SIZE, 1));
        started.await();
        npus.faults().on("putPages", 1, () -> LockSupport.parkNanos(200_000_000)); // its driver takes its time

        assertThat(segment.unregister(Patience.LIMIT).isComplete()).isTrue();

        assertThat(npus.pinnedBytes(0)).as("bytes that are still open").isEqualTo(pinned);
        npus.stop(0, false);
        posting.join();
        assertThat(ended()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(homeByte(0)).isZero();
        assertThat(homeByte(SIZE - 1)).isZero();
    }

    /** An import that was closed holds nothing, and the home need not ask it. */
    @Test
    void closedImportHasNothingOpen() {
        RemoteSegment remote = opened();
        long pinned = npus.pinnedBytes(0);
        assertThat(pinned).isPositive();

        remote.close();

        assertThat(npus.pinnedBytes(0)).isZero();
        assertThat(segment.unregister(Duration.ofSeconds(10)).isComplete()).isTrue();
        memory.close();
        DeviceMemory next = homeUrma.peerMemory().allocate("npu", 0, SIZE);
        assertThat(next.address()).isEqualTo(memory.address());
    }

    @Test
    void memoryThatIsOpenIsFreedOnceItsImportersHaveClosedIt() {
        RemoteSegment remote = opened();

        memory.closeByForce();

        Patience.await("the revocation", remote::isRevoked);
        Patience.await("the free", this::isFree);
    }

    /** Whether the client knows the address no more. */
    private boolean isFree() {
        try (DeviceMemory allocated = homeUrma.peerMemory().wrap("npu", 0, memory.address(), SIZE)) {
            return allocated.lengthBytes() != SIZE;
        } catch (UrmaException e) {
            return true;
        }
    }

    @Test
    void registeredMemoryIsNotFreed() {
        RemoteSegment remote = opened();
        try {
            memory.close();
            throw new AssertionError("it was freed");
        } catch (UrmaException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.EAGAIN);
        }
        assertThat(remote.isOneSided()).isTrue();
    }

    /** The home's device has lost its memory, but an importer still writes it: no other allocation changes. */
    @Test
    void resetOfTheHomesDeviceChangesNoOtherMemory() {
        RemoteSegment remote = opened();

        homeNpus.reset(0);

        Patience.await("the revocation", remote::isRevoked);
        LocalSegment host = importer.register(importer.allocate(64), Access.LOCAL_ONLY);
        assertThat(write(remote, host, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }
}
