package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.WorkRequestList;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §15: memory of GPUs and NPUs as segments that peers import. */
public abstract class DeviceSegmentsContract extends ServingContract {
    private static final int MARGIN = 100;

    private final Arena arena = Arena.ofAuto();

    protected DeviceSegmentsContract(String device) {
        super(device);
    }

    private DeviceMemory allocate(long lengthBytes) {
        return DevicesUnderTest.allocate(pair.urma(), lengthBytes);
    }

    private LocalSegment registered(DeviceMemory memory) {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    // ---- one-sided operations

    /** S15.10: a WRITE reaches exactly its bytes of the home's device. */
    @Rule({"S15.10", "S15.12"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 4095, 4096, 4097, 65_535, 65_537, 256 * KB, MB + 3, 5 * MB + 1})
    void writeReachesTheDeviceOfTheHome(int lengthBytes) {
        int offset = Seed.randomFor("served write" + lengthBytes).nextInt(1, MARGIN);
        var imported = imported(lengthBytes + 2L * MARGIN);
        var payload = new Payload(Seed.OF_RUN);
        var source = pair.initiator().buffer(lengthBytes + 16L, payload);

        assertThat(pair.initiator().queue().write(imported.remote(), offset, source, 8, lengthBytes))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);

        assertThat(imported.home().firstDifference(payload, offset, 8, lengthBytes))
                .isEqualTo(-1);
        assertThat(imported.home().isZero(0, offset)).isTrue();
        assertThat(imported.home().isZero((long) offset + lengthBytes, 2L * MARGIN - offset))
                .isTrue();
    }

    /** S15.10: a READ returns exactly its bytes of the home's device. */
    @Rule({"S15.10", "S15.12"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 4095, 4096, 4097, 65_535, 65_537, 256 * KB, MB + 3, 5 * MB + 1})
    void readReturnsBytesOfTheDeviceOfTheHome(int lengthBytes) {
        int offset = Seed.randomFor("served read" + lengthBytes).nextInt(1, MARGIN);
        var imported = imported(lengthBytes + MARGIN, Access.READ);
        var payload = new Payload(Seed.OF_RUN + 1);
        imported.home().fill(payload);
        var target = pair.initiator().buffer(lengthBytes + 2L * MARGIN);

        assertThat(pair.initiator().queue().read(imported.remote(), offset, target, 16, lengthBytes))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.READ, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);

