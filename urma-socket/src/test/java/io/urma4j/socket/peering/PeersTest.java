package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.ContextView;
import io.urma4j.LocalSegment;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.Resource;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.socket.Background;
import io.urma4j.socket.FallbackReason;
import io.urma4j.socket.ForwardingProvider;
import io.urma4j.socket.ForwardingTcp;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process keeps of its peers. A context stands for each; the test receives and answers for all of them. */
@Timeout(60)
class PeersTest {
    private static final int RING_BYTES = 16 << 10;
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final InetSocketAddress LISTENER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);
    private static final SocketSettings SETTINGS =
            SocketSettings.of(Mode.AUTO).withRingBytes(RING_BYTES).withOfferTimeout(LONG);

    @TempDir
    private Path directory;

    private final Budget budget = new Budget(1 << 20);
    private UrmaOptions options;
    private Urma urma;
    private UrmaContext looking;
    private UrmaContext own;
    private UrmaContext other;
    private MessageChannel ownChannel;
    private MessageChannel othersChannel;
    private ListenerName names;
    private Client client;
    private Server server;

    @BeforeEach
    void open() throws IOException {
        options = UrmaOptions.DEFAULT.withRuntimeDirectory(directory.resolve("runtime"));
        urma = Urma.open(options);
        looking = urma.device("shm0").openContext();
        own = urma.device("shm0").openContext();
        other = urma.device("shm0").openContext();
        ownChannel = own.openMessageChannel();
        othersChannel = other.openMessageChannel();
        names = ListenerName.ofProcess();
        Medium medium = new SharedMedium(own, names, SETTINGS, budget);
        client = new Client(ownChannel, medium, LONG);
        server = new Server(ownChannel, medium);
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private Stream<Resource> resources(Resource.Kind kind) {
        return looking.inspect(Set.of(kind)).stream()
                .filter(view -> view.uasid() == own.uasid())
                .map(ContextView::resources)
                .flatMap(List::stream);
    }

    /** How many segments this process has registered, and how many it has imported. */
    private List<Long> segments() {
        return List.of(
                resources(Resource.Kind.SEG).count(),
                resources(Resource.Kind.IMPORT).count());
    }

    private static Message receive(MessageChannel channel) {
        return channel.receive(LONG).orElseThrow();
    }

    private static Greeting greeting(Message message) {
        return Greeting.parse(message.bytes()).orElseThrow();
    }

    /** Hands the next answer to the client. */
    private void takeAnswer() {
        Message message = receive(ownChannel);
        Greeting answer = greeting(message);
        long request =
                answer instanceof Greeting.Welcome welcome ? welcome.request() : ((Greeting.Refusal) answer).request();
        client.answered(message, request, answer);
    }

    /** Answers the next greeting of the client as another process does. */
    private Arena welcome() {
        return welcome(receive(othersChannel));
    }

    private Arena welcome(Message message) {
        Arena arena = new Arena(other, RING_BYTES, budget, ArenaLayout.ALONE);
        long request = ((Greeting.Hello) greeting(message)).request();
        othersChannel.reply(message, new Greeting.Welcome(request, arena.line()).toBytes());
        takeAnswer();
        return arena;
    }

    private Listing listen() {
        return new Listing(other, names.of(LISTENER), 1, othersChannel.share());
    }

    private CompletableFuture<Client.Route> find() {
        return Background.call(() -> client.route(LISTENER, Long.MAX_VALUE));
    }

    private static void assertIsOpen(CompletableFuture<Client.Route> finding) {
        assertThat(finding).succeedsWithin(LONG).isInstanceOf(Client.Open.class);
    }

    /** Greets as another process does, and returns the answer. */
    private Greeting greet(String line) {
        try (MessageChannel.Peer peer = othersChannel.connect(ownChannel.share())) {
            peer.sendWithReply(new Greeting.Hello(ArenaLayout.VERSION, 1, line).toBytes());
            Message message = receive(ownChannel);
            server.greeted(message, (Greeting.Hello) greeting(message));
            return greeting(receive(othersChannel));
        }
    }

    @Test
    void aGreetingWithoutAnArenaCostsNoMemory() {
        LocalSegment noArena = other.register(other.allocate(1 << 20), Access.READ_WRITE);
        List<Long> before = segments();

        assertThat(greet(noArena.share())).isInstanceOf(Greeting.Refusal.class);
        assertThat(segments()).isEqualTo(before);
    }

    @Test
    void aGreetingOfAnotherVersionIsAnsweredWithBothNumbers() {
        int another = ArenaLayout.VERSION + 70;
        try (MessageChannel.Peer peer = othersChannel.connect(ownChannel.share())) {
            peer.sendWithReply(new Greeting.Hello(another, 1, "of another form").toBytes());
            Message message = receive(ownChannel);
            server.greeted(message, (Greeting.Hello) greeting(message));

            var refusal = (Greeting.Refusal) greeting(receive(othersChannel));
            assertThat(refusal.version()).isEqualTo(ArenaLayout.VERSION);
            assertThat(refusal.reason()).contains(another + " is not " + ArenaLayout.VERSION);
        }
    }

    @Test
    void aProcessOfAnotherVersionMeansTcp() {
        var _ = listen();
        var finding = find();
        Message asked = receive(othersChannel);
        long request = ((Greeting.Hello) greeting(asked)).request();
        othersChannel.reply(asked, new Greeting.Refusal(ArenaLayout.VERSION + 70, request, "it is older").toBytes());
        takeAnswer();

        assertThat(finding)
                .succeedsWithin(LONG)
                .isInstanceOfSatisfying(
                        Client.Closed.class,
                        closed -> assertThat(closed.reason()).isEqualTo(FallbackReason.OTHER_VERSION));
    }

    @Test
    void aGuestThatHasEndedOffersNothing() throws IOException {
        Arena arena = new Arena(other, RING_BYTES, budget, ArenaLayout.ALONE);
        assertThat(greet(arena.line())).isInstanceOf(Greeting.Welcome.class);
        arena.close();

        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel _ = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            assertThat(server.accepted(accepted)).isNull();
        }
    }

    @Test
    void aGuestThatEndsWhileItsOffersAreReadOffersNothing() throws IOException {
        Arena arena = new Arena(other, RING_BYTES, budget, ArenaLayout.ALONE);
        Medium real = new SharedMedium(own, names, SETTINGS, budget);
        server = new Server(ownChannel, new ForwardingMedium(real) {
            @Override
            public Pairing accept(SharedSegment theirs) {
                return new EndingPairing(super.accept(theirs), arena::close);
            }
        });
        assertThat(greet(arena.line())).isInstanceOf(Greeting.Welcome.class);

        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel _ = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            assertThat(server.accepted(accepted)).isNull();
        }
    }

    /** A medium of which a test overrides a call. */
    private static class ForwardingMedium implements Medium {
        private final Medium medium;

        ForwardingMedium(Medium medium) {
            this.medium = medium;
        }

        @Override
        public Optional<Listed> find(InetSocketAddress remote) throws InterruptedException, RefusedException {
            return medium.find(remote);
        }

        @Override
        public Arena arena() {
            return medium.arena();
        }

        @Override
        public Pairing pair(Arena own, SharedSegment theirs) {
            return medium.pair(own, theirs);
        }

        @Override
        public Pairing accept(SharedSegment theirs) {
            return medium.accept(theirs);
        }
    }

    /** Its process ends just before its offers are read. */
    private static class EndingPairing extends Pairing {
        private final Pairing pairing;
        private final Runnable end;

        EndingPairing(Pairing pairing, Runnable end) {
            super(pairing.own());
            this.pairing = pairing;
            this.end = end;
        }

        @Override
        boolean isGone() {
            return pairing.isGone();
        }

        @Override
        Offers offers() {
            end.run();
            return pairing.offers();
        }

        @Override
        boolean hasRing(int slot) {
            return pairing.hasRing(slot);
        }

        @Override
        boolean mayBeAt(InetAddress address) {
            return pairing.mayBeAt(address);
        }

        @Override
        OwnRing open(int slot) {
            return pairing.open(slot);
        }

        @Override
        public void close() {
            pairing.close();
        }
    }

    @Test
    void anErrorMeansTcp() {
        Medium real = new SharedMedium(own, names, SETTINGS, budget);
        var failing = new ForwardingMedium(real) {
            @Override
            public Optional<Listed> find(InetSocketAddress remote) {
                throw new LinkageError("of a test: it goes to the handler of uncaught ones");
            }
        };
        client = new Client(ownChannel, failing, LONG);

        assertThat(find())
                .succeedsWithin(LONG)
                .isInstanceOfSatisfying(
                        Client.Closed.class,
                        closed -> assertThat(closed.reason()).isEqualTo(FallbackReason.NOT_READY));
    }

    /** It ends one attempt: a later one finds no trace of it. */
    @Test
    void anErrorWhileAProcessIsGreetedHindersNoLaterGreeting() {
        Medium real = new SharedMedium(own, names, SETTINGS, budget);
        var failing = new ForwardingMedium(real) {
            private boolean hasFailed;

            @Override
            public Pairing pair(Arena own, SharedSegment theirs) {
                if (!hasFailed) {
                    hasFailed = true;
                    throw new LinkageError("of a test: it goes to the handler of uncaught ones");
                }
                return super.pair(own, theirs);
            }
        };
        client = new Client(ownChannel, failing, LONG);
        List<Long> before = segments();
        var _ = listen();
        var first = find();
        var _ = welcome();
        assertThat(first).succeedsWithin(LONG).isInstanceOf(Client.Closed.class);
        assertThat(segments()).isEqualTo(before);

        client.appeared(LISTENER);
        var finding = find();
        var _ = welcome();
        assertIsOpen(finding);
    }

    @Test
    void aListenerWhoseNameIsTakenKeepsNoMemory() {
        try (Listing listing = new Listing(own, names.of(LISTENER), 1, ownChannel.share())) {
            List<Long> before = segments();

            assertThatThrownBy(() -> new Listing(own, names.of(LISTENER), 2, ownChannel.share()))
                    .as("beside %s", listing)
                    .isInstanceOf(UrmaException.class);
            assertThat(segments()).isEqualTo(before);
        }
    }

    @Test
    void anAnswerOfAProcessThatWasNotAskedIsIgnored() {
        var _ = listen();
        var finding = find();
        Message asked = receive(othersChannel);
        try (MessageChannel liar = urma.device("shm0").openContext().openMessageChannel();
                MessageChannel.Peer peer = liar.connect(ownChannel.share())) {
            for (int request = 1; request < 4; request++) {
                peer.send(new Greeting.Refusal(ArenaLayout.VERSION, request, "no").toBytes());
                takeAnswer();
            }
        }

        var _ = welcome(asked);
        assertIsOpen(finding);
    }

    @Test
    void aProcessThatDoesNotAnswerIsLeftAloneForLongerThanItTook() {
        var hasty = new Client(ownChannel, new SharedMedium(own, names, SETTINGS, budget), Duration.ofMillis(1));
        var _ = listen();
        long began = System.nanoTime();
        assertThat(leftNanos(hasty.route(LISTENER, Long.MAX_VALUE))).isNotPositive();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("the wait for it")
                .isLessThan(Duration.ofSeconds(4));

        long left = 0;
        while (left <= 0) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.multipliedBy(2));
            left = leftNanos(hasty.route(LISTENER, Long.MAX_VALUE));
        }
        assertThat(Duration.ofNanos(left)).isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void aClosedListenerThatKeepsItsNameEndsASearchInTime() {
        client = new Client(ownChannel, new SharedMedium(own, names, SETTINGS, budget), Duration.ofMillis(25));
        listen().markClosed();
        var finding = find();
        var _ = welcome();

        assertThat(finding).succeedsWithin(LONG).isInstanceOf(Client.Closed.class);
        assertThat(find()).as("once the process is known").succeedsWithin(LONG).isInstanceOf(Client.Closed.class);
    }

    /** How long the address stays TCP. */
    private static long leftNanos(Client.Route route) {
        assertThat(route).isInstanceOf(Client.Closed.class);
        assertThat(((Client.Closed) route).reason()).isEqualTo(FallbackReason.NOT_READY);
        return ((Client.Closed) route).untilNanos() - System.nanoTime();
    }

    @Test
    void anAddressThatGetsALaterListenerKeepsNoImport() {
        List<Long> before = segments();
        Listing listing = listen();
        var finding = find();
        var _ = welcome();
        assertIsOpen(finding);
        listing.markClosed();

        client.appeared(LISTENER);
        assertThat(segments()).as("an arena each").containsExactly(before.get(0) + 1, before.get(1) + 1);
    }

    @Test
    void anAddressThatIsLeftAloneKeepsNoImport() {
        List<Long> before = segments();
        var _ = listen();
        var finding = find();
        var _ = welcome();
        assertIsOpen(finding);

        client.leaveAlone(LISTENER);
        assertThat(segments()).as("an arena each").containsExactly(before.get(0) + 1, before.get(1) + 1);
        assertThat(client.route(LISTENER, Long.MAX_VALUE)).isInstanceOf(Client.Closed.class);
    }

    /** A client of another address, or a later listener of this one, may end the import while an offer waits. */
    @Test
    void anOfferWaitsWithoutTheListingThatLedToIt() throws IOException {
        var _ = listen();
        var finding = find();
        var _ = welcome();
        assertIsOpen(finding);
        var route = (Client.Open) finding.join();
        try (SocketChannel tcp =
                SocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var local = (InetSocketAddress) tcp.getLocalAddress();
            OwnRing ring = route.host().pairing().open();
            assertThat(ring).isNotNull();
            Attempt attempt = Attempt.begin(client, route, ring, local, LISTENER, 1, 10_000_000);

            client.leaveAlone(LISTENER);
            assertThat(attempt.decide(tcp)).isNull();
            assertThat(attempt.reason()).isEqualTo(FallbackReason.NOT_TAKEN);
        }
    }

    @Test
    void aProcessThatHasGivenThisOneUpIsGreetedAnew() {
        List<Long> before = segments();
        var _ = listen();
        var finding = find();
        Arena arena = welcome();
        assertIsOpen(finding);
        arena.close();

        var findingAgain = find();
        var _ = welcome();
        assertIsOpen(findingAgain);
        client.leaveAlone(LISTENER);
        assertThat(segments()).as("an arena each").containsExactly(before.get(0) + 1, before.get(1) + 1);
    }

    /** It counts how often its connections hear that the process is lost. */
    private static final class LosingPairing extends EndingPairing {
        private final AtomicInteger losses = new AtomicInteger();

        LosingPairing(Pairing pairing) {
            super(pairing, () -> {});
        }

        @Override
        void loseIfGone() {
            losses.incrementAndGet();
        }
    }

    /** The device tells of an end now and then, perhaps only after a connect has found it. */
    @Test
    void connectionsToAProcessThatIsGreetedAnewHearThatItIsLost() {
        List<LosingPairing> paired = new CopyOnWriteArrayList<>();
        Medium real = new SharedMedium(own, names, SETTINGS, budget);
        var losing = new ForwardingMedium(real) {
            @Override
            public Pairing pair(Arena own, SharedSegment theirs) {
                var made = new LosingPairing(super.pair(own, theirs));
                paired.add(made);
                return made;
            }
        };
        client = new Client(ownChannel, losing, LONG);
        var _ = listen();
        var finding = find();
        Arena arena = welcome();
        assertIsOpen(finding);
        assertThat(paired.getFirst().open()).as("a ring in use").isNotNull();
        arena.close();

        var findingAgain = find();
        var _ = welcome();
        assertIsOpen(findingAgain);
        int heard = paired.getFirst().losses.get();
        assertThat(heard).isPositive();
        client.lookAtPeers();
        assertThat(paired.getFirst().losses).hasValueGreaterThan(heard);
    }

    /** A connect that finds how to reach a process, before it makes its offer. */
    private static final class Between extends ForwardingTcp {
        private final Background.Action action;

        Between(Background.Action action) throws IOException {
            super(SocketChannel.open());
            this.action = action;
        }

        @Override
        public SocketChannel bind(SocketAddress local) throws IOException {
            try {
                action.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return super.bind(local);
        }
    }

    private void awaitRevoked() {
        long began = System.nanoTime();
        while (looking.inspect(Set.of(Resource.Kind.IMPORT)).stream()
                .flatMap(view -> view.resources().stream())
                .noneMatch(segment -> segment.field("revoked").equals("true"))) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    @SuppressWarnings("try") // one ends before the others
    void aProcessThatEndsBeforeTheOfferMeansTcp() throws IOException {
        InetSocketAddress next = new InetSocketAddress(LISTENER.getAddress(), 9);
        try (SocketNode node = new SocketNode(SETTINGS, options, List::of, SelectorProvider.provider());
                SocketNode peer = new SocketNode(SETTINGS, options, List::of, SelectorProvider.provider());
                SocketNode nextPeer = new SocketNode(SETTINGS, options, List::of, SelectorProvider.provider());
                SocketChannel another = SocketChannel.open();
                SocketChannel tcp = new Between(() -> {
                    peer.close();
                    awaitRevoked();
                    assertThat(node.plan(another, next, Long.MAX_VALUE).attempt())
                            .isNotNull(); // which frees what is left of the peer
                })) {
            var _ = peer.publish(LISTENER, () -> {});
            var _ = nextPeer.publish(next, () -> {});
            SocketNode.Plan plan = node.plan(tcp, LISTENER, Long.MAX_VALUE);

            assertThat(plan.attempt()).isNull();
            assertThat(plan.reason()).isEqualTo(FallbackReason.NOT_READY);
        }
    }

    @Test
    void aNetworkWhoseListenersCannotBeAskedForLeavesNoContext() throws IOException {
        UrmaOptions ofNetwork = options.withSetting("urma.udma.addresses", "127.0.0.1");
        SelectorProvider withoutSelectors = new ForwardingProvider(SelectorProvider.provider()) {
            @Override
            public AbstractSelector openSelector() throws IOException {
                throw new IOException("Too many open files");
            }
        };
        try (Urma networks = Urma.open(ofNetwork);
                UrmaContext beside = networks.device(NetworkMedium.DEVICE).openContext();
                SocketNode node =
                        new SocketNode(SETTINGS.withNetworks("127.0.0.0/8"), ofNetwork, List::of, withoutSelectors)) {
            assertThat(beside.inspect(Set.of())).as("contexts beside %s", node).isEmpty();
        }
    }

    /** A connect from a port that was bound before. */
    private static final class Bound extends ForwardingTcp {
        private final int port;

        Bound(int port) throws IOException {
            super(SocketChannel.open());
            this.port = port;
        }

        @Override
        public SocketAddress getLocalAddress() {
            return new InetSocketAddress(LISTENER.getAddress(), port);
        }
    }

    @Test
    void moreOffersAtOnceThanTheirPortsHavePlacesMeanTcpAndKeepNoRing() throws IOException {
        long slotBytes = ArenaLayout.within(1, RING_BYTES, ArenaLayout.ALONE).slotBytes();
        SocketSettings settings = SETTINGS.withMemoryBytes(4 * (OfferTable.PROBES + 1) * slotBytes);
        try (SocketNode node = new SocketNode(settings, options, List::of, SelectorProvider.provider());
                SocketNode peer = new SocketNode(SETTINGS, options, List::of, SelectorProvider.provider())) {
            var _ = peer.publish(LISTENER, () -> {});
            for (int i = 0; i < OfferTable.PROBES + 3; i++) {
                try (SocketChannel tcp = new Bound(4000 + i * OfferTable.COUNT)) {
                    assertThat(node.plan(tcp, LISTENER, Long.MAX_VALUE).reason())
                            .as("offer %d", i)
                            .isEqualTo(i < OfferTable.PROBES ? FallbackReason.NOT_TAKEN : FallbackReason.PORTS);
                }
            }
        }
    }
}
