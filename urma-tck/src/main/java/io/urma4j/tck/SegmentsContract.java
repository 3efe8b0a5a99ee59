package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.PreparedTransfer;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §7: memory, access to it, and revocation. */
public abstract class SegmentsContract extends Contract {
    private static final int SIZE = 4096;

    protected SegmentsContract(String device) {
        super(device);
    }

    /** S7.1: four accesses by mask, no others. */
    @Rule("S7.1")
    @Test
    void accessHasFourMasks() {
        assertThat(Access.ofMask(0)).isEqualTo(Access.LOCAL_ONLY);
        for (Access access : Access.values()) {
            assertThat(Access.ofMask(access.mask())).isEqualTo(access);
        }
        for (int mask : new int[] {3, 4, 5, 7, 8, 10, 12, 15, 16, -1}) {
            assertRefused(UrmaStatus.EINVAL, () -> Access.ofMask(mask)).hasMessageContaining(Integer.toString(mask));
        }
    }

    /** S7.2: allocated memory is zeroed and starts at a page. */
    @Rule("S7.2")
    @ParameterizedTest
    @ValueSource(longs = {1, 4095, 4096, 4097, 1 << 20})
    void allocatedMemoryIsZeroedAndPageAligned(long lengthBytes) {
        try (var memory = pair.initiator().context().allocate(lengthBytes)) {
            assertThat(memory.segment().byteSize()).isEqualTo(lengthBytes);
            assertThat(memory.segment().address() % 4096).isZero();
            assertThat(memory.segment().elements(JAVA_BYTE)).allMatch(b -> b.get(JAVA_BYTE, 0) == 0);
        }
    }

