package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §15: device memory of a home that the importer's process opens, so that its own devices reach it. */
public abstract class OpenedSegmentsContract extends Contract {
    private static final int KB = 1024;
    private static final int MB = 1024 * KB;
    private static final int MARGIN = 100;

    private final Arena arena = Arena.ofAuto();

    protected OpenedSegmentsContract(String device) {
        super(device);
    }

    @Override
    boolean opensDeviceMemory() {
        return true;
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().deviceMemory(), "the device takes no device memory");
        allocate(1); // the library of the initiator knows the devices, from here on
    }

    private record Imported(HomeDeviceSegment home, RemoteSegment remote) {}

    private Imported imported(long lengthBytes, Access access) {
        HomeDeviceSegment home = pair.home().deviceSegment(lengthBytes, access);
        return new Imported(home, pair.initiator().context().importSegment(home.shared()));
    }

    /** A segment that this process has opened. */
    private Imported opened(long lengthBytes, Access access) {
        Imported imported = imported(lengthBytes, access);
        assumeTrue(imported.remote().isOneSided(), "this device or client opens no memory of other processes");
        return imported;
    }

    private Imported opened(long lengthBytes) {
        return opened(lengthBytes, Access.READ_WRITE);
    }

    private DeviceMemory allocate(long lengthBytes) {
        return DevicesUnderTest.allocate(pair.urma(), lengthBytes);
    }

    private DeviceMemory allocate(long lengthBytes, Payload payload) {
        DeviceMemory memory = allocate(lengthBytes);
        MemorySegment bytes = arena.allocate(lengthBytes);
        payload.fill(bytes, 0, 0, lengthBytes);
        memory.copyFrom(0, bytes);
        return memory;
    }

    private LocalSegment registered(DeviceMemory memory) {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    private static boolean isZero(MemorySegment bytes, long offset, long lengthBytes) {
        return bytes.asSlice(offset, lengthBytes).elements(JAVA_BYTE).allMatch(one -> one.get(JAVA_BYTE, 0) == 0);
    }

    /** S15.47: exactly the bytes of a request move, between memory of the host and the opened memory. */
    @Rule({"S15.47", "S15.10"})
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 63, 4097, 65_537, MB + 3, 5 * MB + 1})
    void bytesMoveBetweenHostAndOpenedMemory(int lengthBytes) {
        int offset = Seed.randomFor("opened" + lengthBytes).nextInt(1, MARGIN);
        var opened = opened(lengthBytes + 2L * MARGIN);
        var payload = new Payload(Seed.OF_RUN);
        var source = pair.initiator().buffer(lengthBytes + 16L, payload);
        var target = pair.initiator().buffer(lengthBytes + 2L * MARGIN);
        var queue = pair.initiator().queue();

        assertThat(queue.write(opened.remote(), offset, source, 8, lengthBytes))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(opened.home().firstDifference(payload, offset, 8, lengthBytes))
                .isEqualTo(-1);
        assertThat(opened.home().isZero(0, offset)).isTrue();
        assertThat(opened.home().isZero((long) offset + lengthBytes, 2L * MARGIN - offset))
                .isTrue();

        assertThat(queue.read(opened.remote(), offset, target, 16, lengthBytes))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.READ, Outcome::opcode);
        assertThat(payload.firstDifference(target.memory(), 16, 8, lengthBytes)).isEqualTo(-1);
        assertThat(isZero(target.memory(), 0, 16)).isTrue();
        assertThat(isZero(target.memory(), 16L + lengthBytes, MARGIN)).isTrue();
        assertThat(opened.remote().isOneSided()).isTrue();
    }

    /** S15.47: exactly the bytes of a request move, from device to device. */
    @Rule({"S15.47", "S15.10"})
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4097, MB + 3, 5 * MB + 1})
    void bytesMoveFromDeviceToOpenedMemory(int lengthBytes) {
        var opened = opened(lengthBytes + 64L);
        var payload = new Payload(Seed.OF_RUN + 1);
        DeviceMemory here = allocate(lengthBytes + 64L, payload);
        var local = registered(here);
        var queue = pair.initiator().queue();

        assertThat(queue.write(opened.remote(), 3, local, 5, lengthBytes).isSuccess())
                .isTrue();
        assertThat(opened.home().firstDifference(payload, 3, 5, lengthBytes)).isEqualTo(-1);
        assertThat(opened.home().isZero(0, 3)).isTrue();
        assertThat(opened.home().isZero(3L + lengthBytes, 61)).isTrue();
        here.fill(0, lengthBytes + 64L, (byte) 0);
        assertThat(queue.read(opened.remote(), 3, local, 9, lengthBytes).isSuccess())
                .isTrue();

        MemorySegment bytes = arena.allocate(lengthBytes + 64L);
        here.copyTo(0, bytes);
        assertThat(payload.firstDifference(bytes, 9, 5, lengthBytes)).isEqualTo(-1);
        assertThat(isZero(bytes, 0, 9)).isTrue();
        assertThat(isZero(bytes, 9L + lengthBytes, 55)).isTrue();
    }

    /** S15.47: the bytes of a notified WRITE are there when its word or its record is seen. */
    @Rule({"S15.47", "S15.12"})
    @Test
    void notifiedBytesAreInTheOpenedMemory() {
        int length = 300 * KB;
        var opened = opened(length);
        var flag = pair.imported(64);
        var receiver = pair.receiver(64);
        var queue = pair.initiator().queue();
        for (int round = 1; round <= 10; round++) {
            var payload = new Payload(round);
            var source = registered(allocate(length, payload));
            queue.postAll(new WorkRequestList(1, 1)
                    .writeNotify(opened.remote(), 0, flag.remote(), 8, round, round)
                    .from(source, 0, length));
            flag.home().awaitWord(8, round);
            assertThat(opened.home().firstDifference(payload, 0, 0, length)).isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();

            var next = new Payload(1000 + round);
            var buffer = pair.initiator().buffer(length, next);
            receiver.receive(1, 64, round);
            queue.postAll(new WorkRequestList(1, 1)
                    .writeImmediate(receiver.target(), opened.remote(), 0, round, round)
                    .from(buffer, 0, length));
            assertThat(receiver.queue().next()).returns((long) round, Outcome::userContext);
            assertThat(opened.home().firstDifference(next, 0, 0, length)).isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        }
    }

    /** S15.47: blocks of opened memory reach blocks of a device. */
    @Rule({"S15.47", "S16.8"})
    @Test
    void blocksMoveFromOpenedMemory() {
        int block = 4 * KB;
        var opened = opened(16L * block);
        var payload = new Payload(Seed.OF_RUN + 2);
        opened.home().fill(payload);
        DeviceMemory here = allocate(16L * block);
        var local = registered(here);
        var queue = pair.initiator().queue();
        int[] remoteBlocks = {3, 4, 5, 15, 0};
        int[] localBlocks = {0, 1, 9, 2, 8};

        try (var pages = PreparedTransfer.of(queue.jfs(), List.of(opened.remote()), local, block, 16)) {
            assertThat(pages.post(Opcode.READ, localBlocks, remoteBlocks, 5)).isTrue();
            assertThat(queue.awaitCompletion())
                    .returns(CompletionStatus.SUCCESS, Outcome::status)
                    .returns(5L * block, Outcome::lengthBytes);
        }

        MemorySegment bytes = arena.allocate(16L * block);
        here.copyTo(0, bytes);
        for (int i = 0; i < remoteBlocks.length; i++) {
            assertThat(payload.firstDifference(
                            bytes, (long) localBlocks[i] * block, (long) remoteBlocks[i] * block, block))
                    .isEqualTo(-1);
        }
    }

    /** S15.47: many blocks of opened memory move exactly, more than one call of an engine takes. */
    @Rule({"S15.47", "S16.8"})
    @ParameterizedTest
    @CsvSource({"host, READ", "host, WRITE", "device, READ", "device, WRITE"})
    void manyBlocksMoveToAndFromOpenedMemory(String place, Opcode opcode) {
        int count = 200;
        var opened = opened((long) count * KB);
        var payload = new Payload(Seed.OF_RUN + 3);
        opened.home().fill(payload);
        var own = new Payload(Seed.OF_RUN + 4);
        DeviceMemory device = allocate((long) count * KB, own);
        var local = place.equals("host") ? pair.initiator().buffer((long) count * KB, own) : registered(device);
        var queue = pair.initiator().queue();
        int[] localBlocks = PreparingContract.shuffled(count, Seed.randomFor("opened blocks"));
        int[] remoteBlocks = PreparingContract.upTo(count);

        try (var pages = PreparedTransfer.of(queue.jfs(), List.of(opened.remote()), local, KB, count)) {
            assertThat(pages.post(opcode, localBlocks, remoteBlocks, 6)).isTrue();
            assertThat(queue.awaitCompletion())
                    .returns(CompletionStatus.SUCCESS, Outcome::status)
                    .returns((long) count * KB, Outcome::lengthBytes);
        }

        MemorySegment here = place.equals("host") ? local.memory() : arena.allocate((long) count * KB);
        if (!place.equals("host")) {
            device.copyTo(0, here);
        }
        for (int i = 0; i < count; i++) {
            long localAt = (long) localBlocks[i] * KB;
            long remoteAt = (long) remoteBlocks[i] * KB;
            long difference = opcode == Opcode.READ
                    ? payload.firstDifference(here, localAt, remoteAt, KB)
                    : opened.home().firstDifference(own, remoteAt, localAt, KB);
            assertThat(difference).as("block " + i).isEqualTo(-1);
        }
    }

    /** S15.47, S15.33: atomics ask the home, so they count exactly beside opened memory's READs and WRITEs. */
    @Rule({"S15.47", "S15.33"})
    @Test
    void atomicsAskTheHome() {
        var opened = opened(4096, Access.READ_WRITE_ATOMIC);
        var result = pair.initiator().buffer(64);
        var queue = pair.initiator().queue();
        for (int round = 0; round < 20; round++) {
            assertThat(queue.jfs()
                            .atomic(Opcode.FADD, opened.remote(), 8, result, 0, 8, 3, 0, round, PostFlags.DEFAULT))
                    .isTrue();
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();
            assertThat(result.memory().get(JAVA_LONG, 0)).isEqualTo(3L * round);
            assertThat(queue.write(opened.remote(), 16, result, 0, 8).isSuccess())
                    .isTrue();
            assertThat(queue.read(opened.remote(), 8, result, 8, 8).isSuccess()).isTrue();
            assertThat(result.memory().get(JAVA_LONG, 8)).isEqualTo(3L * (round + 1));
        }
        assertThat(opened.home().word(16)).isEqualTo(3L * 19);
    }

    /** S15.48: what an importer may not write, or reaches by windows alone, is not opened: its home serves it. */
    @Rule({"S15.48", "S15.32"})
    @ParameterizedTest
    @EnumSource(
            value = Access.class,
            names = {"READ", "READ_WRITE"})
    void memoryToReadIsServed(Access access) {
        var payload = new Payload(4);
        var target = pair.initiator().buffer(4096);
        HomeDeviceSegment home;
        RemoteSegment remote;
        if (access == Access.READ) {
            home = pair.home().deviceSegment(4096, access);
            remote = pair.initiator().context().importSegment(home.shared());
            home.fill(payload);
            assertThat(pair.initiator().queue().read(remote, 0, target, 0, 4096).isSuccess())
                    .isTrue();
            assertThat(payload.firstDifference(target.memory(), 0, 0, 4096)).isEqualTo(-1);
        } else {
            assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
            home = pair.home().windowsOnlyDeviceSegment(4096, access);
            home.grantTo(pair.initiator().context().peerId(), 0, 64, access);
            remote = pair.initiator().context().importSegment(home.descriptor(), null);
        }

        assertThat(remote.isOneSided()).isFalse();
        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().queue().jfs().write(remote, 0, target, 0, 8, 1));
    }

    /** S15.32: an import for reading does not write, also where it has opened the memory. */
    @Rule({"S15.32", "S15.47"})
    @Test
    void importForReadingDoesNotWriteOpenedMemory() {
        HomeDeviceSegment home = pair.home().deviceSegment(4096, Access.READ_WRITE);
        var remote = pair.initiator()
                .context()
                .importSegment(home.descriptor(), home.shared().token(), Access.READ);
        var source = pair.initiator().buffer(64, new Payload(1));

        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().queue().jfs().write(remote, 0, source, 0, 8, 1));
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().queue().jfs().read(remote, 4090, source, 0, 8, 1));
        assertThat(home.isZero(0, 4096)).isTrue();
    }

    /** S15.49: a revocation waits for importers that have the memory open, and no byte moves afterwards. */
    @Rule({"S15.49", "S7.9"})
    @Test
    void revocationWaitsForOpenedMemory() throws Exception {
        int size = MB;
        var opened = opened(size);
        var source = registered(allocate(size, new Payload(1)));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(64).build());
        Thread posting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20; i++) {
                queue.jfs().write(opened.remote(), 0, source, 0, size, i);
            }
        });

        assertThat(opened.home().unregister(Patience.LIMIT).isComplete()).isTrue();
        opened.home().put(0, new byte[size]);

        assertThat(opened.remote().isRevoked()).isTrue();
        posting.join();
        assertLastFails(queue, opened.remote(), source, 20);
        assertThat(opened.home().isZero(0, size)).isTrue();
    }

    /** One more request fails, and each of all has ended once. */
    private static void assertLastFails(SendSide queue, RemoteSegment revoked, LocalSegment source, int before) {
        assertThat(queue.jfs().write(revoked, 0, source, 0, 8, before)).isTrue();
        List<SendSide.Result> ended = queue.drainAndFlush();
        assertThat(ended)
                .extracting(SendSide.Result::userContext)
                .hasSize(before + 1)
                .doesNotHaveDuplicates();
        assertThat(ended).last().matches(result -> result.status() != CompletionStatus.SUCCESS);
        assertThat(ended)
                .extracting(SendSide.Result::status)
                .containsAnyOf(CompletionStatus.REM_ACCESS_ABORT_ERR, CompletionStatus.ACK_TIMEOUT_ERR);
    }

    /** S15.50: memory that is freed under requests in flight: each ends once, and no later allocation changes. */
    @Rule({"S15.50", "S15.21", "S15.22"})
    @Test
    void freeOfOpenedMemoryChangesNoOther() throws Exception {
        int depth = 32;
        int size = 256 * KB;
        for (int round = 0; round < Patience.amount(10, 4); round++) {
            var opened = opened(size);
            var source = registered(allocate(size, new Payload(round)));
            var queue =
                    pair.initiator().queue(JfsConfig.builder().depth(2 * depth).build());
            Thread posting = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < depth; i++) {
                    queue.jfs().write(opened.remote(), 0, source, 0, size, i);
                }
            });

            opened.home().freeByForce();
            HomeDeviceSegment next = pair.home().deviceSegment(size, Access.READ_WRITE);

            posting.join();
            Patience.await("the revocation at the importer", opened.remote()::isRevoked);
            assertLastFails(queue, opened.remote(), source, depth);
            assertThat(next.isZero(0, size)).isTrue();
            assertThat(next.unregister(Patience.LIMIT).isComplete()).isTrue();
        }
        assertThat(pair.home().awaitEvent(AsyncEvent.Type.MEM_INVALIDATED).detail())
                .contains("FREED");
    }

    /** S12.4: a home that is killed with requests in flight: each ends once, and later ones fail. */
    @Rule({"S12.4", "S15.49"})
    @Test
    void deathOfTheHomeEndsRequestsOnOpenedMemory() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        int depth = 64;
        int size = 256 * KB;
        var opened = opened(size);
        var source = registered(allocate(size, new Payload(1)));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(2 * depth).build());
        Thread posting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < depth; i++) {
                queue.jfs().write(opened.remote(), 0, source, 0, size, i);
            }
        });

        processOfHome().kill();

        posting.join();
        Patience.await("the loss of the home", opened.remote()::isRevoked);
        assertLastFails(queue, opened.remote(), source, depth);
    }

    /** S12.4, S15.49: an importer that is killed holds nothing open. */
    @Rule({"S12.4", "S15.49", "S15.50"})
    @Test
    void deadImporterHoldsNothingOpen() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        pair.home().deviceSegment(64, Access.READ); // its library knows the devices
        var home = pair.initiator().asHome().deviceSegment(4 * MB, Access.READ_WRITE);
        var there = pair.home().importSegment(home.shared());
        assertThat(there.write(0, new byte[] {1, 2, 3}).isSuccess()).isTrue();
        Thread writing = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 1_000_000; i++) {
                    there.write(8, new byte[] {1, (byte) i});
                }
            } catch (RuntimeException e) {
                // its process was killed
            }
        });
        Patience.await("writes of the importer", () -> home.word(8) != 0);

        processOfHome().kill();

        writing.join();
        assertThat(home.unregister(Patience.LIMIT).isComplete()).isTrue();
        home.setWord(8, 0);
        assertThat(home.word(8)).isZero();
        home.freeByForce();
    }
}
