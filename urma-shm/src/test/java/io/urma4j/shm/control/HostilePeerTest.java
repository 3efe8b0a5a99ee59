package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.Revocation;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import io.urma4j.libc.UnixSocket;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.tck.Patience;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers of our own user that send nonsense, or descriptors of memory that must not be mapped. */
@Timeout(60)
class HostilePeerTest {
    @TempDir
    Path temporary;

    private Path directory;
    private TestContext context;

    @BeforeEach
    void victim() {
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
    }

    @AfterEach
    void closed() {
        context.close();
    }

    /** One home cannot hide the names of all others. */
    @Test
    void aHomeThatDescribesNoSegmentIsLeftOutOfTheNames() throws Exception {
        get(context.share(Access.READ).publish("orders", false));
        Files.writeString(directory.resolve("names/broken"), new NameRecord(RawPeer.ID, 5).toLine() + "\n");
        try (RawHome raw = RawHome.at(directory, RawPeer.ID)) {
            var published = context.plane.published(TestContext.LONG);
            try (RawPeer asked = raw.greet()) {
                long request = asked.receive(Lookup.class).request();
                asked.send(new Named(request, 5, 1, 0, Access.READ, TokenPolicy.NONE, null, 0, List.of()));

                assertThat(get(published)).extracting(PublishedSegment::name).containsExactly("orders");
            }
        }
    }

    /** Each peer costs descriptors, and those of another namespace of process ids have no number by which to count them. */
    @Test
    void strangersGiveWayWhenThereAreTooManyPeersAndHoldersDoNot() throws Exception {
        int places = 8;
        Path small = directory.resolveSibling("small");
        List<RawPeer> crowd = new ArrayList<>();
        try (TestContext home = new TestContext(small, new PeerLimits(1000, places))) {
            ShmSegment segment = home.share(Access.READ);
            RawPeer holder = greetedAs(1, small, home);
            crowd.add(holder);
            holder.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            assertThat(holder.receive().orElseThrow()).isInstanceOf(SegmentGranted.class);
            for (int i = 2; i <= 5 * places; i++) {
                crowd.add(greetedAs(i, small, home));
            }

            assertThat(crowd.get(1).receive()).as("the first that held nothing").isEmpty();
            holder.send(new Lookup(2, "absent", false));
            assertThat(holder.receive()).as("the one that holds something").isPresent();
            try (TestContext honest = new TestContext(small)) {
                get(honest.importFrom(segment, Access.READ).close());
            }
            Patience.await(
                    "the end of the honest import", () -> segment.importers().size() == 1);
        } finally {
            crowd.forEach(RawPeer::close);
        }
    }

    private static RawPeer greetedAs(int name, Path place, TestContext home) throws Exception {
        RawPeer peer = RawPeer.connectedTo(place, home.plane);
        peer.send(RawPeer.hello(home.plane.incarnation(), name));
        assertThat(peer.receive().orElseThrow()).as("greeting %d", name).isInstanceOf(Hello.class);
        return peer;
    }

    @Test
    void halfOfTheDescriptorsStayTheApplications() {
        assertThat(PeerLimits.of(1024)).isEqualTo(new PeerLimits(64, 64));
        assertThat(PeerLimits.of(20_000)).isEqualTo(new PeerLimits(512, 1250));
        assertThat(PeerLimits.of(Long.MAX_VALUE)).isEqualTo(new PeerLimits(512, 4096));
        assertThat(PeerLimits.ofThisProcess().all()).isBetween(1, 4096);
    }

    /** Whatever came before: it still serves. */
    private void assertAlive() throws Exception {
        try (TestContext other = new TestContext(directory)) {
            get(other.importFrom(context.share(Access.READ), Access.READ).close());
        }
    }