    /** S7.2: a length below 1, or above the limit, is refused, naming the limit. */
    @Rule("S7.2")
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void impossibleLengthIsRefused(long lengthBytes) {
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().context().allocate(lengthBytes))
                .hasMessageContaining(Long.toString(lengthBytes));
    }

    /** S7.2: an allocation beyond the machine's memory is refused at once. */
    @Rule("S7.2")
    @Test
    void moreMemoryThanTheMachineHasIsRefusedWithTheLimit() {
        long tooMuch = Math.min(1L << 46, pair.device().attributes().limits().segmentBytes());

        assertRefused(
                        UrmaStatus.ENOMEM,
                        () -> pair.initiator().context().allocate(tooMuch, AllocOptions.DEFAULT.withReserve()))
                .hasMessageContaining(Long.toString(tooMuch));
    }

    /** S7.2: without huge pages the allocation falls back to smaller ones and reports that; it is never refused. */
    @Rule("S7.2")
    @Test
    void hugePagesAreGivenOrTheStepDownIsReported() {
        try (var memory = pair.initiator()
                .context()
                .allocate(4L << 20, AllocOptions.DEFAULT.withHugePages().withReserve())) {
            var report = memory.report();
            assertThat(report.lengthBytes()).isEqualTo(4L << 20);
            assertThat(report.pageBytes() > 4096 || !report.steps().isEmpty())
                    .as(report.toString())
                    .isTrue();
        }
    }

    /** S7.2: for an absent NUMA node the allocation falls back and reports that; an impossible node is refused. */
    @Rule("S7.2")
    @Test
    void numaNodeIsTakenOrTheStepDownIsReported() {
        var context = pair.initiator().context();
        try (var near = context.allocate(1 << 20, AllocOptions.DEFAULT.withNumaNode(0));
                var nowhere = context.allocate(
                        1 << 20, AllocOptions.DEFAULT.withNumaNode(1023).withReserve())) {
            assertThat(near.report().steps()) // none, unless a sandbox forbids it
                    .allSatisfy(step -> assertThat(step).contains("NUMA node", "node 0", "mbind"));
            assertThat(nowhere.report().steps()).singleElement().asString().contains("node 1023", "mbind");
            assertThat(nowhere.segment().get(JAVA_BYTE, (1 << 20) - 1)).isZero();
        }
        assertRefused(UrmaStatus.EINVAL, () -> AllocOptions.DEFAULT.withNumaNode(1024))
                .hasMessageContaining("numaNode 1024 must lie in 0…1023");
    }

    /** S7.2: heap memory is refused with the reason. */
    @Rule("S7.2")
    @Test
    void heapMemoryIsRefusedWithTheReason() {
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> pair.initiator()
                                .context()
                                .registerForeign(MemorySegment.ofArray(new byte[64]), Access.LOCAL_ONLY))
                .hasMessageContaining("heap");
    }

    /** S7.2: memory that the device did not allocate works as source and destination. */
    @Rule("S7.2")
    @Test
    void foreignMemoryIsSourceAndDestination() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(200);
            new Payload(6).fill(memory, 0, 0, 100);
            var foreign = pair.initiator().context().registerForeign(memory, Access.LOCAL_ONLY);

            assertThat(queue.write(imported.remote(), 8, foreign, 0, 100).isSuccess())
                    .isTrue();
            assertThat(queue.read(imported.remote(), 8, foreign, 100, 100).isSuccess())
                    .isTrue();

            assertThat(imported.home().firstDifference(new Payload(6), 8, 0, 100))
                    .isEqualTo(-1);
            assertThat(new Payload(6).firstDifference(memory, 100, 0, 100)).isEqualTo(-1);
            foreign.close();
        }
    }

    /** S7.2: read-only memory gives bytes, and a post that would store bytes there is refused. */
    @Rule("S7.2")
    @Test
    void readOnlyMemoryIsASourceAlone() {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        RemoteSegment remote = imported.remote();
        var queue = pair.initiator().queue();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 8);
            new Payload(6).fill(memory, 0, 0, SIZE);
            LocalSegment source = pair.initiator().context().registerForeign(memory.asReadOnly(), Access.LOCAL_ONLY);
            Jfs jfs = queue.jfs();
            var transfer = PreparedTransfer.of(jfs, List.of(remote), source, 64, 1);
            int[] first = {0};
            var list = new WorkRequestList(1, 1);
            list.read(remote, 0, 1).into(source, 0, 8);

            assertThat(queue.write(remote, 0, source, 0, SIZE).isSuccess()).isTrue();
            assertThat(imported.home().firstDifference(new Payload(6), 0, 0, SIZE))
                    .isEqualTo(-1);
            assertReadOnly(() -> jfs.read(remote, 0, source, 0, 8, 1));
            assertReadOnly(() -> jfs.fetchAndAdd(remote, 0, source, 0, 1, 1));
            assertReadOnly(() -> transfer.post(Opcode.READ, first, first, 1));
            assertThat(jfs.post(list)).isZero();
            assertThat(list.refusal().orElseThrow()).hasMessageContaining("is read-only memory");
            var context = pair.initiator().context();
            try (Jfc jfc = context.createJfc(JfcConfig.DEFAULT);
                    Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build())) {
                assertReadOnly(() -> jfr.receive(source, 0, 64, 1));
            }
            assertThat(new Payload(6).firstDifference(memory, 0, 0, SIZE)).isEqualTo(-1);
            transfer.close();
            source.close();
        }
    }

    private static void assertReadOnly(ThrowingCallable post) {
        assertRefused(UrmaStatus.EINVAL, post).hasMessageContaining("is read-only memory");
    }

    /** S7.2: a WRITE of a peer could not be stored. */
    @Rule("S7.2")
    @Test
    void readOnlyMemoryIsNotRegisteredForWrites() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64).asReadOnly();

            for (Access access : new Access[] {Access.READ_WRITE, Access.READ_WRITE_ATOMIC}) {
                assertRefused(
                        UrmaStatus.EINVAL, () -> pair.initiator().context().registerForeign(memory, access));
            }
        }
    }

    /** S7.2: its home would refuse atomics that look aligned at the post (S7.8). */
    @Rule({"S7.2", "S7.8"})
    @Test
    void memoryAtAnOddAddressIsNotRegisteredForAtomics() {
        UrmaContext context = pair.initiator().context();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64, 8);

            for (int start : new int[] {1, 4}) {
                assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.registerForeign(memory.asSlice(start, 32), Access.READ_WRITE_ATOMIC));
            }
            if (pair.device().attributes().capabilities().foreignShareable()) {
                context.registerForeign(memory.asSlice(4, 32), Access.READ_WRITE)
                        .close();
                context.registerForeign(memory.asSlice(8, 32), Access.READ_WRITE_ATOMIC)
                        .close();
            }
        }
    }

    /** S7.2: where foreign memory cannot be shared, the refusal says how to get memory that can. */
    @Rule("S7.2")
    @Test
    void foreignMemoryIsSharedOnlyWhereTheDeviceCan() {
        assumeTrue(!pair.device().attributes().capabilities().foreignShareable(), "the device can share it");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);

            assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().context().registerForeign(memory, Access.READ))
                    .hasMessageContaining("allocate");
        }
    }

    /** S7.3: an empty segment is refused. */
    @Rule("S7.3")
    @Test
    void emptyMemoryIsNotRegistered() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment empty = arena.allocate(64).asSlice(0, 0);

            assertRefused(
                    UrmaStatus.EINVAL, () -> pair.initiator().context().registerForeign(empty, Access.LOCAL_ONLY));
        }
    }

    /** S7.3: memory whose arena was closed under a registration is detected: no crash, and no bytes of other memory. */
    @Rule("S7.3")
    @Test
    void memoryThatWasFreedUnderItsRegistrationIsNoticed() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        Arena arena = Arena.ofShared();
        var foreign = pair.initiator().context().registerForeign(arena.allocate(64), Access.LOCAL_ONLY);
        arena.close();

        CompletionStatus status = null;
        UrmaException refusal = null;
        try {
            status = queue.write(imported.remote(), 0, foreign, 0, 64).status();
        } catch (UrmaException e) {
            refusal = e;
        }

        assertThat(refusal != null || status == CompletionStatus.LOC_ACCESS_ERR)
                .as("status " + status)
                .isTrue();
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
    }

    /** S7.4: a policy that the device does not list is refused. */
    @Rule("S7.4")
    @Test
    void policyThatTheDeviceLacksIsRefused() {
        var context = pair.initiator().context();
        var policies = EnumSet.allOf(TokenPolicy.class);
        policies.removeAll(pair.device().attributes().capabilities().tokenPolicies());
        var memory = context.allocate(64);

        for (TokenPolicy policy : policies) {
            assertRefused(UrmaStatus.EINVAL, () -> context.register(memory, Access.READ, policy, Token.random()))
                    .hasMessageContaining(policy.name());
        }
        memory.close(); // nothing holds it
    }

    /** S7.5: tokens are random by default. */
    @Rule("S7.5")
    @Test
    void tokensAreRandomByDefault() {
        var context = pair.initiator().context();
        var memory = context.allocate(64);
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            try (var segment = context.register(memory, Access.READ)) {
                values.add(segment.token().value());
            }
        }

        assertThat(values).doesNotHaveDuplicates();
    }

    /** S7.6: with a policy, an import without a token is refused before the home is asked. */
    @Rule("S7.6")
    @Test
    void importWithoutTokenIsRefused() {
        var segment = pair.home().segment(SIZE, Access.READ);

        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().context().importSegment(segment.descriptor(), null))
                .hasMessageContaining("token");
    }

    /** S7.6: wrong value, wrong id and too much access are refused alike. */
    @Rule("S7.6")
    @Test
    void wrongTokenWrongIdAndTooMuchAccessAreRefusedAlike() {
        var segment = pair.home().segment(SIZE, Access.READ);
        var shared = segment.shared();
        var d = shared.descriptor();
        var context = pair.initiator().context();
        var wrongId = changed(d, d.tokenId() ^ 1, d.access());
        var tooMuch = changed(d, d.tokenId(), Access.READ_WRITE);

        var wrongToken = Token.of(shared.token().value() + 1);
        List<ThrowingCallable> imports = List.of(
                () -> context.importSegment(d, wrongToken),
                () -> context.importSegment(d, Token.of(~shared.token().value())),
                () -> context.importSegment(wrongId, shared.token()),
                () -> context.importSegment(tooMuch, shared.token(), Access.READ_WRITE));

        for (ThrowingCallable each : imports) {
            assertRefused(UrmaStatus.ENOPERM, each);
        }
        assertThat(segment.importers()).isEmpty();
    }

    private static SegmentDescriptor changed(SegmentDescriptor d, int tokenId, Access access) {
        return new SegmentDescriptor(
                d.eid(),
                d.uasid(),
                d.incarnation(),
                tokenId,
                d.lengthBytes(),
                access,
                d.policy(),
                d.capabilities(),
                d.endpoints());
    }

    /** S7.6: a refused import is an event at the home. */
    @Rule({"S7.6", "S2.3"})
    @Test
    void refusedImportIsAnEventAtTheHome() {
        var shared = pair.home().segment(SIZE, Access.READ).shared();
        var wrong = Token.of(shared.token().value() + 1);

        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().context().importSegment(shared.descriptor(), wrong));

        assertThat(pair.home().awaitEvent(AsyncEvent.Type.IMPORT_REFUSED).toString())
                .doesNotContain(Integer.toString(wrong.value()))
                .doesNotContain(Integer.toString(shared.token().value()));
    }

    /** S7.6: a LOCAL_ONLY segment has no descriptor to import by. */
    @Rule("S7.6")
    @Test
    void localOnlySegmentIsNotImported() {
        var context = pair.initiator().context();
        var local = pair.initiator().buffer(64);
        var shared = pair.home().segment(SIZE, Access.READ).shared();

        assertRefused(UrmaStatus.EINVAL, local::descriptor).hasMessageContaining("LOCAL_ONLY");
        assertRefused(UrmaStatus.EINVAL, local::share);
        assertRefused(
                UrmaStatus.EINVAL, () -> context.importSegment(shared.descriptor(), shared.token(), Access.LOCAL_ONLY));
    }

    /** S7.6: under policy NONE no token is needed. */
    @Rule("S7.6")
    @Test
    void segmentWithoutPolicyIsImportedWithoutToken() {
        var segment = pair.home().segment(SIZE, Access.READ, TokenPolicy.NONE, Token.of(0));
        segment.put(0, new byte[] {1, 2, 3});

        var remote = pair.initiator().context().importSegment(segment.descriptor(), null);

        var queue = pair.initiator().queue();
        assertThat(queue.read(remote, 0, queue.scratch(), 0, 3).isSuccess()).isTrue();
        assertThat(queue.scratch().memory().asSlice(0, 3).toArray(JAVA_BYTE)).containsExactly(1, 2, 3);
    }

    /** S7.6, S7.7: an import may request less access than offered, and is limited to it. */
    @Rule({"S7.6", "S7.7"})
    @Test
    void importBindsToTheAccessThatItAskedFor() {
        var segment = pair.home().segment(SIZE, Access.READ_WRITE_ATOMIC);
        var shared = segment.shared();
        var remote = pair.initiator().context().importSegment(shared.descriptor(), shared.token(), Access.READ);
        var queue = pair.initiator().queue();

        assertThat(remote.access()).isEqualTo(Access.READ);
        assertRefused(UrmaStatus.ENOPERM, () -> queue.write(remote, 0, queue.scratch(), 0, 8));
        assertThat(queue.read(remote, 0, queue.scratch(), 0, 8).isSuccess()).isTrue();
        assertThat(segment.isZero(0, SIZE)).isTrue();
    }

    /** S7.7, S7.8: each access allows what it says; the rest is refused at post and moves no byte. */
    @Rule({"S7.7", "S7.8"})
    @ParameterizedTest
    @CsvSource({"READ,false,false", "READ_WRITE,true,false", "READ_WRITE_ATOMIC,true,true"})
    void accessIsChecked(Access access, boolean write, boolean atomic) {
        var imported = pair.imported(SIZE, access);
        var queue = pair.initiator().queue();
        new Payload(7).fill(queue.scratch().memory(), 0, 0, 64);

        check(true, () -> queue.read(imported.remote(), 0, queue.scratch(), 64, 8));
        check(write, () -> queue.write(imported.remote(), 0, queue.scratch(), 0, 8));
        check(atomic, () -> queue.atomic(Opcode.FADD, imported.remote(), 8, 8, 5, 0));

        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        assertThat(imported.home().isZero(0, 8)).isEqualTo(!write);
        assertThat(imported.home().word(8)).isEqualTo(atomic ? 5 : 0);
        assertThat(imported.home().isZero(16, SIZE - 16)).isTrue();
    }

    private static void check(boolean allowed, ThrowingCallable operation) {
        if (allowed) {
            assertThatCode(operation).doesNotThrowAnyException();
        } else {
            assertRefused(UrmaStatus.ENOPERM, operation).hasMessageContaining("imported as");
        }
    }

    /** S7.8: what lies outside is refused at post with the numbers, the queue stays READY, and no byte moves. */
    @Rule("S7.8")
    @ParameterizedTest
    @CsvSource({
        "4096, 1", // one past the end
        "4089, 8",
        "0, 4097",
        "4097, 0",
        "-1, 8",
        "-8, 8",
        "0, -1",
        "9223372036854775807, 1", // overflows
        "9223372036854775800, 8",
        "8, 9223372036854775807",
        "1, 9223372036854775807"
    })
    void operationBeyondTheEndIsRefusedAndMovesNoByte(long offset, long lengthBytes) {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        var jfs = pair.initiator().queue().jfs();
        var local = pair.initiator().buffer(2 * SIZE, new Payload(8));
        var remote = imported.remote();

        List<ThrowingCallable> posts = List.of(
                () -> jfs.write(remote, offset, local, 0, lengthBytes, 1),
                () -> jfs.read(remote, offset, local, 0, lengthBytes, 1),
                () -> throwing(jfs.post(list().write(remote, offset, 1).from(local, 0, lengthBytes))),
                () -> throwing(jfs.post(
                        list().writeNotify(remote, offset, remote, 0, 1, 1).from(local, 0, lengthBytes))));
        for (ThrowingCallable post : posts) {
            assertRefused(UrmaStatus.EINVAL, post);
        }

        assertThat(jfs.state()).isEqualTo(QueueState.READY);
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(new Payload(8).firstDifference(local.memory(), 0, 0, 2 * SIZE))
                .isEqualTo(-1);
        assertThat(pair.initiator().queue().within(Patience.WATCH)).isEmpty();
    }

    private static WorkRequestList list() {
        return new WorkRequestList(1, 1);
    }

    /** A list refuses by its result: 0 of 1 accepted. */
    private static void throwing(int accepted) {
        if (accepted == 0) {
            throw new UrmaException(UrmaStatus.EINVAL, "list", "0 accepted");
        }
    }

    /** S7.8: the local side is checked as well. */
    @Rule("S7.8")
    @ParameterizedTest
    @CsvSource({"64, 1", "57, 8", "-1, 8", "9223372036854775807, 1"})
    void localRangeBeyondTheEndIsRefused(long offset, long lengthBytes) {
        var imported = pair.imported(SIZE);
        var receiver = pair.receiver(SIZE);
        var jfs = pair.initiator().queue().jfs();
        var local = pair.initiator().buffer(64, new Payload(9));

        assertRefused(UrmaStatus.EINVAL, () -> jfs.write(imported.remote(), 0, local, offset, lengthBytes, 1))
                .hasMessageContaining(Long.toString(offset))
                .hasMessageContaining(Long.toString(lengthBytes))
                .hasMessageContaining("64");
        assertRefused(UrmaStatus.EINVAL, () -> jfs.read(imported.remote(), 0, local, offset, lengthBytes, 1));
        assertRefused(UrmaStatus.EINVAL, () -> jfs.send(receiver.target(), local, offset, lengthBytes, 1));

        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S7.8, S8.7: atomics are naturally aligned, of 4 or 8 bytes, and have their result aligned, too. */
    @Rule({"S7.8", "S8.7"})
    @ParameterizedTest
    @CsvSource({"4, 8, 0", "2, 4, 0", "1, 8, 0", "0, 8, 4", "0, 4, 2", "0, 2, 0", "0, 16, 0", "4096, 8, 0", "4092, 8, 0"
    })
    void misalignedOrOddAtomicIsRefused(long offset, int sizeBytes, long resultOffset) {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();

        assertRefused(
                UrmaStatus.EINVAL,
                () -> queue.jfs()
                        .atomic(
                                Opcode.SWAP,
                                imported.remote(),
                                offset,
                                queue.scratch(),
                                resultOffset,
                                sizeBytes,
                                -1,
                                0,
                                0,
                                PostFlags.DEFAULT));

        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S7.8: a notification goes to an 8-aligned place, inside. */
    @Rule("S7.8")
    @ParameterizedTest
    @ValueSource(longs = {4, 1, 4096, 4092, -8})
    void notificationOutsideOrMisalignedIsRefused(long notifyOffset) {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 64);
        var list = list().writeNotify(imported.remote(), 0, imported.remote(), notifyOffset, 1, 1)
                .from(queue.scratch(), 0, 64);

        assertThat(queue.jfs().post(list)).isZero();

        assertThat(list.refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
    }

    /** S7.8: a segment of another context is refused, remote and local. */
    @Rule("S7.8")
    @Test
    void segmentOfAnotherContextIsRefused() {
        var imported = pair.imported(SIZE);
        var other = pair.anotherInitiator();
        var queue = pair.initiator().queue();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> other.queue()
                                .jfs()
                                .write(imported.remote(), 0, other.queue().scratch(), 0, 8, 0))
                .hasMessageContaining("belongs to");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> queue.jfs()
                                .write(imported.remote(), 0, other.queue().scratch(), 0, 8, 0))
                .hasMessageContaining("belongs to");
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
    }

    /** S7.9: after unregister the importers know it, and their operations end with REM_ACCESS_ABORT_ERR. */
    @Rule({"S7.8", "S7.9"})
    @Test
    void operationOnARevokedSegmentIsAborted() {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        assertThat(imported.home().importers()).hasSize(1);

        Revocation revocation = imported.home().unregister(Patience.LIMIT);

        assertThat(revocation).isEqualTo(Revocation.COMPLETED);
        Patience.await("the revocation", () -> imported.remote().isRevoked());
        imported.home().fill(new Payload(11));
        assertAborted(queue -> queue.write(imported.remote(), 0, queue.scratch(), 0, 64));
        assertAborted(queue -> queue.read(imported.remote(), 0, queue.scratch(), 0, 64));
        assertAborted(queue -> {
            queue.jfs().fetchAndAdd(imported.remote(), 0, queue.scratch(), 0, 1, 0);
            return queue.awaitCompletion();
        });
        assertThat(imported.home().firstDifference(new Payload(11), 0, 0, SIZE)).isEqualTo(-1);
    }

    private interface Operation {
        Outcome on(SendSide queue);
    }

    private void assertAborted(Operation operation) {
        SendSide queue = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(operation.on(queue).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(queue.scratch().memory().toArray(JAVA_BYTE)).containsOnly(0); // no byte came, either
    }

    /** S7.9: importers are notified of the revocation. */
    @Rule({"S7.9", "S2.3"})
    @Test
    void importersHearOfTheRevocation() {
        var imported = pair.imported(SIZE);

        imported.revoke();

        assertThat(pair.initiator().awaitEvent(AsyncEvent.Type.SEGMENT_REVOKED).source())
                .isSameAs(imported.remote());
    }

    /** S7.9: when close returns, no operation of importers that post all the time touches the memory any more. */
    @Rule("S7.9")
    @Test
    void memoryIsQuietOnceUnregisterHasReturned() throws Exception {
        for (int round = 0; round < 10; round++) {
            var imported = pair.imported(64 * 1024);
            var writer = new Writer(pair.initiator(), imported.remote(), 64 * 1024);
            try (writer) {
                writer.awaitFirstWrites();
                assertThat(imported.home().unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
                imported.home().fill(new Payload(round));
                assertThat(writer.lastStatus()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            }
            assertThat(imported.home().firstDifference(new Payload(round), 0, 0, 64 * 1024))
                    .as("first byte that was written after the end")
                    .isEqualTo(-1);
        }
    }

    /** Writes the whole of a segment again and again, until a write fails. */
    private static final class Writer implements AutoCloseable {
        private final AtomicLong writes = new AtomicLong();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile CompletionStatus last = CompletionStatus.SUCCESS;

        Writer(Initiator initiator, RemoteSegment remote, long lengthBytes) {
            SendSide queue = initiator.queue(JfsConfig.DEFAULT);
            LocalSegment source = initiator.buffer(lengthBytes);
            source.memory().fill((byte) 0xEE);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (last == CompletionStatus.SUCCESS && !stop.get()) {
                        last = queue.write(remote, 0, source, 0, lengthBytes).status();
                        writes.incrementAndGet();
                    }
                } finally {
                    done.countDown();
                }
            });
        }

        void awaitFirstWrites() {
            Patience.await("first writes", () -> writes.get() > 10);
        }

        CompletionStatus lastStatus() throws InterruptedException {
            assertThat(done.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return last;
        }

        @Override
        public void close() {
            stop.set(true);
        }
    }

    /** S7.9: an importer that neither answers nor is dead puts the memory into quarantine, and is named. */
    @Rule("S7.9")
    @Test
    void importerThatDoesNotAnswerPutsTheMemoryIntoQuarantine() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var segment = pair.initiator().asHome().segment(SIZE, Access.READ_WRITE);
        var importer = pair.home().importSegment(segment.shared());
        processOfHome().stop();
        try {
            var revocation = segment.unregister(Duration.ofMillis(300));

            assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
            assertThat(revocation.importers())
                    .singleElement(STRING)
                    .contains(Long.toString(processOfHome().pid()));
        } finally {
            processOfHome().proceed();
        }
        Patience.await("the revocation at the importer", importer::isRevoked);
        assertThat(importer.write(0, new byte[8]).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(segment.isZero(0, SIZE)).isTrue();
    }

    /** S7.9: a killed importer does not delay the revocation. */
    @Rule({"S7.9", "S12.4"})
    @Test
    void deadImporterHoldsNothingUp() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var segment = pair.initiator().asHome().segment(SIZE, Access.READ_WRITE);
        pair.home().importSegment(segment.shared());
        processOfHome().kill();
        long start = System.nanoTime();

        assertThat(segment.unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.stretched(Duration.ofSeconds(2)));
    }

    /** S7.9: a revoked segment cannot be imported; its memory can be registered again. */
    @Rule("S7.9")
    @Test
    void revokedSegmentIsImportedNoMore() {
        var segment = pair.home().segment(SIZE, Access.READ);
        var shared = segment.shared();
        segment.unregister(Patience.LIMIT);

        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().context().importSegment(shared));
    }

    /** S7.9, S4.1: a closed import does not delay the revocation, and is not listed as an importer. */
    @Rule({"S7.9", "S4.1"})
    @Test
    void closedImportIsNoImporterAnyMore() {
        var imported = pair.imported(SIZE);
        assertThat(imported.home().importers()).hasSize(1);

        imported.remote().close();

        Patience.await(
                "the home to take note", () -> imported.home().importers().isEmpty());
        var queue = pair.initiator().queue();
        assertRefused(UrmaStatus.EINVAL, () -> queue.write(imported.remote(), 0, queue.scratch(), 0, 8))
                .hasMessageContaining("closed");
        assertThat(imported.home().unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
    }

    /** S7.9: both of two imports of one segment are revoked. */
    @Rule("S7.9")
    @Test
    void everyImportIsRevoked() {
        var segment = pair.home().segment(SIZE, Access.READ_WRITE);
        var first = pair.initiator().context().importSegment(segment.shared());
        var second = pair.initiator().context().importSegment(segment.shared());
        var third = pair.anotherInitiator().context().importSegment(segment.shared());

        assertThat(segment.unregister(Patience.LIMIT).isComplete()).isTrue();

        for (RemoteSegment remote : List.of(first, second, third)) {
            Patience.await("revocation of " + remote, remote::isRevoked);
        }
    }

    /** S7.4: several registrations of one memory are independent. */
    @Rule("S7.4")
    @Test
    void revocationOfOneRegistrationLeavesTheOthersOfTheSameMemory() {
        var context = pair.initiator().context();
        var memory = context.allocate(SIZE);
        var first = context.register(memory, Access.READ_WRITE);
        var second = context.register(memory, Access.READ_WRITE);
        var other = pair.anotherInitiator();
        var viaFirst = other.context().importSegment(first.descriptor(), first.token());
        var viaSecond = other.context().importSegment(second.descriptor(), second.token());

        first.close();

        Patience.await("the revocation", viaFirst::isRevoked);
        new Payload(3).fill(other.queue().scratch().memory(), 0, 0, 64);
        assertThat(other.queue()
                        .write(viaSecond, 0, other.queue().scratch(), 0, 64)
                        .isSuccess())
                .isTrue();
        assertThat(new Payload(3).firstDifference(memory.segment(), 0, 0, 64)).isEqualTo(-1);
    }

    /** S7.13: a published name leads to the segment; a taken one is refused; a closed segment's is free again. */
    @Rule("S7.13")
    @Test
    void publishedNameLeadsToTheSegment() {
        var segment = pair.home().segment(SIZE, Access.READ_WRITE);
        var other = pair.home().segment(SIZE, Access.READ_WRITE);
        var context = pair.initiator().context();
        segment.fill(new Payload(13));
        segment.publish("orders");

        var remote = context.importSegment(context.lookup("orders"));
        var queue = pair.initiator().queue();
        assertThat(queue.read(remote, 0, queue.scratch(), 0, 64).isSuccess()).isTrue();
        assertThat(new Payload(13).firstDifference(queue.scratch().memory(), 0, 0, 64))
                .isEqualTo(-1);
        assertThat(pair.home().publishedNames()).containsExactly("orders");
        assertRefused(UrmaStatus.EEXIST, () -> other.publish("orders")).hasMessageContaining("orders");

        segment.unregister(Patience.LIMIT);
        other.publish("orders");
        assertThat(context.lookup("orders").descriptor().tokenId()).isEqualTo(other.tokenId());
    }

    /** S7.13: a name that was never published is refused, and so is an invalid one. */
    @Rule("S7.13")
    @Test
    void unknownNameIsRefused() {
        var context = pair.initiator().context();
        var segment = context.register(context.allocate(64), Access.READ);

        assertRefused(UrmaStatus.EINVAL, () -> context.lookup("absent"));
        for (String bad : new String[] {"", "a/b", "..", ".", "a b", "x".repeat(256)}) {
            assertRefused(UrmaStatus.EINVAL, () -> segment.publish(bad));
        }
    }

    /** S7.13: the list of names has the importers of each. */
    @Rule("S7.13")
    @Test
    void listOfNamesSaysWhoUsesEach() {
        var segment = pair.home().segment(SIZE, Access.READ);
        segment.publish("table.1");
        var context = pair.initiator().context();
        assertThat(context.publishedNames()).singleElement().satisfies(name -> {
            assertThat(name.name()).isEqualTo("table.1");
            assertThat(name.descriptor()).isEqualTo(segment.descriptor());
            assertThat(name.users()).isEmpty();
        });

        context.importSegment(segment.shared());

        assertThat(context.publishedNames())
                .singleElement()
                .satisfies(name -> assertThat(name.users()).hasSize(1));
    }

    /** S3.3: a segment may be longer than 4 GiB, and its last byte is reached. */
    @Rule("S3.3")
    @Test
    void segmentLongerThan4GiBIsReachedToItsLastByte() {
        long lengthBytes = (4L << 30) + 4096;
        var imported = pair.imported(lengthBytes, Access.READ_WRITE); // its pages are not touched
        var queue = pair.initiator().queue();
        new Payload(15).fill(queue.scratch().memory(), 0, 0, 64);

        assertThat(queue.write(imported.remote(), lengthBytes - 64, queue.scratch(), 0, 64)
                        .isSuccess())
                .isTrue();

        assertThat(imported.home().firstDifference(new Payload(15), lengthBytes - 64, 0, 64))
                .isEqualTo(-1);
        assertRefused(
                UrmaStatus.EINVAL, () -> queue.write(imported.remote(), lengthBytes - 63, queue.scratch(), 0, 64));
    }
}
