package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.Endpoint;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.support.FailureLimiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two contexts of one process, which meet by the same socket as two processes. */
@Timeout(60)
class ControlPlaneTest {
    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;
    private TestContext importer;

    @BeforeEach
    void twoContexts() {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
        importer = new TestContext(directory);
    }

    @AfterEach
    void closed() {
        importer.close();
        home.close();
    }

    private static UrmaStatus statusOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future)).status();
    }

    private ImportRequest request(ShmSegment segment, Token token, Access access) {
        return new ImportRequest(segment.descriptor(), token, access, LONG);
    }

    // ---- import

    @Test
    void anImportIsTheHomesMemory() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE_ATOMIC);
        ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);

        imported.memory.set(JAVA_LONG, 16, 42);

        assertThat(segment.memory.get(JAVA_LONG, 16)).isEqualTo(42);
        assertThat(imported.lengthBytes()).isEqualTo(4096);
        assertThat(imported.access()).isEqualTo(Access.READ_WRITE);
        assertThat(imported.home().uasid()).isEqualTo(home.plane.uasid());
        assertThat(segment.importers()).containsExactly(importerName());
    }

    private String importerName() {
        return "uasid " + importer.plane.uasid() + " (pid "
                + ProcessHandle.current().pid() + ")";
    }

    /** Loopback: the engine must not wait for itself. */
    @Test
    void aContextImportsFromItself() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = home.importFrom(segment, Access.READ_WRITE);

        imported.memory.set(JAVA_BYTE, 0, (byte) 5);

        assertThat(segment.memory.get(JAVA_BYTE, 0)).isEqualTo((byte) 5);
        assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);
        assertThat(imported.isRevoked()).isTrue();
    }

    @Test
    void aReadImportCannotWrite() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = importer.importFrom(segment, Access.READ);

        assertThatThrownBy(() -> imported.memory.set(JAVA_BYTE, 0, (byte) 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** S7.6: wrong, absent, beyond what was given: one answer. */
    @Test
    void whateverIsWrongIsRefusedByTheSameWords() throws Exception {
        ShmSegment readable = home.share(Access.READ);
        ShmSegment gone = home.share(Access.READ);
        get(gone.unregister(LONG));
        Token wrong = Token.of(~readable.token().value());

        List<String> messages = new ArrayList<>();
        for (ImportRequest bad : List.of(
                request(readable, wrong, Access.READ),
                request(readable, readable.token(), Access.READ_WRITE),
                request(gone, gone.token(), Access.READ))) {
            UrmaException refusal =
                    catchThrowableOfType(UrmaException.class, () -> get(importer.plane.importSegment(bad)));
            assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOPERM);
            messages.add(refusal.getMessage());
        }

        assertThat(messages.stream().distinct()).as("%s", messages).hasSize(1);
        assertThat(home.count(AsyncEvent.Type.IMPORT_REFUSED)).isEqualTo(3);
        assertThat(home.events.toString()).doesNotContain(Integer.toString(wrong.value()));
    }

    @Test
    void aMissingTokenIsRefusedBeforeAnybodyIsAsked() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        var request = new ImportRequest(segment.descriptor(), null, Access.READ, LONG);

        assertThat(statusOf(importer.plane.importSegment(request))).isEqualTo(UrmaStatus.EINVAL);
    }

    @Test
    void aTokenIsNotNeededWhereThePolicyIsNone() throws Exception {
        var memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "open");
        var segment = (ShmSegment) get(
                home.plane.register(new SegmentRequest(memory, null, Access.READ, TokenPolicy.NONE, Token.random())));

        var imported =
                get(importer.plane.importSegment(new ImportRequest(segment.descriptor(), null, Access.READ, LONG)));

        assertThat(imported.lengthBytes()).isEqualTo(4096);
        get(imported.close());
    }

    @Test
    void whoGuessesHasToWait() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        long start = System.nanoTime();
        for (int i = 0; i <= FailureLimiter.BURST + 2; i++) {
            Token wrong = Token.of(segment.token().value() + 1 + i);
            assertThat(statusOf(importer.plane.importSegment(request(segment, wrong, Access.READ))))
                    .isEqualTo(UrmaStatus.ENOPERM);
        }
        get(importer.plane.importSegment(request(segment, segment.token(), Access.READ)));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(150));
    }

    /** S5.6: at once, not after the timeout. */
    @Test
    void aHomeThatIsGoneIsKnownAtOnce() throws Exception {
        var third = new TestContext(directory);
        ShmSegment segment = third.share(Access.READ);
        third.close();

        long start = System.nanoTime();
        assertThatThrownBy(() -> importer.importFrom(segment, Access.READ))
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ETIMEOUT))
                .hasMessageContaining("gone");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    /** S1.5. */
    @Test
    void anotherIncarnationIsAnotherHome() throws Exception {
        SegmentDescriptor right = home.share(Access.READ).descriptor();
        var wrong = new SegmentDescriptor(
                right.eid(),
                right.uasid(),
                right.incarnation() + 1,
                right.tokenId(),
                right.lengthBytes(),
                right.access(),
                right.policy(),
                right.capabilities(),
                right.endpoints());

        assertThat(statusOf(importer.plane.importSegment(new ImportRequest(wrong, Token.random(), Access.READ, LONG))))
                .isEqualTo(UrmaStatus.ETIMEOUT);
    }

    /** S1.4; and an address must not lead out of the directory. */
    @Test
    void descriptorsThatLeadElsewhereAreRefused() throws Exception {
        SegmentDescriptor right = home.share(Access.READ).descriptor();
        Endpoint good = right.endpoints().getFirst();
        for (List<Endpoint> endpoints : List.of(
                List.<Endpoint>of(),
                List.of(new Endpoint("udma", "x", 0, 0, false)),
                List.of(good, new Endpoint("future", "x", 0, 0, true)),
                List.of(new Endpoint("shm", "../../etc/passwd", 0, 0, false)))) {
            var wrong = new SegmentDescriptor(
                    right.eid(),
                    right.uasid(),
                    right.incarnation(),
                    right.tokenId(),
                    right.lengthBytes(),
                    right.access(),
                    right.policy(),
                    right.capabilities(),
                    endpoints);
            assertThat(statusOf(
                            importer.plane.importSegment(new ImportRequest(wrong, Token.random(), Access.READ, LONG))))
                    .as("%s", endpoints)
                    .isEqualTo(UrmaStatus.EINVAL);
        }
    }

    // ---- registration

    @Test
    void foreignMemoryIsLocalOnlyAndHeapMemoryNothing() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment foreign = arena.allocate(64);
            var local = new SegmentRequest(null, foreign, Access.LOCAL_ONLY, TokenPolicy.NONE, Token.random());
            var shared = new SegmentRequest(null, foreign, Access.READ, TokenPolicy.NONE, Token.random());
            var heap = new SegmentRequest(
                    null, MemorySegment.ofArray(new byte[64]), Access.LOCAL_ONLY, TokenPolicy.NONE, Token.random());

            assertThat(((ShmSegment) get(home.plane.register(local))).memory.byteSize())
                    .isEqualTo(64);
            assertThatThrownBy(() -> get(home.plane.register(shared))).hasMessageContaining("allocate");
            assertThatThrownBy(() -> get(home.plane.register(heap))).hasMessageContaining("heap");
        }
    }

    // ---- revocation

    /** S7.9. */
    @Test
    void afterUnregisterNobodyTouchesTheMemory() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);

        assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);

        assertThat(imported.isRevoked()).isTrue();
        assertThatThrownBy(() -> imported.memory.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(segment.importers()).isEmpty();
        await().until(() -> importer.count(AsyncEvent.Type.SEGMENT_REVOKED) == 1);
        get(imported.close());
    }

    @Test
    void whatWasGivenBackIsNotAskedFor() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);

        get(imported.close());

        assertThatThrownBy(() -> imported.memory.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        await().until(() -> segment.importers().isEmpty());
        assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);
        assertThat(importer.count(AsyncEvent.Type.SEGMENT_REVOKED)).isZero();
    }

    @Test
    void anImporterThatIsClosedHoldsNothingUp() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        var third = new TestContext(directory);
        third.importFrom(segment, Access.READ_WRITE);
        third.close();

        assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);
    }

    @Test
    void aHomeThatIsClosedTakesItsSegmentsWithIt() throws Exception {
        var third = new TestContext(directory);
        ShmImport imported = importer.importFrom(third.share(Access.READ_WRITE), Access.READ_WRITE);

        third.close();

        await().until(imported::isRevoked);
        assertThatThrownBy(() -> imported.memory.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    /** S8.11. */
    @Test
    void aMessageRevokesOnlyWhatItsSenderImported() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        ShmImport imported = importer.importFrom(segment, Access.READ_WRITE);
        Peer sender = peerOf(segment);
        var third = new TestContext(directory);
        ShmSegment another = home.share(Access.READ);
        third.importFrom(another, Access.READ);
        Peer stranger = peerOf(another);

        assertThat(home.plane.invalidate(sender, 4_711_000)).isEqualTo(InvalidateResult.NOT_ALLOWED);
        assertThat(home.plane.invalidate(stranger, segment.tokenId())).isEqualTo(InvalidateResult.NOT_ALLOWED);
        assertThat(imported.isRevoked()).isFalse();

        await().until(() -> home.plane.invalidate(sender, segment.tokenId()) == InvalidateResult.DONE);
        assertThat(imported.isRevoked()).isTrue();
        assertThat(statusOf(importer.plane.importSegment(request(segment, segment.token(), Access.READ))))
                .isEqualTo(UrmaStatus.ENOPERM);
        assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);
        third.close();
    }

    private static Peer peerOf(ShmSegment segment) {
        return segment.exported().grants().iterator().next().importer();
    }

    // ---- paths and queues

    @Test
    void aPathConnectsTheRingsOfBothSides() throws Exception {
        PathMemory mine = importer.paths.get(importer.importQueueOf(home));
        PathMemory theirs = home.paths.values().iterator().next();
        mine.outbound().set(JAVA_LONG, 0, 1);
        theirs.outbound().set(JAVA_LONG, 0, 2);

        assertThat(theirs.inbound().get(JAVA_LONG, 0)).isEqualTo(1);
        assertThat(mine.inbound().get(JAVA_LONG, 0)).isEqualTo(2);
        assertThat(mine.inbound().byteSize()).isEqualTo(TestContext.RING_BYTES);
    }

    @Test
    void wakingThePeerMakesItsEngineTakeATurn() throws Exception {
        PathMemory mine = importer.paths.get(importer.importQueueOf(home));

        for (int i = 0; i < 3; i++) {
            int before = home.turns.get();
            mine.wakePeer().run();
            await().until(() -> home.turns.get() > before);
        }
    }

    @Test
    void bothSidesAskingAtOnceGetOnePath() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (var a = new TestContext(directory);
                    var b = new TestContext(directory)) {
                var first = a.plane.importQueue(b.queue(TestContext.QUEUE), TestContext.QUEUE_TOKEN, LONG);
                var second = b.plane.importQueue(a.queue(TestContext.QUEUE), TestContext.QUEUE_TOKEN, LONG);
                get(first);
                get(second);

                assertThat(a.paths).hasSize(1);
                assertThat(b.paths).hasSize(1);
                PathMemory out = a.paths.values().iterator().next();
                out.outbound().set(JAVA_LONG, 8, i);
                assertThat(b.paths.values().iterator().next().inbound().get(JAVA_LONG, 8))
                        .isEqualTo(i);
            }
        }
    }

    @Test
    void aContextHasOneRingToItself() throws Exception {
        PathMemory path = home.paths.get(home.importQueueOf(home));

        assertThat(path.inbound().address()).isEqualTo(path.outbound().address());
        path.wakePeer().run();
    }

    @Test
    void aWrongQueueTokenIsRefused() {
        var asked = importer.plane.importQueue(home.queue(TestContext.QUEUE), Token.of(1), LONG);

        assertThat(statusOf(asked)).isEqualTo(UrmaStatus.ENOPERM);
        assertThat(home.count(AsyncEvent.Type.IMPORT_REFUSED)).isEqualTo(1);
        assertThat(importer.paths).isEmpty();
    }

    @Test
    void bindIsAskedOfTheDataPlane() throws Exception {
        Peer peer = importer.importQueueOf(home);

        assertThat(get(importer.plane.bind(peer, 3, TestContext.QUEUE, 3, LONG)))
                .isEqualTo(UrmaStatus.SUCCESS);
        assertThat(get(importer.plane.bind(peer, 3, 8, 3, LONG))).isEqualTo(UrmaStatus.EINVAL);
        assertThat(get(importer.plane.unbind(peer, 3, TestContext.QUEUE, LONG))).isEqualTo(UrmaStatus.SUCCESS);
        String who = " of uasid " + importer.plane.uasid();
        assertThat(home.binds).containsExactly("bind 7 to 3" + who, "bind 8 to 3" + who, "unbind 7 from 3" + who);
    }

    @Test
    void whoSaidGoodbyeIsLostForSure() throws Exception {
        var third = new TestContext(directory);
        third.importQueueOf(home);
        third.close();

        await().until(() -> home.lost.size() == 1);
        assertThat(home.lost.getFirst()).startsWith("proven " + third.plane.uasid());
    }

    @Test
    void whoIsCutOffIsLostOnBothSides() throws Exception {
        Peer peer = importer.importQueueOf(home);

        importer.plane.cutOff(peer, "its ring holds nonsense");

        await().until(() -> importer.lost.size() == 1 && home.lost.size() == 1);
        assertThat(importer.lost.getFirst()).startsWith("unproven").contains("nonsense");
        assertThat(home.lost.getFirst()).startsWith("unproven");
        assertThat(peer.isLost()).isTrue();
    }

    // ---- names

    @Test
    void aNameLeadsToItsSegmentAndToken() throws Exception {
        ShmSegment segment = home.share(Access.READ_WRITE);
        get(segment.publish("orders", true));

        var found = get(importer.plane.lookup("orders", LONG));

        assertThat(found.descriptor()).isEqualTo(segment.descriptor());
        assertThat(found.token()).isEqualTo(segment.token());
        assertThat(Files.readString(directory.resolve("names/orders")))
                .doesNotContain(Integer.toString(segment.token().value()));
    }

    /** S7.13. */
    @Test
    void aTakenNameIsRefusedUntilItsOwnerEnds() throws Exception {
        ShmSegment first = home.share(Access.READ);
        ShmSegment second = importer.share(Access.READ);
        get(first.publish("orders", true));

        assertThat(statusOf(second.publish("orders", true))).isEqualTo(UrmaStatus.EEXIST);

        get(first.unregister(LONG));
        get(second.publish("orders", true));
        assertThat(get(home.plane.lookup("orders", LONG)).descriptor()).isEqualTo(second.descriptor());
    }

    @Test
    void theListNamesHomesAndUsers() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        get(segment.publish("b", true));
        get(home.share(Access.READ).publish("a", true));
        importer.importFrom(segment, Access.READ);

        var list = get(importer.plane.published(LONG));

        assertThat(list).extracting(line -> line.name()).containsExactly("a", "b");
        assertThat(list.get(1).users()).containsExactly(importerName());
        assertThat(list.get(1).home()).startsWith("uasid " + home.plane.uasid());
    }

    @Test
    void anUnknownNameIsRefused() {
        for (String name : List.of("absent", "../x", "", "a\0b")) {
            assertThat(statusOf(importer.plane.lookup(name, LONG))).isEqualTo(UrmaStatus.EINVAL);
        }
    }

    // ---- nothing is left

    @Test
    void nothingIsLeftAfterClose() throws Exception {
        List<String> before = OpenDescriptors.ofContexts(directory);
        for (int i = 0; i < 5; i++) {
            try (var a = new TestContext(directory);
                    var b = new TestContext(directory)) {
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "leak");
                ShmSegment segment = a.register(memory, Access.READ_WRITE);
                get(segment.publish("leak", true));
                b.importFrom(segment, Access.READ);
                a.importQueueOf(b);
                a.importQueueOf(a);
                b.paths.values().forEach(path -> assertThat(path.number()).isPositive());
                memory.close();
            }
        }

        // two contexts live on and learn of the others' end in their own time
        await().untilAsserted(
                        () -> assertThat(OpenDescriptors.ofContexts(directory)).isEqualTo(before));
        importer.close();
        home.close();
        try (var files = Files.walk(directory)) {
            assertThat(files.filter(Files::exists)
                            .map(file -> directory.relativize(file).toString()))
                    .containsExactlyInAnyOrder("", "names");
        }
    }

    @Test
    void closeTwiceIsOnce() {
        importer.close();
        importer.close();

        assertThat(statusOf(importer.plane.lookup("x", LONG))).isEqualTo(UrmaStatus.EINVAL);
    }
}
