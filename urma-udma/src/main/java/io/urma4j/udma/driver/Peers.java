package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.control.ConnectionEnd;
import io.urma4j.udma.control.ControlPlane;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.control.PeerEvents;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PortAddress;
import io.urma4j.udma.control.PortIncarnation;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;

/** The peers of a context: the paths to them, and the requests to and from them. The engine's thread, except where stated. */
final class Peers implements PeerEvents {
    private static final long GIVE_BACK_NANOS = 60_000_000_000L;

    private static final String PID = "pid ";

    private final LocalContext local;
    private final Adapter adapter;
    private final HostDirectory directory;
    private final Events events;
    private final ControlPlane plane;
    private final EngineThread.Turn turn;
    private final PeerNumbers numbers;
    private final Map<Peer, Path> paths = new ConcurrentHashMap<>(); // the engine's thread writes
    private final AtomicLong bindings = new AtomicLong(); // of foreign peers
    private volatile boolean isClosing;

    /** What a context does for its peers. */
    interface Events {
        /** A request of a peer: {@link #answer} follows, now or later. */
        void requested(Path from, long number, PeerMessage request);

        /** A peer is lost: ends what it holds of this context, and what this context holds of it. */
        void lost(Path path, String why);

        /** The connection of a peer that was bound by hand is gone: ends the windows that it has. Any thread. */
        void foreignLost(PeerId peer);
    }

    Peers(LocalContext local, HostDirectory directory, Events events) {
        this.local = local;
        this.adapter = local.adapter();
        this.directory = directory;
        this.events = events;
        this.numbers = new PeerNumbers(adapter::newPeerNumber);
        this.plane = new ControlPlane(
                adapter.control(),
                ControlPlane.hello(
                        adapter.address(),
                        local.uasid(),
                        local.place().incarnation(),
                        processText(),
                        adapter.port().mtuBytes()),
                this,
                adapter.random(),
                adapter.nanos());
        this.turn = plane::run;
    }

    /** Listens from now on. */
    void open() {
        adapter.engine().add(turn);
    }

    ControlPlane plane() {
        return plane;
    }

    /** Any thread. */
    Collection<Path> paths() {
        return paths.values();
    }

    /** The numbers that peers have on the card. Any thread. */
    PeerNumbers numbers() {
        return numbers;
    }

    /** The identity of a peer that is bound by hand: each binding has its own, which no peer can prove. Any thread. */
    PeerId newForeign(Eid gid) {
        return new PeerId(gid, 0, PortIncarnation.ofNoPort(bindings.incrementAndGet()));
    }

    /** Its connection is gone, with its windows. Any thread. */
    void disconnectForeign(PeerId foreign) {
        numbers.disconnect(foreign);
        events.foreignLost(foreign);
    }

    /** Whether the peer has proven its identity, and no other connected peer has: then it has the windows that are granted to it. */
    boolean isProven(Path path) {
        return path.isNamed() || mayBeNamed(path);
    }

    private boolean mayBeNamed(Path path) {
        return path.peer().provesIncarnation() && numbers.isFree(path.identity());
    }

    /** The peer with that number on the card. Any thread. */
    Optional<Path> byNumber(int number) {
        return paths.values().stream().filter(path -> path.number() == number).findFirst();
    }

    /** The same, for inspection. */
    String nameOf(int number) {
        return byNumber(number).map(path -> path.peer().toString()).orElse("-");
    }

    // ---- greetings and requests

