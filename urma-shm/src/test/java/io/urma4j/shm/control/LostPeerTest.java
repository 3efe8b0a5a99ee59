package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Revocation;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a peer, and what proves it. */
@Timeout(60)
class LostPeerTest {
    @TempDir
    Path temporary;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Path directory;
    private TestContext context;
    private RawPeer outgoing; // the context's connection to a raw home

    @BeforeEach
    void open() {
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
    }

    @AfterEach
    void closed() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        context.close();
    }

    private <T extends AutoCloseable> T opened(T one) {
        opened.add(one);
        return one;
    }

    private RawPeer importerOf(ShmSegment segment) throws Exception {
        RawPeer peer = opened(RawPeer.greeted(directory, context.plane));
        peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
        peer.receive(SegmentGranted.class);
        return peer;
    }

    /** A raw home's segment, imported by the context. */
    private ShmImport importFrom(RawHome home, ShmMemory memory) throws Exception {
        var imported = home.importBy(context, Access.READ, LONG);
        outgoing = opened(home.greet());
        long request = outgoing.receive(ImportSegment.class).request();
        outgoing.send(new SegmentGranted(request, 1, Access.READ, 0, 4096), memory.fd());
        return get(imported);
    }

    @Test
    void aPeerWhoseLockIsFreeIsProvenGone() throws Exception {
        ShmSegment segment = context.share(Access.READ);

        importerOf(segment).close();

        await().until(() -> context.lost.size() == 1);
        assertThat(context.lost.getFirst()).startsWith("proven 7: ").contains("connection ended");
        await().until(() -> segment.importers().isEmpty());
    }

    /** S12.4: the kernel reports such an end before it gives out the goodbye. */
    @Test
    void theGoodbyeOfAPeerThatLeftMessagesUnreadArrives() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        try (HeldLock _ = new HeldLock(directory, RawPeer.ID)) {
            RawPeer peer = importerOf(segment);
            CountDownLatch engine = context.hold();
            peer.send(new Lookup(2, "unknown", false));
            engine.countDown();
            context.settle(); // the answer lies there
            CountDownLatch again = context.hold();
            peer.send(new Goodbye("for the test"));
            peer.close();
            again.countDown();

            await().until(() -> context.lost.size() == 1);
            assertThat(context.lost.getFirst()).startsWith("proven 7: ").contains("goodbye");
        }
    }

    @Test
    void aLostPeerKeepsItsGrantsUntilItsLockIsFree() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        HeldLock lock = new HeldLock(directory, RawPeer.ID);
        importerOf(segment).close();
        await().until(() -> context.lost.size() == 1);
        assertThat(context.lost.getFirst()).startsWith("unproven 7: ");

        Revocation revocation = get(segment.unregister(Duration.ofMillis(50)));

        assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
        assertThat(segment.importers()).hasSize(1);
        lock.close();
        await().until(() -> segment.importers().isEmpty());
        assertThat(context.lost).as("the loss is reported once").hasSize(1);
    }

    @Test
    void aPeerIsLostOnceAndForItsFirstReason() throws Exception {
        TestContext importer = opened(new TestContext(directory));
        Peer peer = importer.importQueueOf(context);

        importer.plane.cutOff(peer, "the first reason");
        importer.plane.cutOff(peer, "the second reason");

        await().until(() -> importer.lost.size() == 1);
        assertThat(importer.lost.getFirst()).contains("the first reason");
    }

    @Test
    void aLostPeerIsAskedForNothing() throws Exception {
        TestContext importer = opened(new TestContext(directory));
        Peer peer = importer.importQueueOf(context);
        importer.plane.cutOff(peer, "on purpose");
        importer.settle();

        UrmaException gone = catchThrowableOfType(
                UrmaException.class, () -> get(importer.plane.bind(peer, 3, TestContext.QUEUE, 3, LONG)));

        assertThat(gone.status()).isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(gone).hasMessageContaining("it was lost");
        assertThat(context.binds).isEmpty();
    }

    /** The connection that ends is handled before the one with the goodbye. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGoodbyeOnTheOtherConnectionPrecedesTheEnd(boolean incomingEndsFirst) throws Exception {
        try (ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs");
                var _ = new HeldLock(directory, RawPeer.ID)) {
            RawHome home = opened(RawHome.at(directory, RawPeer.ID));
            importFrom(home, memory);
            RawPeer incoming = opened(RawPeer.greeted(directory, context.plane));
            CountDownLatch events = context.hold();

            (incomingEndsFirst ? incoming : outgoing).close();
            (incomingEndsFirst ? outgoing : incoming).send(new Goodbye("tired"));
            events.countDown();

            await().until(() -> context.lost.size() == 1);
            assertThat(context.lost.getFirst()).isEqualTo("proven 7: it said goodbye: tired");
        }
    }

    @Test
    void anEndingContextSaysGoodbyeOnBothConnections() throws Exception {
        TestContext ending = new TestContext(directory);
        RawHome home = opened(RawHome.at(directory, RawPeer.ID));
        var imported = home.importBy(ending, Access.READ, Duration.ofMillis(1));
        outgoing = opened(home.greet());
        RawPeer incoming = opened(RawPeer.greeted(directory, ending.plane));
        assertThat(catchThrowableOfType(UrmaException.class, () -> get(imported)))
                .isNotNull();
        ending.settle();

        ending.close();

        assertThat(lastOf(outgoing)).isInstanceOf(Goodbye.class);
        assertThat(lastOf(incoming)).isInstanceOf(Goodbye.class);
    }

    private static ControlMessage lastOf(RawPeer peer) throws Exception {
        ControlMessage last = peer.receive().orElseThrow();
        for (var next = peer.receive(); next.isPresent(); next = peer.receive()) {
            last = next.get();
        }
        return last;
    }

    /** S12.3: the end of one peer leaves nothing of it here. */
    @Test
    void theImportsOfALostHomeAreRevoked() throws Exception {
        try (ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs")) {
            RawHome home = opened(RawHome.at(directory, RawPeer.ID));
            ShmImport imported = importFrom(home, memory);

            outgoing.close();

            await().until(imported::isRevoked);
            await().until(() -> context.lost.size() == 1);
        }
    }
}
