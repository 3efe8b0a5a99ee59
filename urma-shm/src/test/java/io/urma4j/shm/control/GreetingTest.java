package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.PeerCredentials;
import io.urma4j.libc.UserIds;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The limits of a greeting: how many peers, for how long, and by which name. */
@Timeout(60)
class GreetingTest {
    private static final int MAX_UNIDENTIFIED = 256;
    private static final Duration SHORT = Duration.ofMillis(200);

    @TempDir
    Path temporary;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Path directory;

    @BeforeEach
    void place() {
        directory = temporary.resolve("runtime");
    }

    @AfterEach
    void closed() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T opened(T one) {
        opened.add(one);
        return one;
    }

    private TestContext context(PeerLimits limits) {
        return opened(new TestContext(directory, limits));
    }

    private static PeerId id(int number) {
        return new PeerId("%032x".formatted(number), 1_000 + number);
    }

    private RawPeer greeted(TestContext home, int number) throws Exception {
        return opened(RawPeer.greeted(directory, home.plane, id(number)));
    }

    /** A greeted peer that holds an import. */
    private RawPeer holder(TestContext home, int number) throws Exception {
        RawPeer peer = greeted(home, number);
        ShmSegment segment = home.share(Access.READ);
        peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
        peer.receive(SegmentGranted.class);
        return peer;
    }

    private UrmaStatus refusalOf(TestContext home, int number) throws Exception {
        try (RawPeer peer = RawPeer.connectedTo(directory, home.plane)) {
            peer.send(RawPeer.hello(id(number), home.plane.incarnation()));
            return peer.receive().orElseThrow() instanceof Refused refused ? refused.status() : UrmaStatus.SUCCESS;
        }
    }

    private boolean isServed(TestContext home, int number) throws Exception {
        return refusalOf(home, number) == UrmaStatus.SUCCESS;
    }

    @Test
    void aProcessHasAtMostItsLimitOfContexts() throws Exception {
        TestContext home = context(new PeerLimits(2, 8));
        greeted(home, 1);
        RawPeer second = greeted(home, 2);

        assertThat(refusalOf(home, 3)).isEqualTo(UrmaStatus.ENOPERM);

        second.close();
        await().until(() -> isServed(home, 3));
    }

    @Test
    void allPeersTogetherAreAtMostTheLimitWhileEachHoldsSomething() throws Exception {
        TestContext home = context(new PeerLimits(1000, 2));
        holder(home, 1);
        RawPeer second = holder(home, 2);

        assertThat(refusalOf(home, 3)).isEqualTo(UrmaStatus.ENOPERM);

        second.close();
        await().until(() -> isServed(home, 3));
    }

    @Test
    void atTheLimitTheOldestPeerThatHoldsNothingGivesWay() throws Exception {
        TestContext home = context(new PeerLimits(1000, 3));
        RawPeer holder = holder(home, 1);
        RawPeer oldest = greeted(home, 2);
        RawPeer younger = greeted(home, 3);

        greeted(home, 4);

        assertThat(oldest.receive()).isEmpty();
        assertThat(younger.hasEnded()).isFalse();
        assertThat(holder.hasEnded()).isFalse();
        assertThat(home.lost).as("nothing is lost with it").isEmpty();
    }

    @Test
    void aLostPeerCountsUntilItsEndIsProven() throws Exception {
        TestContext home = context(new PeerLimits(1000, 1));
        HeldLock lock = new HeldLock(directory, id(1));
        holder(home, 1).close();
        await().until(() -> home.lost.size() == 1);

        assertThat(refusalOf(home, 2)).isEqualTo(UrmaStatus.ENOPERM);

        lock.close();
        await().until(() -> isServed(home, 2));
    }

    @Test
    void aPeerThatHeldNothingLeavesItsPlaceWithoutProof() throws Exception {
        TestContext home = context(new PeerLimits(1000, 1));
        opened(new HeldLock(directory, id(1)));
        greeted(home, 1).close();

        await().until(() -> isServed(home, 2));
        assertThat(home.lost).isEmpty();
    }

    @Test
    void beyondTheLimitOfUnidentifiedConnectionsTheOldestEnds() throws Exception {
        TestContext home = context(PeerLimits.ofThisProcess());
        List<RawPeer> silent = new ArrayList<>();
        for (int i = 1; i < MAX_UNIDENTIFIED; i++) {
            silent.add(opened(connectedWhenThereIsRoom(home)));
        }
        greeted(home, 1); // was the last that has a place, and needs it no more
        assertThat(silent.getFirst().hasEnded()).as("at the limit").isFalse();
        opened(connectedWhenThereIsRoom(home));

        greeted(home, 2);

        assertThat(silent.getFirst().receive()).as("beyond the limit").isEmpty();
        assertThat(silent.get(1).hasEnded()).as("the next").isFalse();
    }

