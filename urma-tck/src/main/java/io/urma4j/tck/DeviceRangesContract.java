package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.SegmentConfig;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.TokenId;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §15: memory of GPUs and NPUs as local ranges of work requests. */
public abstract class DeviceRangesContract extends Contract {
    private static final int KB = 1024;
    private static final int MB = 1024 * KB;
    private static final int MARGIN = 100;
    private static final byte CANARY = 0x5A;

    private final Arena arena = Arena.ofAuto();

    protected DeviceRangesContract(String device) {
        super(device);
    }

    private boolean takesDeviceMemory() {
        return pair.device().attributes().capabilities().deviceMemory();
    }

    @BeforeEach
    void needsTheCapability(TestInfo test) {
        assumeTrue(
                takesDeviceMemory() || test.getDisplayName().contains("WhereTheDeviceCannot"),
                "the device takes no device memory");
    }

    @AfterEach
    void nothingIsRegisteredAnyMore() {
        pair.urma()
                .peerMemory()
                .counters()
                .forEach((client, counters) -> assertThat(counters.registeredPages())
                        .as("pages of " + client)
                        .isGreaterThanOrEqualTo(counters.deregisteredPages()));
    }

    private DeviceMemory allocate(long lengthBytes) {
        return DevicesUnderTest.allocate(pair.urma(), lengthBytes);
    }