    /** The path to a context, greeted if necessary. */
    CompletableFuture<Path> connect(PortAddress at, long incarnation, long deadlineNanos) {
        adapter.unknownPeers().know(at); // its answers must not wait among those of unknown sources
        return plane.connect(at, incarnation, deadlineNanos, adapter.nanos())
                .whenComplete((_, _) -> adapter.unknownPeers().forget(at))
                .thenApply(this::pathTo)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)));
    }

    /**
     * Sends a request to a context, greeted if necessary; repeats it once if the context has evicted this one since the
     * greeting, as it may while nothing is shared.
     */
    <T> CompletableFuture<T> withHome(
            PortAddress at, long incarnation, long deadlineNanos, Function<Path, CompletableFuture<T>> ask) {
        return connect(at, incarnation, deadlineNanos)
                .thenCompose(home -> ask.apply(home)
                        .exceptionallyCompose(failure -> home.peer().hasEvictedUs()
                                ? connect(at, incarnation, deadlineNanos).thenCompose(ask)
                                : CompletableFuture.failedFuture(failure)));
    }

    /** The failure, with the reason if the port knows why no answer arrives. */
    private Throwable explained(Throwable failure) {
        String objection = adapter.watch().objection();
        return !objection.isEmpty()
                        && ControlEngine.causeOf(failure) instanceof UrmaException e
                        && e.status() == UrmaStatus.ETIMEOUT
                ? new UrmaException(e.status(), local, e.getMessage() + "; " + objection, e)
                : failure;
    }

    private Path pathTo(Peer peer) {
        Path path = paths.get(peer);
        if (path == null) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + String.valueOf(peer.whyLost()));
        }
        return path;
    }

    /** Sends a request to a peer. */
    CompletableFuture<PeerMessage> ask(Peer peer, LongFunction<PeerMessage> request, long deadlineNanos) {
        return plane.ask(peer, request, deadlineNanos, adapter.nanos());
    }

    /** Sends a request by which the peer gives something; {@code unclaimed} takes an answer that comes after the deadline. */
    CompletableFuture<PeerMessage> obtain(
            Peer peer, LongFunction<PeerMessage> request, long deadlineNanos, Consumer<PeerMessage> unclaimed) {
        return plane.obtain(peer, request, deadlineNanos, adapter.nanos(), unclaimed);
    }

    /** Sends a request to a peer, and expects an answer of that kind. */
    <T extends ControlMessage> CompletableFuture<T> askCore(
            Path home, Class<T> kind, LongFunction<ControlMessage> request, long deadlineNanos) {
        return expected(home, kind, ask(home.peer(), number -> new Core(request.apply(number)), deadlineNanos));
    }

    /** The same, and takes what an answer gives that no caller awaits any more. */
    <T extends ControlMessage> CompletableFuture<T> obtainCore(
            Path home, Class<T> kind, LongFunction<ControlMessage> request, long deadlineNanos, Consumer<T> unclaimed) {
        return expected(
                home,
                kind,
                obtain(
                        home.peer(),
                        number -> new Core(request.apply(number)),
                        deadlineNanos,
                        answer -> unclaimed.accept(expected(home, kind, answer))));
    }

    private <T extends ControlMessage> CompletableFuture<T> expected(
            Path home, Class<T> kind, CompletableFuture<PeerMessage> answer) {
        return answer.exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)))
                .thenApply(message -> expected(home, kind, message));
    }

    private static <T extends ControlMessage> T expected(Path home, Class<T> kind, PeerMessage answer) {
        if (answer instanceof Core core && kind.isInstance(core.message())) {
            return kind.cast(core.message());
        }
        throw new UrmaException(UrmaStatus.FAIL, home.peer(), "sent an unexpected answer, not " + kind.getSimpleName());
    }

    /** Gives back what a home has given, for a minute, while it lives; no caller awaits its answer. */
    void giveBack(Path home, LongFunction<ControlMessage> request) {
        if (!home.peer().isLost()) {
            var _ = ask(home.peer(), number -> new Core(request.apply(number)), adapter.nanos() + GIVE_BACK_NANOS);
        }
    }

    /** Answers a request. */
    void answer(Path to, long number, ControlMessage message) {
        answer(to, number, new Core(message));
    }

    /** Whether the peer still waits for the answer. */
    boolean isAwaited(Path from, long number) {
        return plane.isAwaited(from.peer(), number);
    }

    void answer(Path to, long number, PeerMessage message) {
        plane.answer(to.peer(), number, message);
    }

    // ---- what the control plane says

    @Override
    public ConnectionEnd newHalf() {
        return adapter.newHalf();
    }

    @Override
    public void greeted(Peer peer) {
        paths.put(peer, new Path(adapter, peer, this::openPath));
    }

    /** Creates this end of the connection with a peer, which from now on shares something with this context. */
    private void openPath(Path path) {
        int pathNumber = adapter.pathNumbers().take();
        try {
            connect(path, new PeerInfo(numberFor(path), path.peer().uasid(), pathNumber));
        } catch (RuntimeException e) {
            unname(path);
            adapter.pathNumbers().give(pathNumber);
            throw e;
        }
        Peer peer = path.peer();
        adapter.unknownPeers().know(peer.address()); // before it hears that it may send
        adapter.watchConnection(
                path.connection(),
                () -> plane.doubt(peer, adapter.nanos()),
                () -> plane.lose(peer, "its packets arrive, but it acknowledges nothing"));
        OptionalInt pid = pidOf(peer);
        if (path.isNeighbour() && pid.isPresent()) {
            path.watchProcess(pid.getAsInt(), () -> plane.doubt(peer, adapter.nanos()));
        }
    }

    private int numberFor(Path path) {
        if (!mayBeNamed(path)) {
            return adapter.newPeerNumber();
        }
        path.name();
        return numbers.connect(path.identity());
    }

    private void unname(Path path) {
        if (path.isNamed()) {
            numbers.disconnect(path.identity());
        }
    }

    private void connect(Path path, PeerInfo info) {
        Peer peer = path.peer();
        CardConnectionConfig config = CardConnectionConfig.builder(
                        adapter.reachable(peer), peer.theirs().number())
                .number(peer.own().number())
                .mtuBytes(peer.mtuBytes())
                .psns(peer.own().firstPsn(), peer.theirs().firstPsn())
                .peer(info)
                .build();
        boolean isNeighbour = directory.has(peer.uasid(), peer.incarnation());
        adapter.eventLoop().run(card -> {
            int connection = card.connect(config, adapter.nanos());
            path.opened(info, connection, card.createMemoryTarget(connection), isNeighbour);
        });
    }

    /** The process of another context on this host; empty for this process, and if the peer does not announce it. */
    private static OptionalInt pidOf(Peer peer) {
        String text = peer.process();
        String own = processText();
        if (!text.startsWith(PID) || text.equals(own)) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(text.substring(PID.length())));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    private static String processText() {
        return PID + ProcessHandle.current().pid();
    }

    @Override
    public void requested(Peer from, long number, PeerMessage request) {
        events.requested(pathTo(from), number, request);
    }

    @Override
    public boolean holds(Peer peer) {
        Path path = paths.get(peer);
        return path != null && path.holds();
    }

    @Override
    public boolean hasGrants(Peer peer) {
        Path path = paths.get(peer);
        return path != null && isProven(path) && numbers.hasWindows(path.identity());
    }

    @Override
    public boolean isDead(Peer peer) {
        Path path = paths.get(peer);
        return path != null && path.isNeighbour() && directory.isDead(peer.uasid(), peer.incarnation());
    }

    @Override
    public void lost(Peer peer, String why) {
        Path path = paths.remove(peer);
        if (path == null) {
            return;
        }
        boolean mattered = path.matters();
        events.lost(path, why); // before another peer can take its identity
        path.leave();
        unname(path);
        if (mattered && !isClosing) {
            local.raise(AsyncEvent.Type.PEER_LOST, peer.toString(), why);
        }
    }

    // ---- the end

    boolean isClosing() {
        return isClosing;
    }

    /** Serves no request and reports no loss from now on. */
    void beginClose() {
        isClosing = true;
    }

    /** Says goodbye to all. */
    CompletableFuture<Void> sayGoodbye(long deadlineNanos) {
        return plane.sayGoodbye("closed", deadlineNanos, adapter.nanos());
    }

    void close() {
        plane.close();
        adapter.engine().remove(turn);
    }
}
