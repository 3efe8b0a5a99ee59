package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.AsyncEvent;
import io.urma4j.Revocation;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LockFile;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which segments can be registered, imported, named and revoked. */
@Timeout(60)
class SegmentRulesTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;
    private TestContext importer;
    private ShmMemory memory;

    @BeforeEach
    void open() {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
        importer = new TestContext(directory);
        memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "test");
    }

    @AfterEach
    void closed() {
        importer.close();
        home.close();
        memory.close();
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    private static UrmaStatus statusOf(CompletableFuture<?> future) {
        return failureOf(future).status();
    }

    private CompletableFuture<ShmSegment> register(Access access, int tokenId, boolean isolated) {
        var request = new SegmentRequest(
                memory, null, null, access, TokenPolicy.PLAIN_TEXT, Token.random(), tokenId, isolated, false);
        return home.plane.register(request).thenApply(ShmSegment.class::cast);
    }

    private CompletableFuture<?> importOf(ShmSegment segment, Token token, Access access) {
        return importer.plane.importSegment(new ImportRequest(segment.descriptor(), token, access, LONG));
    }

    /** An importer that answers what the test says. */
    private RawPeer rawImporterOf(ShmSegment segment) throws Exception {
        RawPeer peer = RawPeer.greeted(directory, home.plane);
        peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
        peer.receive(SegmentGranted.class);
        return peer;
    }

    // ---- registration

    @Test
    void aTokenPolicyBeyondPlainTextIsRefused() {
        for (TokenPolicy policy : List.of(TokenPolicy.SIGNED, TokenPolicy.ALL_ENCRYPTED)) {
            var request = new SegmentRequest(memory, null, Access.READ, policy, Token.random());

            assertThat(statusOf(home.plane.register(request))).as("%s", policy).isEqualTo(UrmaStatus.EINVAL);
        }
    }

    @Test
    void memoryOfAnotherProviderIsRefused() {
        ProviderMemory other = new ProviderMemory() {
            @Override
            public MemorySegment segment() {
                return memory.segment();
            }

            @Override
            public AllocReport report() {
                return memory.report();
            }

            @Override
            public void close() {}
        };
        var request = new SegmentRequest(other, null, Access.READ, TokenPolicy.NONE, Token.random());

        assertThat(failureOf(home.plane.register(request))).hasMessageContaining("memory cannot be used here");
    }

    @Test
    void noMemoryIsRefused() {
        var request = new SegmentRequest(null, null, Access.LOCAL_ONLY, TokenPolicy.NONE, Token.random());

        assertThat(failureOf(home.plane.register(request))).hasMessageContaining("memory: is null");
    }

    /** S7.7. */
    @Test
    void anIsolatedSegmentSharesItsMemoryWithNoOther() throws Exception {
        ShmSegment isolated = get(register(Access.READ, 0, true));

        assertThat(statusOf(register(Access.READ, 0, false))).isEqualTo(UrmaStatus.EINVAL);

        get(isolated.unregister(LONG));
        get(register(Access.READ, 0, false));
    }

    @Test
    void aLocalSegmentIsIsolatedFromNothing() throws Exception {
        get(register(Access.LOCAL_ONLY, 0, true));

        get(register(Access.LOCAL_ONLY, 0, true));
    }

    @Test
    void aRefusedSegmentLeavesItsTokenIdFree() throws Exception {
        int tokenId = home.plane.allocateTokenId();
        get(register(Access.READ, 0, true));

        assertThat(statusOf(register(Access.READ, tokenId, false))).isEqualTo(UrmaStatus.EINVAL);

        assertThat(home.plane.invalidate(someImporter(), tokenId)).isEqualTo(InvalidateResult.NOT_ALLOWED);
    }

    private Peer someImporter() throws Exception {
        ShmSegment other = home.share(Access.READ);
        importer.importFrom(other, Access.READ);
        return other.exported().grants().iterator().next().importer();
    }

    @Test
    void aTokenIdThatWasNotAllocatedIsRefused() throws Exception {
        int tokenId = home.plane.allocateTokenId();
        assertThat(get(register(Access.READ, tokenId, false)).tokenId()).isEqualTo(tokenId);

        assertThat(statusOf(register(Access.READ, tokenId + 1, false))).isEqualTo(UrmaStatus.EINVAL);

        home.plane.freeTokenId(tokenId);
        assertThat(statusOf(register(Access.READ, tokenId, false))).isEqualTo(UrmaStatus.EINVAL);
    }

    /** S4.5: segments of one token id differ by their keys. */
    @Test
    void segmentsOfOneTokenIdAreImportedByTheirKeys() throws Exception {
        int tokenId = home.plane.allocateTokenId();
        ShmSegment first = get(register(Access.READ_WRITE, tokenId, false));
        try (ShmMemory other = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "other")) {
            var request = new SegmentRequest(
                    other,
                    null,
                    null,
                    Access.READ_WRITE,
                    TokenPolicy.PLAIN_TEXT,
                    Token.random(),
                    tokenId,
                    false,
                    false);
            ShmSegment second = (ShmSegment) get(home.plane.register(request));
            first.memory.set(JAVA_LONG, 0, 1);
            second.memory.set(JAVA_LONG, 0, 2);

            assertThat(importer.importFrom(first, Access.READ).memory.get(JAVA_LONG, 0))
                    .isEqualTo(1);
            assertThat(importer.importFrom(second, Access.READ).memory.get(JAVA_LONG, 0))
                    .isEqualTo(2);

            get(first.unregister(LONG));
            assertThat(importer.importFrom(second, Access.READ).memory.get(JAVA_LONG, 0))
                    .as("the other stays")
                    .isEqualTo(2);
            get(second.unregister(LONG));
        }
    }

    // ---- import

    @Test
    void localAccessCannotBeImported() throws Exception {
        ShmSegment segment = home.share(Access.READ);

        assertThat(statusOf(importOf(segment, segment.token(), Access.LOCAL_ONLY)))
                .isEqualTo(UrmaStatus.EINVAL);
    }

    /** S7.1: each level, and the one above it. */
    @Test
    void anImportHasAtMostTheAccessOfItsSegment() throws Exception {
        Access[] levels = {Access.READ, Access.READ_WRITE, Access.READ_WRITE_ATOMIC};
        for (int given = 0; given < levels.length; given++) {
            ShmSegment segment = home.share(levels[given]);
            importer.importFrom(segment, levels[given]);
            for (int wanted = given + 1; wanted < levels.length; wanted++) {
                assertThat(statusOf(importOf(segment, segment.token(), levels[wanted])))
                        .isEqualTo(UrmaStatus.ENOPERM);
            }
        }
    }

    @Test
    void foreignMemoryIsNotImported() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            var request =
                    new SegmentRequest(null, arena.allocate(64), Access.LOCAL_ONLY, TokenPolicy.NONE, Token.random());
            ShmSegment segment = (ShmSegment) get(home.plane.register(request));

            assertThat(statusOf(importOf(segment, segment.token(), Access.READ)))
                    .isEqualTo(UrmaStatus.ENOPERM);
            assertThat(get(segment.unregister(LONG))).isEqualTo(Revocation.COMPLETED);
        }
    }

    @Test
    void aHomeThatGrantsLessThanRequestedIsRefused() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var imported = raw.importBy(importer, Access.READ_WRITE, LONG);
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();

                connection.send(new SegmentGranted(request, 1, Access.READ, 0, 4096), memory.shareWritable());

                assertThat(failureOf(imported)).hasMessageContaining("granted READ although READ_WRITE was requested");
                assertThat(connection.receive()).contains(new Unimport(1));
            }
        }
    }

    @Test
    void aGrantThatIsNoLongerWantedIsGivenBack() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var imported = importer.plane.importSegment(
                    new ImportRequest(raw.segment(Access.READ_WRITE, 0), null, Access.READ_WRITE, LONG));
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();
                imported.cancel(false);

                connection.send(new SegmentGranted(request, 1, Access.READ_WRITE, 0, 4096), memory.shareWritable());

                assertThat(connection.receive()).contains(new Unimport(1));
            }
        }
    }

    @Test
    void aDescriptorWithoutAHomeAddressHasNone() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var asked = importAt(raw, 0);
            try (RawPeer connection = raw.greet()) {
                grantTo(connection, 1);
                ShmImport imported = get(asked);

                assertThat(failureOf(imported.mapAtHomeAddress(LONG))).hasMessageContaining("no home address");

                get(imported.close());
                assertThat(failureOf(imported.mapAtHomeAddress(LONG))).hasMessageContaining("is closed");
            }
        }
    }

    @Test
    void aSecondMappingLiesAtTheHomesAddressAndIsReleasedWithTheFirst() throws Exception {
        long address = freeAddress();
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var asked = importAt(raw, address);
            try (RawPeer connection = raw.greet()) {
                grantTo(connection, 1);
                ShmImport imported = get(asked);
                var mapped = imported.mapAtHomeAddress(LONG);
                grantTo(connection, 2);

                assertThat(get(mapped).address()).isEqualTo(address);
                assertThat(get(imported.mapAtHomeAddress(LONG)).address())
                        .as("without a further request")
                        .isEqualTo(address);
                get(imported.close());
                assertThat(List.of(
                                connection.receive().orElseThrow(),
                                connection.receive().orElseThrow()))
                        .containsExactlyInAnyOrder(new Unimport(1), new Unimport(2));
            }
        }
    }

    /** Several threads may ask at a time, and the first of them may have the least patience. */
    @Test
    void eachCallerOfASecondMappingHasItsOwnTime() throws Exception {
        long address = freeAddress();
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var asked = importAt(raw, address);
            try (RawPeer connection = raw.greet()) {
                grantTo(connection, 1);
                ShmImport imported = get(asked);
                var impatient = imported.mapAtHomeAddress(SHORT);
                var patient = imported.mapAtHomeAddress(LONG);
                connection.receive(ImportSegment.class); // which is not answered
                assertThat(statusOf(impatient)).isEqualTo(UrmaStatus.ETIMEOUT);
                long request = connection.receive(ImportSegment.class).request();
                assertThat(statusOf(imported.mapAtHomeAddress(SHORT))).isEqualTo(UrmaStatus.ETIMEOUT);
                assertThat(patient).isNotDone();
                connection.send(new SegmentGranted(request, 2, Access.READ_WRITE, 0, 4096), memory.shareWritable());

                assertThat(get(patient).address()).isEqualTo(address);
                get(imported.close());
            }
        }
    }

    @Test
    void aHomeAddressThatWasInUseIsTriedAgain() throws Exception {
        ShmMemory there = ShmMemory.allocate(1 << 20, AllocOptions.DEFAULT, "there");
        long address = there.segment().address();
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var asked = importAt(raw, address);
            try (RawPeer connection = raw.greet()) {
                grantTo(connection, 1);
                ShmImport imported = get(asked);
                var mapped = imported.mapAtHomeAddress(LONG);
                grantTo(connection, 2);
                assertThat(statusOf(mapped)).isEqualTo(UrmaStatus.EEXIST);
                assertThat(connection.receive()).contains(new Unimport(2));

                there.close();
                var again = imported.mapAtHomeAddress(LONG);
                grantTo(connection, 3);

                assertThat(get(again).address()).isEqualTo(address);
                get(imported.close());
            }
        }
    }

    private CompletableFuture<ShmImport> importAt(RawHome raw, long vaBase) {
        return importer.plane
                .importSegment(new ImportRequest(raw.segment(Access.READ_WRITE, vaBase), null, Access.READ, LONG))
                .thenApply(ShmImport.class::cast);
    }

    private void grantTo(RawPeer asking, long grant) throws Exception {
        long request = asking.receive(ImportSegment.class).request();
        asking.send(new SegmentGranted(request, grant, Access.READ_WRITE, 0, 4096), memory.shareWritable());
    }

    private static long freeAddress() {
        try (ShmMemory gone = ShmMemory.allocate(1 << 20, AllocOptions.DEFAULT, "gone")) {
            return gone.segment().address();
        }
    }

    // ---- revocation

    @Test
    void memoryIsInQuarantineUntilTheLastImporterHasReleasedIt() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        try (RawPeer silent = rawImporterOf(segment)) {
            Revocation revocation = get(segment.unregister(SHORT));
            assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
            assertThat(revocation.importers()).hasSize(1);
            assertThat(statusOf(register(Access.READ, 0, false))).isEqualTo(UrmaStatus.EAGAIN);

            silent.send(new Revoked(silent.receive(Revoke.class).grant()));

            await().until(() -> segment.importers().isEmpty());
            home.settle();
            get(register(Access.READ, 0, false));
        }
    }

    @Test
    void anImporterIsNotifiedOfARevocationOnce() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        try (RawPeer silent = rawImporterOf(segment)) {
            get(segment.unregister(SHORT));
            get(segment.unregister(SHORT));
            silent.receive(Revoke.class);

            silent.send(new Lookup(2, "unknown", false));

            assertThat(silent.receive().orElseThrow()).isInstanceOf(Refused.class);
        }
    }

    @Test
    void aRevocationEndsWhenAllImportersHaveAnswered() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        importer.importFrom(segment, Access.READ);
        try (RawPeer late = rawImporterOf(segment)) {
            var revocation = segment.unregister(LONG);
            await().until(() -> segment.importers().size() == 1);
            assertThat(revocation).isNotDone();

            late.send(new Revoked(late.receive(Revoke.class).grant()));

            assertThat(get(revocation)).isEqualTo(Revocation.COMPLETED);
        }
    }

    /** S7.5. */
    @Test
    void aRotatedTokenRevokesTheOldImportsAndAllowsNewOnes() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        ShmImport before = importer.importFrom(segment, Access.READ);
        Token old = segment.token();
        Token next = Token.of(~old.value());

        assertThat(get(segment.rotate(next, LONG))).isEqualTo(Revocation.COMPLETED);

        assertThat(before.isRevoked()).isTrue();
        assertThat(segment.token()).isEqualTo(next);
        assertThat(statusOf(importOf(segment, old, Access.READ))).isEqualTo(UrmaStatus.ENOPERM);
        get(importOf(segment, next, Access.READ));
    }

    @Test
    void aRevokedSegmentHasNoTokenToRotate() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        get(segment.unregister(LONG));

        assertThat(statusOf(segment.rotate(Token.random(), LONG))).isEqualTo(UrmaStatus.EINVAL);
    }

    /** S8.11. */
    @Test
    void anInvalidationIsInProgressUntilAllImportersHaveAnswered() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        try (RawPeer late = rawImporterOf(segment)) {
            Peer sender = segment.exported().grants().iterator().next().importer();

            assertThat(home.plane.invalidate(sender, segment.tokenId())).isEqualTo(InvalidateResult.IN_PROGRESS);
            assertThat(home.plane.invalidate(sender, segment.tokenId())).isEqualTo(InvalidateResult.IN_PROGRESS);
            late.send(new Revoked(late.receive(Revoke.class).grant()));

            await().until(() -> home.plane.invalidate(sender, segment.tokenId()) == InvalidateResult.DONE);
            assertThat(home.count(AsyncEvent.Type.SEGMENT_REVOKED)).isEqualTo(1);
        }
    }

    @Test
    void aSegmentThatItsHomeRevokedCannotBeInvalidated() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        try (RawPeer late = rawImporterOf(segment)) {
            Peer sender = segment.exported().grants().iterator().next().importer();
            get(segment.unregister(SHORT));

            assertThat(home.plane.invalidate(sender, segment.tokenId())).isEqualTo(InvalidateResult.NOT_ALLOWED);
            late.send(new Revoked(late.receive(Revoke.class).grant()));
            await().until(() -> segment.importers().isEmpty());
        }
    }

    @Test
    void anInvalidationCoversAllSegmentsOfTheTokenIdButNotThoseAlreadyRevoked() throws Exception {
        int tokenId = home.plane.allocateTokenId();
        ShmSegment revoked = get(register(Access.READ, tokenId, false));
        ShmSegment open = get(register(Access.READ, tokenId, false));
        importer.importFrom(open, Access.READ);
        try (RawPeer late = rawImporterOf(revoked)) {
            get(revoked.unregister(SHORT));
            Peer sender = open.exported().grants().iterator().next().importer();

            home.plane.invalidate(sender, tokenId);

            await().until(() -> open.importers().isEmpty());
            assertThat(home.plane.invalidate(sender, tokenId))
                    .as("one importer has not answered")
                    .isEqualTo(InvalidateResult.IN_PROGRESS);
            assertThat(home.count(AsyncEvent.Type.SEGMENT_REVOKED)).isEqualTo(1);
            late.send(new Revoked(late.receive(Revoke.class).grant()));
            await().until(() -> home.plane.invalidate(sender, tokenId) == InvalidateResult.DONE);
        }
    }

    // ---- names

    @Test
    void aSegmentThatCannotBeImportedHasNoName() throws Exception {
        ShmSegment local = get(register(Access.LOCAL_ONLY, 0, false));
        ShmSegment revoked = get(register(Access.READ, 0, false));
        get(revoked.unregister(LONG));

        assertThat(statusOf(local.publish("local", false))).isEqualTo(UrmaStatus.EINVAL);
        assertThat(statusOf(revoked.publish("revoked", false))).isEqualTo(UrmaStatus.EINVAL);
    }

    @Test
    void aNameThatAnotherProcessLocksForAMomentIsTriedAgain() throws Exception {
        ShmSegment segment = get(register(Access.READ, 0, false));
        try (RuntimeDirectory other = RuntimeDirectory.open(directory)) {
            LockFile held = other.takeName("orders").orElseThrow();
            CompletableFuture<CompletableFuture<Void>> publishing = new CompletableFuture<>();
            home.plane.execute(() -> {
                publishing.complete(segment.publish("orders", false));
                home.plane.execute(held::remove); // after the first attempt
            });

            get(get(publishing));

            assertThat(get(importer.plane.lookup("orders", LONG)).descriptor()).isEqualTo(segment.descriptor());
        }
    }

    @Test
    void aTokenIsTransmittedOnlyIfItWasPublishedAndIsAskedFor() throws Exception {
        ShmSegment with = home.share(Access.READ);
        ShmSegment without = home.share(Access.READ);
        get(with.publish("with", true));
        get(without.publish("without", false));
        try (RawPeer peer = RawPeer.greeted(directory, home.plane)) {
            peer.send(new Lookup(1, "with", true));
            assertThat(peer.receive(Named.class).token()).isEqualTo(with.token());
            peer.send(new Lookup(2, "with", false));
            assertThat(peer.receive(Named.class).token()).isNull();
            peer.send(new Lookup(3, "without", true));
            assertThat(peer.receive(Named.class).token()).isNull();

            get(with.unregister(LONG));
            peer.send(new Lookup(4, "with", true));
            assertThat(peer.receive(Refused.class).reason()).contains("no longer published");
        }
    }

    // ---- work requests

    @Test
    void workRequestsAreCountedPerUser() throws Exception {
        ShmSegment segment = home.share(Access.READ);
        User first = new User();
        User second = new User();

        segment.pin(first);
        segment.pin(second);
        segment.pin(second);
        segment.pin(first);
        segment.unpin(first);
        assertThat(segment.unfinished()).isEqualTo(3);
        segment.unpin(second);
        segment.unpin(first);
        segment.unpin(second);
        assertThat(segment.unfinished()).isZero();

        segment.pin(first);
        second.closed = true;
        segment.pin(new User());
        assertThat(segment.unfinished()).isEqualTo(2);
    }

    private static final class User implements SegmentUser {
        private boolean closed;

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    @Test
    void lengthBeyondTheMemoryOfTheHomeIsRefused() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var imported = raw.importBy(importer, Access.READ, LONG);
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();

                connection.send(new SegmentGranted(request, 1, Access.READ, 0, 4097), memory.shareReadOnly());

                assertThatThrownBy(() -> get(imported)).hasMessageContaining("lies outside");
                assertThat(connection.receive()).contains(new Unimport(1));
            }
        }
    }
}
