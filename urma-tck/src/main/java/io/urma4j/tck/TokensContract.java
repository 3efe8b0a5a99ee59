package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteMemory;
import io.urma4j.Revocation;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * SEMANTICS §7.4–7.7: token ids, and tokens and what they open. Here the initiator shares and the home imports, because
 * sharing is under test.
 */
public abstract class TokensContract extends Contract {
    private static final int SIZE = 4096;
    private static final Duration LONG = Patience.LIMIT;

    private UrmaContext owner;

    @SuppressWarnings("NullAway.Init") // before each test
    protected TokensContract(String device) {
        super(device);
    }

    @BeforeEach
    void takeOwner() {
        owner = pair.initiator().context();
    }

    private LocalSegment segment(SegmentConfig config) {
        return owner.register(owner.allocate(SIZE), config);
    }

    private LocalSegment segment() {
        return segment(SegmentConfig.of(Access.READ_WRITE));
    }

    private static SharedSegment shared(LocalSegment segment) {
        return new SharedSegment(segment.descriptor(), segment.token());
    }

    /** S7.4: a token id can be allocated and freed without a segment, any number of times. */
    @Rule("S7.4")
    @Test
    void tokenIdLivesApartFromSegments() {
        var first = owner.createTokenId();
        var second = owner.createTokenId();

        assertThat(first.value()).isPositive().isNotEqualTo(second.value());
        first.free();
        first.free();
        second.close();
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> segment(SegmentConfig.of(Access.READ).withTokenId(first)))
                .hasMessageContaining("closed");
    }

    /** S7.4, §4: a token id that a segment uses is not freed, and the refusal changes nothing. */
    @Rule({"S7.4", "S4.1", "S2.2"})
    @Test
    void tokenIdInUseIsNotFreed() {
        var id = owner.createTokenId();
        var segment = segment(SegmentConfig.of(Access.READ_WRITE).withTokenId(id));

        assertRefused(UrmaStatus.EINVAL, id::free).hasMessageContaining(segment.toString());
        assertRefused(UrmaStatus.EAGAIN, id::close).hasMessageContaining(segment.toString());
        assertThat(pair.home()
                        .importSegment(shared(segment))
                        .write(0, new byte[8])
                        .isSuccess())
                .isTrue();

        segment.close();
        id.free();
    }

    /** S7.4, S4.5: a token id outlives its segments; descriptors of the first segment do not open the next. */
    @Rule({"S7.4", "S4.5"})
    @Test
    void tokenIdOutlivesItsSegmentsAndLetsNobodyIntoTheNext() {
        var id = owner.createTokenId();
        var config = SegmentConfig.of(Access.READ_WRITE).withTokenId(id);
        var first = segment(config);
        var old = shared(first);
        first.close();

        var second = segment(config);

        assertThat(second.tokenId())
                .isEqualTo(id.value())
                .isEqualTo(old.descriptor().tokenId());
        assertRefused(UrmaStatus.ENOPERM, () -> pair.home().importSegment(old));
        assertThat(pair.home()
                        .importSegment(shared(second))
                        .write(0, new byte[8])
                        .isSuccess())
                .isTrue();
    }

    /** S7.4: with the capability, several independent segments share one token id. */
    @Rule("S7.4")
    @Test
    void segmentsOfOneTokenIdAreToldApart() {
        assumeTrue(pair.device().attributes().capabilities().sharedTokenIds(), "one segment a token id");
        var id = owner.createTokenId();
        var config = SegmentConfig.of(Access.READ_WRITE).withTokenId(id);
        var first = segment(config);
        var second = segment(config);
        var viaFirst = pair.home().importSegment(shared(first));
        var viaSecond = pair.home().importSegment(shared(second));

        assertThat(viaFirst.write(0, new byte[] {1}).isSuccess()).isTrue();
        assertThat(viaSecond.write(0, new byte[] {2}).isSuccess()).isTrue();
        assertThat(first.memory().get(JAVA_BYTE, 0)).isEqualTo((byte) 1);
        assertThat(second.memory().get(JAVA_BYTE, 0)).isEqualTo((byte) 2);

        first.close();
        Patience.await("the revocation", viaFirst::isRevoked);
        assertThat(viaSecond.write(0, new byte[] {3}).isSuccess()).isTrue();
        assertRefused(UrmaStatus.EAGAIN, id::close).hasMessageContaining(second.toString());
    }

    /** S7.4: without the capability a token id has one segment. */
    @Rule({"S7.4", "S2.2"})
    @Test
    void secondSegmentOfATokenIdIsRefusedWhereTheDeviceCannot() {
        assumeTrue(!pair.device().attributes().capabilities().sharedTokenIds(), "the device can");
        var id = owner.createTokenId();
        var config = SegmentConfig.of(Access.READ_WRITE).withTokenId(id);
        var first = segment(config);
        var memory = owner.allocate(SIZE);

        assertRefused(UrmaStatus.EINVAL, () -> owner.register(memory, config)).hasMessageContaining("one segment");

        memory.close(); // nothing holds it
        assertThat(pair.home().importSegment(shared(first)).isRevoked()).isFalse();
    }

    /** S7.4: a token id of another context is refused, and stays free. */
    @Rule({"S7.4", "S2.2"})
    @Test
    void tokenIdOfAnotherContextIsRefused() {
        var foreign = pair.anotherInitiator().context().createTokenId();
        var memory = owner.allocate(SIZE);

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> owner.register(
                                memory, SegmentConfig.of(Access.READ).withTokenId(foreign)))
                .hasMessageContaining("belongs to");

        memory.close();
        foreign.free();
    }

    /** S7.4: a policy that the device lacks is refused, and holds neither memory nor token id. */
    @Rule({"S7.4", "S2.2"})
    @Test
    void refusedPolicyHoldsNothing() {
        var offered = pair.device().attributes().capabilities().tokenPolicies();
        for (TokenPolicy policy : TokenPolicy.values()) {
            if (!offered.contains(policy)) {
                var id = owner.createTokenId();
                var memory = owner.allocate(SIZE);
                var config = SegmentConfig.of(Access.READ).withPolicy(policy).withTokenId(id);

                assertRefused(UrmaStatus.EINVAL, () -> owner.register(memory, config))
                        .hasMessageContaining(policy.name());

                memory.close();
                id.free();
            }
        }
    }

    /** S7.5: after a rotation imports need the new token, and those of the old one are revoked. */
    @Rule({"S7.5", "S7.9"})
    @Test
    void rotationRevokesImportsAndAsksForTheNewToken() {
        var segment = segment();
        var old = shared(segment);
        var before = pair.home().importSegment(old);
        var next = Token.of(~old.token().value());

        assertThat(segment.rotateToken(next, LONG)).isEqualTo(Revocation.COMPLETED);

        assertThat(segment.token()).isEqualTo(next);
        assertThat(before.isRevoked()).isTrue();
        assertThat(before.write(0, new byte[8]).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertRefused(UrmaStatus.ENOPERM, () -> pair.home().importSegment(old));
        assertThat(pair.home()
                        .importSegment(shared(segment))
                        .write(0, new byte[8])
                        .isSuccess())
                .isTrue();
    }

    /** S7.5: a published name leads to the segment with its new token. */
    @Rule({"S7.5", "S7.13"})
    @Test
    void nameLeadsToTheNewToken() {
        var segment = segment();
        segment.publish("rotated");
        segment.rotateToken(Token.of(~segment.token().value()), LONG);

        assertThat(owner.lookup("rotated").token()).isEqualTo(segment.token());
    }

    /** S7.5: rotation of a segment without a token, or to the same token, is refused and revokes no import. */
    @Rule({"S7.5", "S2.2"})
    @Test
    void rotationToNothingNewIsRefusedAndRevokesNobody() {
        var segment = segment();
        var open = segment(SegmentConfig.of(Access.READ_WRITE).withPolicy(TokenPolicy.NONE));
        var local = segment(SegmentConfig.of(Access.LOCAL_ONLY));
        var imported = pair.home().importSegment(shared(segment));
        var importedOpen = pair.home().importSegment(shared(open));

        for (LocalSegment each : List.of(open, local)) {
            assertRefused(UrmaStatus.EINVAL, () -> each.rotateToken(Token.of(1), LONG));
        }
        assertRefused(UrmaStatus.EINVAL, () -> segment.rotateToken(segment.token(), LONG));

        assertThat(imported.write(0, new byte[8]).isSuccess()).isTrue();
        assertThat(importedOpen.write(0, new byte[8]).isSuccess()).isTrue();
        segment.close();
        assertRefused(UrmaStatus.EINVAL, () -> segment.rotateToken(Token.of(1), LONG))
                .hasMessageContaining("closed");
    }

    /** S7.5, S7.9: the new token holds though an importer does not answer; it is named, and revoked later. */
    @Rule({"S7.5", "S7.9"})
    @Test
    void rotationNamesWhoDoesNotAnswerAndHoldsAllTheSame() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var segment = segment();
        var stopped = pair.home().importSegment(shared(segment));
        var other = pair.anotherInitiator().context().importSegment(shared(segment));
        processOfHome().stop();
        try {
            var revocation = segment.rotateToken(Token.of(~segment.token().value()), Duration.ofMillis(300));

            assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
            assertThat(revocation.importers())
                    .singleElement()
                    .asString()
                    .contains(Long.toString(processOfHome().pid()));
            assertThat(other.isRevoked()).isTrue();
            assertThat(pair.anotherInitiator()
                            .context()
                            .importSegment(shared(segment))
                            .isRevoked())
                    .isFalse();
        } finally {
            processOfHome().proceed();
        }
        Patience.await("the revocation", stopped::isRevoked);
        assertThat(segment.unregister(LONG)).isEqualTo(Revocation.COMPLETED);
    }

    /** S7.6: a wrong token, an absent one, too much access and an unused token id are refused with the same error. */
    @Rule("S7.6")
    @Test
    void whatIsWrongIsNotTold() {
        var segment = segment(SegmentConfig.of(Access.READ));
        var freed = segment(SegmentConfig.of(Access.READ));
        var gone = shared(freed);
        freed.close();
        var wrong = new SharedSegment(
                segment.descriptor(), Token.of(~segment.token().value()));

        var refusals = List.<ThrowingCallable>of(
                () -> pair.home().importSegment(wrong), () -> pair.home().importSegment(gone));

        for (ThrowingCallable refusal : refusals) {
            assertRefused(UrmaStatus.ENOPERM, refusal).hasMessageContaining("wrong token id, token, or access");
        }
    }

    /** S7.6: an importer that guesses is slowed down, and does not flood the home with events. */
    @Rule("S7.6")
    @Test
    void guessesAreSlowedDownAndDoNotFloodTheHome() {
        int guesses = 18;
        var segment = segment();
        long start = System.nanoTime();

        for (int i = 1; i <= guesses; i++) {
            var guess = Token.of(segment.token().value() + i);
            assertRefused(
                    UrmaStatus.ENOPERM,
                    () -> pair.home().importSegment(new SharedSegment(segment.descriptor(), guess)));
        }

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(500));
        int told = 0;
        for (var event = owner.events().poll();
                event.isPresent();
                event = owner.events().poll()) {
            told += event.get().type() == AsyncEvent.Type.IMPORT_REFUSED ? 1 : 0;
        }
        assertThat(told).isBetween(1, guesses - 1);
        assertThat(pair.home().importSegment(shared(segment)).isRevoked())
                .as("the right token opens it still")
                .isFalse();
    }

    /** S7.7: an isolated segment cannot share its memory with another, in either order of registration. */
    @Rule({"S7.7", "S2.2"})
    @Test
    void isolatedSegmentSharesItsMemoryWithNone() {
        var memory = owner.allocate(SIZE);
        var plain = SegmentConfig.of(Access.READ_WRITE);
        var isolated = plain.withIsolation();
        var first = owner.register(memory, plain);

        assertRefused(UrmaStatus.EINVAL, () -> owner.register(memory, isolated)).hasMessageContaining("isolated");
        first.close();
        var alone = owner.register(memory, isolated);
        assertRefused(UrmaStatus.EINVAL, () -> owner.register(memory, plain)).hasMessageContaining("isolated");

        assertThat(pair.home()
                        .importSegment(shared(alone))
                        .write(0, new byte[8])
                        .isSuccess())
                .isTrue();
        alone.close();
        owner.register(memory, plain).close();
    }

    /** S7.7: isolated READ memory cannot be shared for writing later, nor the other way round. */
    @Rule("S7.7")
    @Test
    void isolatedReadMemoryIsForReadersForGood() {
        assumeTrue(
                pair.device().attributes().capabilities().mappable(),
                "where memory cannot be mapped, each import has its own access");
        var memory = owner.allocate(SIZE);
        owner.register(memory, SegmentConfig.of(Access.READ).withIsolation()).close();
        assertRefused(UrmaStatus.ENOPERM, () -> owner.register(memory, SegmentConfig.of(Access.READ_WRITE)));

        var written = owner.allocate(SIZE);
        var segment = owner.register(written, SegmentConfig.of(Access.READ_WRITE));
        pair.home().importSegment(shared(segment));
        segment.close();
        assertRefused(
                UrmaStatus.EINVAL,
                () -> owner.register(written, SegmentConfig.of(Access.READ).withIsolation()));
    }

    // ---- foreign memory

    private void needsForeignSharing() {
        assumeTrue(
                pair.device().attributes().capabilities().foreignShareable(),
                "the device shares only memory that it allocated");
    }

    /** S7.2, S7.4: foreign memory that peers import has a policy, a token and a token id like allocated memory. */
    @Rule({"S7.2", "S7.4", "S7.6"})
    @Test
    void foreignMemoryIsSharedUnderAToken() {
        needsForeignSharing();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(SIZE, 64);
            var id = owner.createTokenId();
            var segment = owner.registerForeign(
                    memory, SegmentConfig.of(Access.READ_WRITE).withTokenId(id));
            assertThat(segment.tokenId()).isEqualTo(id.value());
            assertThat(segment.descriptor().policy()).isEqualTo(TokenPolicy.PLAIN_TEXT);
            assertRefused(UrmaStatus.EINVAL, id::free);
            var wrong = new SharedSegment(
                    segment.descriptor(), Token.of(~segment.token().value()));

            assertRefused(UrmaStatus.ENOPERM, () -> owner.importSegment(wrong));
            var imported = pair.home().importSegment(shared(segment));
            assertThat(imported.write(16, new byte[] {7, 8}).isSuccess()).isTrue();
            assertThat(memory.get(JAVA_BYTE, 17)).isEqualTo((byte) 8);

            segment.rotateToken(Token.random(), LONG);
            assertThat(imported.write(16, new byte[] {9}).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            assertThat(memory.get(JAVA_BYTE, 16)).isEqualTo((byte) 7);
            segment.close();
            id.free();
        }
    }

    /** S7.2, S14.31: windows of foreign memory open no more of it. */
    @Rule({"S7.2", "S14.31"})
    @Test
    void foreignMemoryIsSharedByWindowsAlone() {
        needsForeignSharing();
        try (Arena arena = Arena.ofShared()) {
            var segment = owner.registerForeign(
                    arena.allocate(SIZE, 64),
                    SegmentConfig.of(Access.READ_WRITE).withWindowsOnly());
            assertRefused(UrmaStatus.ENOPERM, () -> owner.importSegment(segment.descriptor(), null));

            var grant = segment.grant(owner.peerId(), 0, 64, Access.READ);

            var remote = owner.importSegment(segment.descriptor(), null);
            assertThat(remote.importWindow(grant.key()).lengthBytes()).isEqualTo(64);
            assertRefused(UrmaStatus.ENOPERM, () -> RemoteMemory.of(remote));
            segment.close();
        }
    }

    /** S7.2, S7.7: what else lies in foreign memory is unknown, so it is never isolated. */
    @Rule({"S7.2", "S7.7"})
    @Test
    void foreignMemoryIsNeverIsolated() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            SegmentConfig isolated = SegmentConfig.of(Access.LOCAL_ONLY).withIsolation();

            assertRefused(UrmaStatus.EINVAL, () -> owner.registerForeign(memory, isolated))
                    .hasMessageContaining("isolated");
            owner.registerForeign(memory, SegmentConfig.of(Access.LOCAL_ONLY)).close();
        }
    }

    /** S7.2: a device that cannot share foreign memory refuses it under any configuration. */
    @Rule("S7.2")
    @Test
    void foreignMemoryIsRefusedWhereItCannotBeShared() {
        assumeTrue(!pair.device().attributes().capabilities().foreignShareable(), "the device can share it");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            SegmentConfig config = SegmentConfig.of(Access.READ_WRITE);

            assertRefused(UrmaStatus.EINVAL, () -> owner.registerForeign(memory, config))
                    .hasMessageContaining("allocate");
            assertRefused(UrmaStatus.EINVAL, () -> owner.registerForeign(memory, config.withWindowsOnly()))
                    .hasMessageContaining("allocate");
        }
    }
}