    @Test
    void nonsenseEndsTheConnectionAndNothingElse() throws Exception {
        for (byte[] nonsense : List.of(new byte[] {0}, new byte[] {-1, 2, 3}, new byte[20_000])) {
            try (RawPeer peer = RawPeer.connectedTo(directory, context.plane)) {
                peer.sendBytes(ByteBuffer.wrap(nonsense));
                assertThat(peer.receive()).isEmpty();
            }
        }
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            peer.sendBytes(ByteBuffer.wrap(new byte[ControlCodec.MAX_MESSAGE_BYTES + 1]));
            assertThat(peer.receive()).isEmpty();
        }
        assertAlive();
    }

    @Test
    void whoDoesNotGreetIsNotHeard() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        try (RawPeer peer = RawPeer.connectedTo(directory, context.plane)) {
            peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            assertThat(peer.receive()).isEmpty();
        }
    }

    /** What it said lies in our socket already: asked for it nevertheless, it would have to answer that as well. */
    @Test
    void whoHasGivenItBackIsNotAskedForIt() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            SegmentGranted granted = (SegmentGranted) peer.receive().orElseThrow();
            peer.send(new Unimport(granted.grant()));

            assertThat(segment.unregister(Duration.ofSeconds(30)).get()).isEqualTo(Revocation.COMPLETED);

            peer.send(new Lookup(2, "absent", false));
            assertThat(peer.receive().orElseThrow()).isNotInstanceOf(Revoke.class);
        }
    }

    @Test
    void anotherVersionOrIncarnationIsRefusedInWords() throws Exception {
        Hello good = RawPeer.hello(context.plane.incarnation());
        for (Hello bad : List.of(
                new Hello(2, 0, 0, 0, good.eid(), good.uasid(), good.incarnation(), good.wanted(), good.address()),
                new Hello(
                        1,
                        9,
                        1 << 20,
                        1 << 20,
                        good.eid(),
                        good.uasid(),
                        good.incarnation(),
                        good.wanted(),
                        good.address()),
                new Hello(1, 0, 0, 0, Eid.ZERO, 7, 99, good.wanted(), "../../elsewhere"),
                RawPeer.hello(context.plane.incarnation() + 1))) {
            try (RawPeer peer = RawPeer.connectedTo(directory, context.plane)) {
                peer.send(bad);
                assertThat(peer.receive().orElseThrow()).as("%s", bad).isInstanceOf(Refused.class);
                assertThat(peer.receive()).isEmpty();
            }
        }
    }

    @Test
    void nobodyGreetsInTheNameOfALivingPeerTwice() throws Exception {
        try (RawPeer first = RawPeer.greeted(directory, context.plane);
                RawPeer second = RawPeer.connectedTo(directory, context.plane)) {
            second.send(RawPeer.hello(context.plane.incarnation()));
            assertThat(second.receive().orElseThrow()).isInstanceOf(Refused.class);
            first.send(new Lookup(1, "x", true));
            assertThat(first.receive().orElseThrow()).isInstanceOf(Refused.class);
        }
    }

    /** Greeted, and with a queue of the victim imported. */
    private RawPeer importer() throws Exception {
        RawPeer peer = RawPeer.greeted(directory, context.plane);
        peer.send(new ImportQueue(0, TestContext.QUEUE, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN));
        assertThat(peer.receive().orElseThrow()).isInstanceOf(QueueGranted.class);
        return peer;
    }

    @Test
    void ringsThatCouldKillUsAreNotMapped() throws Exception {
        try (Fd unsealed = MemFd.create("ring", TestContext.RING_BYTES);
                Fd small = MemFd.create("ring", TestContext.RING_BYTES / 2);
                Fd longer = MemFd.create("ring", TestContext.RING_BYTES + 1);
                Fd endless = MemFd.create("ring", 1L << 46);
                ShmMemory good = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring");
                EventFd event = EventFd.create()) {
            for (Fd sealed : List.of(small, longer, endless)) {
                MemFd.addSeals(sealed, Seal.SHRINK, Seal.GROW);
            }
            for (Fd[] bad : List.<Fd[]>of(
                    new Fd[] {unsealed},
                    new Fd[] {small},
                    new Fd[] {longer},
                    new Fd[] {endless},
                    new Fd[] {event.fd()},
                    new Fd[] {good.fd(), good.fd()},
                    new Fd[0])) {
                try (RawPeer peer = importer()) {
                    peer.send(new OpenPath(1, TestContext.RING_BYTES), bad);
                    assertThat(peer.receive().orElseThrow())
                            .as("%s", List.of(bad))
                            .isInstanceOf(Refused.class);
                    assertThat(context.paths).isEmpty();
                }
            }
            try (RawPeer peer = importer()) {
                peer.send(new OpenPath(1, TestContext.RING_BYTES), good.fd());
                assertThat(peer.receive().orElseThrow()).isEqualTo(new PathOpened(1));
                assertThat(MemFd.seals(peer.received.getFirst())).contains(Seal.SHRINK, Seal.GROW);
                assertThat(context.paths).hasSize(1);
            }
        }
        await().until(() -> context.paths.isEmpty());
    }

    @Test
    void pathsAndWindowsNeedAnImport() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane);
                ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring")) {
            peer.send(new OpenPath(1, TestContext.RING_BYTES), ring.fd());
            assertThat(peer.receive().orElseThrow())
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.status()).isEqualTo(UrmaStatus.ENOPERM));
            peer.send(new OpenWindows(2), ring.fd());
            assertThat(peer.receive().orElseThrow())
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.status()).isEqualTo(UrmaStatus.ENOPERM));
            assertThat(context.paths).isEmpty();
        }
    }

    /** Its socket fills up, and neither the engine nor a thread that sends may wait for it. */
    @Test
    void wakingAPeerThatReadsNothingHoldsUpNobody() throws Exception {
        try (RawPeer peer = importer();
                ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring")) {
            peer.send(new OpenPath(1, TestContext.RING_BYTES), ring.fd());
            await().until(() -> context.paths.size() == 1);
            Runnable wake = context.paths.values().iterator().next().wakePeer();

            for (int i = 0; i < 10_000; i++) {
                wake.run();
            }

            assertAlive();
            assertThat(context.lost).isEmpty();
        }
        await().until(() -> context.paths.isEmpty());
    }

    @Test
    void wakeUpsAreForPeersAlone() throws Exception {
        try (RawPeer stranger = RawPeer.connectedTo(directory, context.plane)) {
            stranger.wake();
            assertThat(stranger.receive()).isEmpty();
        }
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            int before = context.turns.get();
            peer.wake();
            await().until(() -> context.turns.get() > before);
            peer.send(new Lookup(1, "absent", false));
            assertThat(peer.receive()).as("it is served as before").isPresent();
        }
    }

    /** The last close of such a socket waits for as long as the peer likes: it is the victim's in each case. */
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 1", "false, 40", "true, 40"})
    void descriptorsWhoseCloseWaitsHoldUpNobody(boolean greeted, int messages) throws Exception {
        try (LingeringSocket socket = new LingeringSocket(Duration.ofSeconds(15))) {
            RawPeer peer =
                    greeted ? RawPeer.greeted(directory, context.plane) : RawPeer.connectedTo(directory, context.plane);
            CountDownLatch sent = new CountDownLatch(1);
            context.plane.execute(() -> awaitQuietly(sent));
            for (int i = 0; i < messages; i++) {
                peer.send(new Lookup(i, "absent", false), socket.fd());
            }
            socket.letGo();
            peer.close();
            long start = System.nanoTime();
            sent.countDown();

            assertAlive();
            System.out.printf(
                    "HostilePeerTest: %d descriptors that linger for 15 s, served after %d ms%n",
                    messages, (System.nanoTime() - start) / 1_000_000);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyKindOfDescriptorIsClosedAgain() throws Exception {
        List<String> before = withoutMemory();
        try (Fd memory = MemFd.create("unwanted", 4096);
                EventFd event = EventFd.create();
                Dir folder = Dir.open(directory)) {
            Fd[] kinds = {memory, event.fd(), folder.fd()};
            Fd[] most = new Fd[253];
            for (int i = 0; i < most.length; i++) {
                most[i] = kinds[i % kinds.length];
            }
            try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
                for (int i = 0; i < 8; i++) {
                    peer.send(new Lookup(i, "absent", false), most);
                    assertThat(peer.receive()).isPresent();
                }
                await().untilAsserted(() -> assertThat(OpenDescriptors.ofContexts(directory).stream()
                                .filter(target -> target.startsWith("/memfd:unwanted")))
                        .hasSize(1));
            }
        }
        assertAlive();
        await().untilAsserted(() -> assertThat(withoutMemory()).isEqualTo(before));
    }

    @Test
    void aPeerThatDoesNotReadIsGivenUp() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            ByteBuffer lookup = ControlCodec.encode(new Lookup(1, "absent", false));
            // the test's own timeout ends the loop when it never happens
            while (peer.sendBytes(lookup) != UnixSocket.PEER_GONE) {
                Thread.onSpinWait();
            }
        }
        assertAlive();
    }

    /** Every kind of message, in any order, altered or not. */
    @Test
    void noSequenceOfMessagesStopsTheHome() throws Exception {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        Random random = new Random(seed);
        ShmSegment segment = context.share(Access.READ_WRITE);
        List<String> before = withoutMemory();
        try (EventFd wake = EventFd.create()) {
            for (int i = 0; i < 300; i++) {
                try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
                    for (int j = random.nextInt(20); j > 0; j--) {
                        ByteBuffer bytes = ControlCodec.encode(anything(random, segment));
                        if (random.nextInt(4) == 0) {
                            bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
                        }
                        Fd[] descriptors = new Fd[random.nextInt(4)];
                        Arrays.fill(descriptors, wake.fd());
                        peer.sendBytes(bytes, descriptors);
                    }
                }
            }
        }
        assertAlive();
        await().untilAsserted(() ->
                assertThat(withoutMemory()).as("-Durma.seed=%d", seed).isEqualTo(before));
    }

    /** What the victim holds beside the memory that it shares itself, which has one or two descriptors. */
    private List<String> withoutMemory() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter(target -> !target.startsWith("/memfd:test"))
                .toList();
    }

    private static ControlMessage anything(Random random, ShmSegment segment) {
        long number = random.nextInt(4);
        return switch (random.nextInt(12)) {
            case 0 -> new ImportSegment(number, segment.tokenId(), segment.key(), Access.READ, segment.token());
            case 1 -> new SegmentGranted(number, number, Access.READ_WRITE, 0, 4096);
            case 2 -> new Unimport(number);
            case 3 -> new Revoke(number);
            case 4 -> new Revoked(number);
            case 5 -> new ImportQueue(number, 7, JettyDescriptor.Kind.JFR, Token.of(77));
            case 6 -> new OpenPath(number, TestContext.RING_BYTES);
            case 7 -> new PathOpened(number);
            case 8 -> new Bind(number, 7, 8, OrderType.OL);
            case 9 -> new Done(number);
            case 10 -> RawPeer.hello(1);
            default -> new ControlMessage.Goodbye("tired");
        };
    }

    // ---- homes

    private CompletableFuture<?> importFromRawHome(Duration timeout) throws Exception {
        var descriptor =
                Exports.describe(Eid.ofIpv4(1), 7, RawPeer.ID, 5, 1, 4096, Access.READ_WRITE, TokenPolicy.NONE, 0);
        return context.plane.importSegment(new ImportRequest(descriptor, null, Access.READ_WRITE, timeout));
    }

    private static UrmaStatus statusOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future)).status();
    }

    @Test
    void aHomeThatGrantsWhatCanShrinkIsRefused() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory);
                Fd unsealed = MemFd.create("bad", 4096)) {
            var imported = importFromRawHome(TestContext.LONG);
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                var asked = (ImportSegment) home.receive().orElseThrow();
                home.send(new SegmentGranted(asked.request(), 1, Access.READ_WRITE, 0, 4096), unsealed);

                assertThat(statusOf(imported)).isEqualTo(UrmaStatus.ENOPERM);
                assertThat(home.receive()).contains(new Unimport(1));
            }
        }
    }

    /** S5.6: never later. */
    @Test
    void aHomeThatIsSilentMeetsTheTimeout() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory)) {
            assertThat(listener.fd().isClosed()).isFalse();
            long start = System.nanoTime();
            assertThat(statusOf(importFromRawHome(Duration.ofMillis(200)))).isEqualTo(UrmaStatus.ETIMEOUT);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(200), Duration.ofMillis(1500));

            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                assertThat(statusOf(importFromRawHome(Duration.ofMillis(200)))).isEqualTo(UrmaStatus.ETIMEOUT);
            }
        }
    }

    /** A grant that arrives after the timeout is released, not leaked. */
    @Test
    void aLateGrantIsGivenBack() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "late")) {
            var imported = importFromRawHome(Duration.ofMillis(300));
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                var asked = (ImportSegment) home.receive().orElseThrow();
                assertThat(statusOf(imported)).isEqualTo(UrmaStatus.ETIMEOUT);

                home.send(new SegmentGranted(asked.request(), 3, Access.READ_WRITE, 0, 4096), memory.fd());

                assertThat(home.receive()).contains(new Unimport(3));
            }
        }
    }

    @Test
    void aHomeThatEndsWhileWeWaitIsKnownAtOnce() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory)) {
            var imported = importFromRawHome(TestContext.LONG);
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                assertThat(home.receive()).isPresent();
            }
            assertThat(statusOf(imported)).isEqualTo(UrmaStatus.ETIMEOUT);
        }
    }

    /**
     * The peer's own attempt has priority, but is still in flight on the other connection: the import must retry, not
     * fail.
     */
    @Test
    void aPathThatThePeerOpensItselfIsWaitedFor() throws Exception {
        var queue = new JettyDescriptor(
                new JettyId(Eid.ofIpv4(1), 7, 5),
                JettyDescriptor.Kind.JFR,
                RawPeer.ID.incarnation(),
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.NONE,
                List.of(new Endpoint(Exports.KIND, RawPeer.ID.address(), 5, 0, false)));
        try (UnixSocket listener = RawPeer.listenAsHome(directory)) {
            var imported = context.plane.importQueue(queue, null, TestContext.LONG);
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                var asked = (ImportQueue) home.receive().orElseThrow();
                home.send(new QueueGranted(asked.request(), TransportMode.RM, OrderType.OI, 0));
                var first = (OpenPath) home.receive().orElseThrow();

                home.send(new Refused(first.request(), UrmaStatus.EEXIST, "our attempt goes first"));

                var again = (OpenPath) home.receive().orElseThrow();
                assertThat(again.request()).isNotEqualTo(first.request());
                assertThat(imported).isNotDone();
            }
            assertThat(statusOf(imported)).isEqualTo(UrmaStatus.ETIMEOUT);
        }
    }

    /** S7.10: what a peer offers to announce its operations in is checked as everything that it sends. */
    @Test
    void windowsAreNotOpenedWithUnfitMemory() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane);
                Fd unsealed = MemFd.create("bad", WindowTable.BYTES);
                ShmMemory small = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "small")) {
            peer.send(new OpenWindows(1));
            assertThat(peer.receive().orElseThrow()).isInstanceOf(Refused.class);
            peer.send(new OpenWindows(2), unsealed);
            assertThat(peer.receive().orElseThrow()).isInstanceOf(Refused.class);
            peer.send(new OpenWindows(3), small.fd());
            assertThat(peer.receive().orElseThrow()).isInstanceOf(Refused.class);
        }
        assertAlive();
    }

    /**
     * A caller that connects and does not greet is cut off after a timeout, however often it connects again; others are
     * served meanwhile. A single byte does not extend the timeout: messages arrive whole, and one byte is a broken
     * message.
     */
    @Test
    void whoGreetsTooSlowlyIsCutOffAndHoldsUpNobody() throws Exception {
        Path place = directory.resolveSibling("impatient");
        long patienceNanos = 500_000_000;
        try (TestContext home = new TestContext(place, ContextOptions.DEFAULT, patienceNanos);
                TestContext honest = new TestContext(place)) {
            ShmSegment segment = home.share(Access.READ_WRITE);
            long start = System.nanoTime();
            List<RawPeer> silent = new ArrayList<>();
            try {
                for (int i = 0; i < 8; i++) {
                    silent.add(RawPeer.connectedTo(place, home.plane));
                }
                for (int i = 0; i < 3; i++) {
                    try (RawPeer slow = RawPeer.connectedTo(place, home.plane)) {
                        slow.sendBytes(ByteBuffer.wrap(new byte[] {'U'}));
                        assertThat(slow.receive()).as("a byte").isEmpty();
                    }
                    get(honest.importFrom(segment, Access.READ_WRITE).close());
                }
                for (RawPeer peer : silent) {
                    assertThat(peer.receive()).as("nothing").isEmpty();
                }
                assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(patienceNanos);
                get(honest.importFrom(segment, Access.READ_WRITE).close()); // no timeout after the greeting
            } finally {
                silent.forEach(RawPeer::close);
            }
        }
    }
}