    private RawPeer connectedWhenThereIsRoom(TestContext home) {
        while (true) {
            try {
                return RawPeer.connectedTo(directory, home.plane);
            } catch (LibcException e) {
                assertThat(e.errno()).isEqualTo(Errno.EAGAIN); // the home accepts a few at a time
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aHomeThatHasGreetedIsNotCutOffWhenTheTimeOfTheGreetingIsOver() throws Exception {
        TestContext importer = opened(new TestContext(directory, ContextOptions.DEFAULT, SHORT.toNanos()));
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = home.importBy(importer, Access.READ, LONG);
        RawPeer connection = opened(home.greet());
        connection.receive(ImportSegment.class);

        await().pollDelay(SHORT.multipliedBy(2)).until(() -> true);

        assertThat(imported).isNotDone();
        connection.send(new Revoke(99));
        assertThat(connection.receive()).as("an unknown import is not in use").contains(new Revoked(99));
    }

    /** Else it would fail when the time of the first is over. */
    @Test
    void aCallerThatJoinsAGreetingHasItsOwnTime() throws Exception {
        Duration limit = Duration.ofSeconds(1);
        TestContext importer = opened(new TestContext(directory, ContextOptions.DEFAULT, limit.toNanos()));
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var first = home.importBy(importer, Access.READ, LONG);
        await().pollDelay(SHORT).until(() -> true);
        assertThat(first).isNotDone();
        long joined = System.nanoTime();
        var second = home.importBy(importer, Access.READ, LONG);

        assertThat(failureOf(second).status()).isEqualTo(UrmaStatus.ETIMEOUT);

        assertThat(Duration.ofNanos(System.nanoTime() - joined)).isGreaterThanOrEqualTo(limit);
        assertThat(failureOf(first)).hasMessageContaining("did not greet in time");
    }

    @Test
    void aHomeWhoseQueueOfConnectionsIsFullIsTriedAgain() throws Exception {
        TestContext importer = context(PeerLimits.ofThisProcess());
        RawHome home = opened(RawHome.withShortQueue(directory, RawPeer.ID));
        int waiting = fillQueueOf(home);
        var imported = home.importBy(importer, Access.READ, LONG);
        importer.settle();
        assertThat(imported).isNotDone();

        for (int i = 0; i < waiting; i++) {
            home.accept().close();
        }

        opened(home.greet()).receive(ImportSegment.class);
    }

    @Test
    void aHomeWhoseQueueOfConnectionsStaysFullIsGone() throws Exception {
        TestContext importer = opened(new TestContext(directory, ContextOptions.DEFAULT, SHORT.toNanos()));
        RawHome home = opened(RawHome.withShortQueue(directory, RawPeer.ID));
        fillQueueOf(home);
        long start = System.nanoTime();

        UrmaException gone = failureOf(home.importBy(importer, Access.READ, LONG));

        assertThat(gone.status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(gone).hasMessageContaining("its queue of pending connections is full");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
    }

    private int fillQueueOf(RawHome home) {
        int connected = 0;
        while (true) {
            try {
                opened(RawPeer.connectedTo(directory, home.id.address()));
                connected++;
            } catch (LibcException e) {
                assertThat(e.errno()).isEqualTo(Errno.EAGAIN);
                return connected;
            }
        }
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    /** Its new greeting is handled before the end of its old connection. */
    @Test
    void aPeerThatComesBackAtOnceIsServed() throws Exception {
        TestContext home = context(PeerLimits.ofThisProcess());
        RawPeer before = greeted(home, 1);
        RawPeer again = opened(RawPeer.connectedTo(directory, home.plane));
        greeted(home, 2); // connections are accepted in order, so the home has that one as well
        CountDownLatch events = home.hold();
        again.send(RawPeer.hello(id(1), home.plane.incarnation()));
        before.close();

        events.countDown();

        assertThat(again.receive().orElseThrow()).isInstanceOf(Hello.class);
    }

    @Test
    void aHomeThatRefusesTheGreetingIsQuoted() throws Exception {
        TestContext importer = context(PeerLimits.ofThisProcess());
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = home.importBy(importer, Access.READ, LONG);
        RawPeer connection = opened(home.accept());
        connection.receive(Hello.class);

        connection.send(new Refused(0, UrmaStatus.EAGAIN, "not today"));

        UrmaException refusal = failureOf(imported);
        assertThat(refusal.status()).isEqualTo(UrmaStatus.EAGAIN);
        assertThat(refusal).hasMessageContaining("not today");
    }

    /** S1.5: the incarnation, and the address, of the one that was meant. */
    @Test
    void aHomeUnderAnotherIdentityIsGone() throws Exception {
        TestContext importer = context(PeerLimits.ofThisProcess());
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        for (PeerId other : List.of(
                new PeerId(RawPeer.ID.address(), RawPeer.ID.incarnation() + 1),
                new PeerId(RawHome.LAST.address(), RawPeer.ID.incarnation()))) {
            var imported = home.importBy(importer, Access.READ, LONG);
            RawPeer connection = opened(home.accept());
            connection.receive(Hello.class);

            connection.send(RawPeer.hello(other, 0));

            assertThat(failureOf(imported).status()).as("%s", other).isEqualTo(UrmaStatus.ETIMEOUT);
        }
    }

    /** S13.3. */
    @Test
    void aProcessOfAnotherUserIsNoPeer() {
        int own = UserIds.effective();
        UnknownPeers.checkUser(new PeerCredentials(1, own, 0));

        for (int other : new int[] {own + 1, own - 1}) {
            assertThatThrownBy(() -> UnknownPeers.checkUser(new PeerCredentials(1, other, 0)))
                    .isInstanceOfSatisfying(
                            UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM))
                    .hasMessageContaining("uid " + other);
        }
    }
}