    private LocalSegment registered(DeviceMemory memory) {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    private LocalSegment registered(long lengthBytes, Payload payload) {
        DeviceMemory memory = allocate(lengthBytes);
        fill(memory, payload, lengthBytes);
        return registered(memory);
    }

    private void fill(DeviceMemory memory, Payload payload, long lengthBytes) {
        MemorySegment bytes = arena.allocate(lengthBytes);
        payload.fill(bytes, 0, 0, lengthBytes);
        memory.copyFrom(0, bytes);
    }

    private MemorySegment read(DeviceMemory memory, long offset, long lengthBytes) {
        MemorySegment bytes = arena.allocate(lengthBytes);
        memory.copyTo(offset, bytes);
        return bytes;
    }

    private static boolean isCanary(MemorySegment bytes) {
        return bytes.elements(JAVA_BYTE).allMatch(one -> one.get(JAVA_BYTE, 0) == CANARY);
    }

    // ---- one-sided operations

    /** S15.10: a WRITE takes exactly its bytes from device memory, at any offset and of any length. */
    @Rule({"S15.10", "S15.12"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 4095, 4096, 4097, 65_535, 65_537, 256 * KB, MB + 3, 5 * MB + 1})
    void writeTakesItsBytesFromTheDevice(int lengthBytes) {
        int offset = Seed.randomFor("device write" + lengthBytes).nextInt(1, MARGIN);
        var imported = pair.imported(lengthBytes + 2L * MARGIN);
        var payload = new Payload(Seed.OF_RUN);
        var source = registered(lengthBytes + 2L * MARGIN, payload);

        var outcome = pair.initiator().queue().write(imported.remote(), offset, source, 8, lengthBytes);

        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(imported.home().firstDifference(payload, offset, 8, lengthBytes))
                .isEqualTo(-1);
        assertThat(imported.home().isZero(0, offset)).isTrue();
        assertThat(imported.home().isZero((long) offset + lengthBytes, 2L * MARGIN - offset))
                .isTrue();
    }

    /** S15.10: a READ puts exactly its bytes into device memory. */
    @Rule({"S15.10", "S15.12"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 4095, 4096, 4097, 65_535, 65_537, 256 * KB, MB + 3, 5 * MB + 1})
    void readPutsItsBytesIntoTheDevice(int lengthBytes) {
        int offset = Seed.randomFor("device read" + lengthBytes).nextInt(1, MARGIN);
        var imported = pair.imported(lengthBytes + MARGIN, Access.READ);
        var payload = new Payload(Seed.OF_RUN + 1);
        imported.home().fill(payload);
        DeviceMemory memory = allocate(lengthBytes + 2L * MARGIN);
        memory.fill(0, lengthBytes + 2L * MARGIN, CANARY);

        var outcome = pair.initiator().queue().read(imported.remote(), 8, registered(memory), offset, lengthBytes);

        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.READ, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(payload.firstDifference(read(memory, offset, lengthBytes), 0, 8, lengthBytes))
                .isEqualTo(-1);
        assertThat(isCanary(read(memory, 0, offset))).isTrue();
        assertThat(isCanary(read(memory, (long) offset + lengthBytes, MARGIN))).isTrue();
    }

    /** S15.33: the old value of an atomic reaches device memory, and the atomic is executed once. */
    @Rule("S15.33")
    @Test
    void resultOfAnAtomicReachesTheDevice() {
        var imported = pair.imported(64, Access.READ_WRITE_ATOMIC);
        DeviceMemory memory = allocate(4096);
        var result = registered(memory);
        var jfs = pair.initiator().queue().jfs();

        for (long round = 0; round < 10; round++) {
            assertThat(jfs.atomic(Opcode.FADD, imported.remote(), 8, result, 16, 8, 5, 0, round, PostFlags.DEFAULT))
                    .isTrue();
            assertThat(pair.initiator().awaitCompletion().isSuccess()).isTrue();
            assertThat(read(memory, 16, 8).get(JAVA_LONG, 0)).isEqualTo(5 * round);
        }

        assertThat(imported.home().word(8)).isEqualTo(50);
    }

    /** S15.10: the ranges of one request may lie in device memory and in host memory. */
    @Rule("S15.10")
    @Test
    void rangesOfBothKindsAreOneRequest() {
        int length = 3 * 1000;
        var imported = pair.imported(length);
        var payload = new Payload(Seed.OF_RUN);
        var onDevice = registered(length, payload);
        var onHost = pair.initiator().buffer(length, payload);
        DeviceMemory back = allocate(length);
        var into = registered(back);
        var queue = pair.initiator().queue();
        var list = new WorkRequestList(2, 3);

        list.write(imported.remote(), 0, 1)
                .from(onDevice, 0, 1000)
                .from(onHost, 1000, 1000)
                .from(onDevice, 2000, 1000);
        list.read(imported.remote(), 0, 2)
                .into(into, 0, 1500)
                .into(onHost, 0, 100)
                .into(into, 1600, 1400);
        queue.postAll(list);

        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
        assertThat(imported.home().firstDifference(payload, 0, 0, length)).isEqualTo(-1);
        assertThat(payload.firstDifference(read(back, 0, 1500), 0, 0, 1500)).isEqualTo(-1);
        assertThat(payload.firstDifference(read(back, 1600, 1400), 0, 1600, 1400))
                .isEqualTo(-1);
        assertThat(payload.firstDifference(onHost.memory(), 0, 1500, 100)).isEqualTo(-1);
    }

    /** S15.12: a WRITE_NOTIFY from device memory: a reader that sees the word sees the bytes. */
    @Rule("S15.12")
    @Test
    void notifiedBytesOfTheDeviceAreThere() {
        var imported = pair.imported(300 * KB);
        var flag = pair.imported(64);
        var queue = pair.initiator().queue();
        for (int round = 1; round <= 20; round++) {
            var payload = new Payload(round);
            var source = registered(300 * KB, payload);
            queue.postAll(new WorkRequestList(1, 1)
                    .writeNotify(imported.remote(), 0, flag.remote(), 8, round, round)
                    .from(source, 0, 300 * KB));
            flag.home().awaitWord(8, round);
            assertThat(imported.home().firstDifference(payload, 0, 0, 300 * KB)).isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();
            source.close();
        }
    }

    // ---- messages

    /** S15.10: a message from device memory arrives whole, in one slot or packet and in many. */
    @Rule("S15.10")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 80, 81, 4096, 128 * KB, 128 * KB + 1, 256 * KB, MB + 5})
    void messageFromTheDeviceArrivesWhole(int lengthBytes) {
        var payload = new Payload(Seed.OF_RUN);
        var source = registered(lengthBytes + 16L, payload);
        var receiver = pair.receiver(lengthBytes + 16L);
        receiver.receive(1, lengthBytes + 16L, 7);

        assertThat(pair.initiator().queue().send(receiver.target(), source, 8, lengthBytes))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns((long) lengthBytes, Outcome::lengthBytes);

        assertThat(receiver.queue().next())
                .returns(7L, Outcome::userContext)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(receiver.buffer().firstDifference(payload, 0, 8, lengthBytes))
                .isEqualTo(-1);
    }

    /** S15.10: a message fills receive buffers in device memory, and its record comes after its bytes. */
    @Rule("S15.10")
    @ParameterizedTest
    @ValueSource(ints = {1, 80, 81, 4096, 128 * KB + 1, MB + 5})
    void messageFillsBuffersOfTheDevice(int lengthBytes) {
        var payload = new Payload(Seed.OF_RUN);
        DeviceMemory memory = allocate(lengthBytes + 64L);
        memory.fill(0, lengthBytes + 64L, CANARY);
        var buffer = registered(memory);
        var here = pair.initiator();
        var jfc = here.context().createJfc(JfcConfig.DEFAULT);
        var jfr = here.context().createJfr(jfc, JfrConfig.builder().build());
        var sender = pair.anotherInitiator();
        var target = sender.context().importJetty(jfr.share());
        var source = sender.buffer(lengthBytes, payload);
        assertThat(jfr.receive(buffer, 32, lengthBytes, 9)).isTrue();
        assertThat(jfr.receive(buffer, 0, 16, 10)).isTrue();

        assertThat(sender.queue().jfs().send(target, source, 0, lengthBytes, 1)).isTrue();
        assertThat(sender.queue().jfs().send(target, source, 0, 1, 2)).isTrue();

        assertThat(new Poller(jfc).next(2)).extracting(Outcome::userContext).containsExactly(9L, 10L);
        assertThat(sender.queue().awaitCompletions(2)).allMatch(Outcome::isSuccess);
        assertThat(payload.firstDifference(read(memory, 32, lengthBytes), 0, 0, lengthBytes))
                .isEqualTo(-1);
        assertThat(isCanary(read(memory, 1, 31))).isTrue();
        assertThat(isCanary(read(memory, 32L + lengthBytes, 32))).isTrue();
    }

    /** S15.12: messages, WRITEs and WRITE_IMMs from both kinds of memory keep their order. */
    @Rule({"S15.12", "S8.9"})
    @Test
    void deviceAndHostRangesKeepTheirOrder() {
        int rounds = Patience.amount(200, 40);
        var imported = pair.imported(8 * KB);
        var receiver = pair.receiver(64L * rounds);
        receiver.receive(rounds, 64, 0);
        var onDevice = registered(8 * KB, new Payload(1));
        var onHost = pair.initiator().buffer(8 * KB, new Payload(2));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(512).build());
        var random = Seed.randomFor("device order");
        var list = new WorkRequestList(1, 2);

        for (int i = 0; i < rounds; i++) {
            var source = random.nextBoolean() ? onDevice : onHost;
            list.clear();
            switch (random.nextInt(3)) {
                case 0 -> list.write(imported.remote(), 0, i).from(source, 0, random.nextInt(8 * KB));
                case 1 -> list.send(receiver.target(), i).from(source, 0, 64);
                default ->
                    list.writeImmediate(receiver.target(), imported.remote(), 0, i, i)
                            .from(source, 0, random.nextInt(8 * KB));
            }
            queue.postAll(list);
        }
        // the last ones decide what the memory holds
        assertThat(queue.jfs().write(imported.remote(), 0, onHost, 0, 8 * KB, rounds))
                .isTrue();
        assertThat(queue.jfs().write(imported.remote(), 0, onDevice, 0, 4 * KB, rounds + 1))
                .isTrue();

        List<Outcome> outcomes = queue.awaitCompletions(rounds + 2);
        assertThat(outcomes).allMatch(Outcome::isSuccess);
        assertThat(outcomes).extracting(Outcome::userContext).isSorted();
        assertThat(imported.home().firstDifference(new Payload(1), 0, 0, 4 * KB))
                .isEqualTo(-1);
        assertThat(imported.home().firstDifference(new Payload(2), 4 * KB, 4 * KB, 4 * KB))
                .isEqualTo(-1);
    }

    /** S15.10: a datagram from device memory. */
    @Rule("S15.10")
    @Test
    void datagramComesFromTheDevice() {
        var receiver =
                pair.receiver(4096, JfrConfig.builder().mode(TransportMode.UM).build());
        receiver.receive(1, 4096, 3);
        var queue = pair.initiator()
                .queue(JfsConfig.builder().mode(TransportMode.UM).build());
        var payload = new Payload(Seed.OF_RUN);

        assertThat(queue.send(receiver.target(), registered(1024, payload), 0, 1000)
                        .isSuccess())
                .isTrue();

        assertThat(receiver.queue().next()).returns(1000L, Outcome::lengthBytes);
        assertThat(receiver.buffer().firstDifference(payload, 0, 0, 1000)).isEqualTo(-1);
    }

    // ---- memory that goes away

    /** S15.20: after a free the segment is dead: the context is notified, and requests that name it fail. */
    @Rule({"S15.20", "S15.22"})
    @Test
    void freedMemoryIsReportedAndRefused() {
        var imported = pair.imported(4096);
        DeviceMemory memory = allocate(4096);
        var segment = registered(memory);
        var queue = pair.initiator().queue();
        assertThat(queue.write(imported.remote(), 0, segment, 0, 4096).isSuccess())
                .isTrue();

        assertRefused(UrmaStatus.EAGAIN, memory::close).hasMessageContaining("registrations hold it");
        memory.closeByForce();

        assertThat(pair.initiator().awaitEvent(AsyncEvent.Type.MEM_INVALIDATED))
                .returns(segment, AsyncEvent::source)
                .matches(event -> event.detail().contains("FREED"));
        assertThat(queue.write(imported.remote(), 0, segment, 0, 8).status())
                .isEqualTo(CompletionStatus.LOC_ACCESS_ERR);
        segment.close();
    }

    /** S15.21: a free with requests in flight: each ends once, and no byte of the memory moves afterwards. */
    @Rule("S15.21")
    @Test
    void freeWithRequestsInFlightEndsEachOnce() {
        int depth = 64;
        int size = 64 * KB;
        for (int round = 0; round < Patience.amount(20, 5); round++) {
            var imported = pair.imported(size);
            DeviceMemory memory = allocate(size);
            var segment = registered(memory);
            var queue = pair.initiator().queue(JfsConfig.builder().depth(depth).build());
            Thread freeing = Thread.ofPlatform().start(memory::closeByForce);
            for (int i = 0; i < depth - 1; i++) {
                assertThat(queue.jfs().read(imported.remote(), 0, segment, 0, size, i))
                        .isTrue();
            }
            join(freeing);
            DeviceMemory next = allocate(size);
            next.fill(0, size, CANARY);
            assertThat(queue.jfs().read(imported.remote(), 0, segment, 0, size, depth - 1))
                    .isTrue();

            var ended = queue.drainAndFlush();

            assertThat(ended)
                    .extracting(SendSide.Result::userContext)
                    .hasSize(depth)
                    .doesNotHaveDuplicates();
            assertThat(ended).last().matches(result -> result.status() != CompletionStatus.SUCCESS);
            assertThat(isCanary(read(next, 0, size))).isTrue();
            segment.close();
            next.close();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- refusals

    /** S15.36: the host cannot load from device memory, nor can peers import it as LOCAL_ONLY. */
    @Rule("S15.36")
    @Test
    void whatTheHostCannotDoIsRefused() {
        DeviceMemory memory = allocate(4096);
        var segment = registered(memory);

        assertThat(segment.memoryKind()).isEqualTo(MemoryKind.DEVICE);
        assertThat(segment.lengthBytes()).isEqualTo(4096);
        assertThat(pair.initiator().buffer(64).memoryKind()).isEqualTo(MemoryKind.HOST);
        assertRefused(UrmaStatus.EINVAL, segment::memory)
                .hasMessageContaining(memory.client() + ":" + memory.ordinal());
        assertRefused(UrmaStatus.EINVAL, segment::descriptor).hasMessageContaining("LOCAL_ONLY");
    }

    /** S15.37: memory that was freed is not registered, and a refused registration pins nothing. */
    @Rule("S15.37")
    @Test
    void freedMemoryIsNotRegistered() {
        DeviceMemory memory = allocate(4096);
        var segment = registered(memory);
        segment.close();
        memory.close();

        assertRefused(UrmaStatus.EINVAL, () -> registered(memory)).hasMessageContaining("is closed");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> pair.initiator()
                                .queue()
                                .jfs()
                                .write(pair.imported(64).remote(), 0, segment, 0, 8, 0))
                .hasMessageContaining("is closed");
    }

    /** S15.37: at once, so that the memory can be closed. */
    @Rule({"S15.37", "S2.2"})
    @Test
    void refusedRegistrationPinsNothing() {
        TokenId freed = pair.initiator().context().createTokenId();
        freed.free();
        for (int round = 0; round < Patience.amount(50, 10); round++) {
            DeviceMemory memory = allocate(4096);

            assertRefused(
                    UrmaStatus.EINVAL,
                    () -> pair.initiator()
                            .context()
                            .register(
                                    memory, SegmentConfig.of(Access.LOCAL_ONLY).withTokenId(freed)));

            memory.close();
        }
    }

    /** S15.36: a device without the capability says so. */
    @Rule("S15.36")
    @Test
    void registrationIsRefusedWhereTheDeviceCannot() {
        assumeTrue(!takesDeviceMemory(), "the device can");
        DeviceMemory memory = allocate(4096);

        assertRefused(UrmaStatus.EINVAL, () -> registered(memory)).hasMessageContaining(deviceName());
    }
}