        assertThat(payload.firstDifference(target.memory(), 16, offset, lengthBytes))
                .isEqualTo(-1);
        assertThat(isZero(target.memory(), 0, 16)).isTrue();
        assertThat(isZero(target.memory(), 16L + lengthBytes, MARGIN)).isTrue();
    }

    private static boolean isZero(MemorySegment bytes, long offset, long lengthBytes) {
        return bytes.asSlice(offset, lengthBytes).elements(JAVA_BYTE).allMatch(one -> one.get(JAVA_BYTE, 0) == 0);
    }

    /** S15.10: both ranges may lie on devices. */
    @Rule("S15.10")
    @ParameterizedTest
    @ValueSource(ints = {1, 4097, MB + 3, 3 * MB})
    void bytesTravelFromDeviceToDevice(int lengthBytes) {
        var imported = imported(lengthBytes + 64L);
        var payload = new Payload(Seed.OF_RUN);
        DeviceMemory here = allocate(lengthBytes + 64L);
        MemorySegment bytes = arena.allocate(lengthBytes + 64L);
        payload.fill(bytes, 0, 0, lengthBytes + 64L);
        here.copyFrom(0, bytes);
        var local = registered(here);
        var queue = pair.initiator().queue();

        assertThat(queue.write(imported.remote(), 3, local, 5, lengthBytes).isSuccess())
                .isTrue();
        assertThat(imported.home().firstDifference(payload, 3, 5, lengthBytes)).isEqualTo(-1);
        here.fill(0, lengthBytes + 64L, (byte) 0);
        assertThat(queue.read(imported.remote(), 3, local, 9, lengthBytes).isSuccess())
                .isTrue();

        here.copyTo(0, bytes);
        assertThat(payload.firstDifference(bytes, 9, 5, lengthBytes)).isEqualTo(-1);
        assertThat(isZero(bytes, 0, 9)).isTrue();
    }

    /** S15.10: several local ranges, an inline payload, and nothing at all. */
    @Rule("S15.10")
    @Test
    void everyFormOfRequestReachesTheDevice() {
        int length = 3 * 100_000;
        var imported = imported(length);
        var payload = new Payload(Seed.OF_RUN);
        var source = pair.initiator().buffer(length, payload);
        var target = pair.initiator().buffer(length);
        var queue = pair.initiator().queue();
        var list = new WorkRequestList(4, 8);

        list.write(imported.remote(), 0, 1)
                .from(source, 0, 100_000)
                .from(source, 100_000, 100_000)
                .from(source, 200_000, 100_000);
        list.read(imported.remote(), 0, 2)
                .into(target, 0, 1)
                .into(target, 1, 199_999)
                .into(target, 200_000, 100_000);
        list.write(imported.remote(), 7, 3).inline(MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5}));
        list.write(imported.remote(), length, 4).from(source, 0, 0);
        queue.postAll(list);

        assertThat(queue.awaitCompletions(4))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(payload.firstDifference(target.memory(), 0, 0, length)).isEqualTo(-1);
        assertThat(imported.home().get(7, 5)).containsExactly(1, 2, 3, 4, 5);
        assertThat(imported.home().firstDifference(payload, 12, 12, length - 12))
                .isEqualTo(-1);
    }

    /** S15.12: a reader that sees the word of a WRITE_NOTIFY, or the record of a WRITE_IMM, finds the bytes on the device. */
    @Rule("S15.12")
    @Test
    void notifiedBytesAreOnTheDevice() {
        int length = 300 * KB;
        var imported = imported(length);
        var flag = pair.imported(64);
        var receiver = pair.receiver(64);
        var queue = pair.initiator().queue();
        for (int round = 1; round <= 10; round++) {
            var payload = new Payload(round);
            var source = pair.initiator().buffer(length, payload);
            receiver.receive(1, 64, round);
            queue.postAll(new WorkRequestList(1, 1)
                    .writeNotify(imported.remote(), 0, flag.remote(), 8, round, round)
                    .from(source, 0, length));
            flag.home().awaitWord(8, round);
            assertThat(imported.home().firstDifference(payload, 0, 0, length)).isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();

            var next = new Payload(1000 + round);
            next.fill(source.memory(), 0, 0, length);
            queue.postAll(new WorkRequestList(1, 1)
                    .writeImmediate(receiver.target(), imported.remote(), 0, round, round)
                    .from(source, 0, length));
            assertThat(receiver.queue().next()).returns((long) round, Outcome::userContext);
            assertThat(imported.home().firstDifference(next, 0, 0, length)).isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();
            source.close();
        }
    }

    /** S15.12: requests on device memory keep their order among themselves and with those on host memory. */
    @Rule({"S15.12", "S8.9"})
    @Test
    void requestsKeepTheirOrder() {
        int rounds = Patience.amount(200, 40);
        var onDevice = imported(8 * KB);
        var onHost = pair.imported(8 * KB);
        var source = pair.initiator().buffer(8 * KB, new Payload(1));
        var back = pair.initiator().buffer(8 * KB);
        var queue = pair.initiator().queue(JfsConfig.builder().depth(512).build());
        var random = Seed.randomFor("served order");

        for (int i = 0; i < rounds; i++) {
            var remote = random.nextBoolean() ? onDevice.remote() : onHost.remote();
            assertThat(queue.jfs().write(remote, 0, source, 0, random.nextInt(8 * KB), i))
                    .isTrue();
        }
        assertThat(queue.jfs().write(onDevice.remote(), 0, source, 0, 8 * KB, rounds))
                .isTrue();
        assertThat(queue.jfs().read(onDevice.remote(), 0, back, 0, 8 * KB, rounds + 1))
                .isTrue();

        List<Outcome> outcomes = queue.awaitCompletions(rounds + 2);
        assertThat(outcomes).allMatch(Outcome::isSuccess);
        assertThat(outcomes).extracting(Outcome::userContext).isSorted();
        assertThat(new Payload(1).firstDifference(back.memory(), 0, 0, 8 * KB)).isEqualTo(-1);
    }

    // ---- atomics

    /** S15.33: each atomic on device memory, of 4 and 8 bytes. */
    @Rule("S15.33")
    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"CAS", "SWAP", "FADD", "FSUB", "FAND", "FOR", "FXOR"})
    void atomicsWorkOnTheDevice(Opcode opcode) {
        var imported = imported(4096, Access.READ_WRITE_ATOMIC);
        var result = pair.initiator().buffer(64);
        var jfs = pair.initiator().queue().jfs();
        for (int sizeBytes : new int[] {4, 8}) {
            imported.home().setWord(16, 0x0102_0304_0506_0708L);
            long before = sizeBytes == 4 ? 0x0506_0708L : 0x0102_0304_0506_0708L;

            assertThat(jfs.atomic(opcode, imported.remote(), 16, result, 8, sizeBytes, 3, before, 1, PostFlags.DEFAULT))
                    .isTrue();
            assertThat(pair.initiator().awaitCompletion().isSuccess()).isTrue();

            long mask = sizeBytes == 4 ? 0xFFFF_FFFFL : -1;
            assertThat(result.memory().get(JAVA_LONG, 8) & mask).isEqualTo(before);
            assertThat(imported.home().word(16) & mask).isEqualTo(after(opcode, before) & mask);
            assertThat(imported.home().word(16) & ~mask).isEqualTo(0x0102_0304_0506_0708L & ~mask);
            assertThat(imported.home().isZero(0, 16)).isTrue();
            assertThat(imported.home().isZero(24, 8)).isTrue();
        }
    }

    private static long after(Opcode opcode, long before) {
        return switch (opcode) {
            case CAS, SWAP -> 3;
            case FADD -> before + 3;
            case FSUB -> before - 3;
            case FAND -> before & 3;
            case FOR -> before | 3;
            case FXOR -> before ^ 3;
            default -> throw new IllegalArgumentException(opcode.toString());
        };
    }

    /** S15.33: atomics of several importers count exactly, whatever else they write to the region. */
    @Rule("S15.33")
    @Test
    void atomicsOfSeveralImportersAreAtomic() throws Exception {
        int importers = 3;
        int rounds = Patience.amount(150, 30);
        var home = pair.home().deviceSegment(4096, Access.READ_WRITE_ATOMIC);
        var seen = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        var failures = new ArrayList<Throwable>();
        for (int i = 0; i < importers; i++) {
            Initiator one = pair.anotherInitiator();
            RemoteSegment remote = one.context().importSegment(home.shared());
            LocalSegment result = one.buffer(64);
            long place = 64L * (i + 1);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    for (int round = 0; round < rounds; round++) {
                        assertThat(one.queue()
                                        .jfs()
                                        .atomic(Opcode.FADD, remote, 8, result, 0, 8, 1, 0, round, PostFlags.DEFAULT))
                                .isTrue();
                        assertThat(one.awaitCompletion().isSuccess()).isTrue();
                        seen.addAndGet(result.memory().get(JAVA_LONG, 0));
                        assertThat(one.queue()
                                        .write(remote, place, result, 0, 8)
                                        .isSuccess())
                                .isTrue();
                    }
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(failures).isEmpty();
        long total = (long) importers * rounds;
        assertThat(home.word(8)).isEqualTo(total);
        assertThat(seen.get()).as("the sum of all values before").isEqualTo(total * (total - 1) / 2);
    }

    // ---- access

    /** S15.32: an import for reading does not write. */
    @Rule("S15.32")
    @Test
    void importForReadingDoesNotWrite() {
        var imported = imported(4096, Access.READ);
        var source = pair.initiator().buffer(64);

        assertRefused(
                UrmaStatus.ENOPERM, () -> pair.initiator().queue().jfs().write(imported.remote(), 0, source, 0, 8, 1));
        assertRefused(
                UrmaStatus.ENOPERM,
                () -> pair.initiator()
                        .context()
                        .importSegment(
                                imported.home().descriptor(),
                                imported.home().shared().token(),
                                Access.READ_WRITE));
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** S15.36: the descriptor tells that the home serves the segment; no host loads from it. */
    @Rule("S15.36")
    @Test
    void descriptorTellsThatTheHomeServes() {
        var imported = imported(4096);
        var capabilities = imported.home().descriptor().capabilities();

        assertThat(capabilities.memory()).isEqualTo(MemoryKind.DEVICE);
        assertThat(capabilities.oneSided()).isFalse();
        assertThat(capabilities.mappable()).isFalse();
        assertThat(imported.remote().lengthBytes()).isEqualTo(4096);
        assertRefused(UrmaStatus.EINVAL, imported.remote()::map);
        var mine = pair.initiator().asHome().deviceSegment(4096, Access.READ);
        assertRefused(UrmaStatus.EINVAL, () -> mine.publish("device")).hasMessageContaining("device memory");
    }

    /** S14.31: a window opens its range of a windows-only segment in device memory, until it is taken back. */
    @Rule("S14.31")
    @Test
    void windowOpensItsRangeOfTheDevice() {
        assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
        HomeDeviceSegment home = pair.home().windowsOnlyDeviceSegment(4096, Access.READ_WRITE);
        var here = pair.initiator();
        HomeGrant grant = home.grantTo(here.context().peerId(), 1024, 512, Access.READ_WRITE);
        RemoteSegment remote = here.context().importSegment(home.descriptor(), null);
        var window = remote.importWindow(WindowKey.parse(grant.key()));
        here.queue().scratch().memory().fill((byte) 7);

        assertThat(here.queue().write(window, 8, 16).isSuccess()).isTrue();

        assertThat(home.get(1032, 16)).containsOnly(7);
        assertThat(home.isZero(0, 1032)).isTrue();
        assertThat(home.isZero(1048, 100)).isTrue();
        grant.takeBack();
        assertThat(here.queue().write(window, 8, 16).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S15.10: the calls of remote memory, on a device. */
    @Rule("S15.10")
    @Test
    void remoteMemoryWorksOnTheDevice() {
        var home = pair.home().deviceSegment(4096, Access.READ_WRITE_ATOMIC);
        try (var remote = pair.initiator().context().importMemory(home.shared().toLine())) {
            remote.writeLong(8, 42);
            assertThat(home.word(8)).isEqualTo(42);
            assertThat(remote.readLong(8)).isEqualTo(42);
            assertThat(remote.fetchAndAdd(8, 8)).isEqualTo(42);
            assertThat(home.word(8)).isEqualTo(50);
        }
    }
}
