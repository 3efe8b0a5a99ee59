package io.urma4j.socket.peering;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.PeerId;
import io.urma4j.SharedSegment;
import io.urma4j.socket.FallbackReason;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The processes that this one connects to, and how each address leads to one. Safe for any thread. */
final class Client {
    private static final System.Logger LOG = System.getLogger(Client.class.getName());
    private static final Duration GREETING = Duration.ofSeconds(5);

    /** The first connection to a process waits longer than others, by this factor: both may have to load their classes first. */
    private static final int FIRST_WAIT = 40;

    private static final Duration NOTHING_THERE = Duration.ofSeconds(1);
    private static final Duration NOT_TAKEN = Duration.ofSeconds(30);
    private static final int MAX_ROUTES = 4096;
    private static final long STALE_PAUSE_NANOS = 1_000_000; // before an address is looked up again

    private static final Duration SLOW = Duration.ofMillis(500);

    /** How connections to an address begin. */
    sealed interface Route {
        /** Whether it still tells how things are. */
        boolean isFresh();
    }

    /** By an offer to the process of a listener. */
    record Open(Host host, Listed listing) implements Route {
        @Override
        public boolean isFresh() {
            return listing.isOpen() && !host.pairing().isGone();
        }
    }

    /** By TCP alone, for a while. */
    record Closed(FallbackReason reason, long untilNanos) implements Route {
        static Closed during(FallbackReason reason, Duration time) {
            return new Closed(reason, System.nanoTime() + time.toNanos());
        }

        @Override
        public boolean isFresh() {
            return System.nanoTime() - untilNanos < 0;
        }
    }

    /** A process that listens. */
    record Host(Pairing pairing, MessageChannel.Peer peer) implements AutoCloseable {
        @Override
        public void close() {
            peer.close();
            pairing.close();
        }
    }

    /** A route that is found, or will be; and how long connections wait for it. */
    private record Finding(CompletableFuture<Route> route, long beganNanos) {
        Route await(long mostNanos) throws InterruptedException, ExecutionException, TimeoutException {
            long leftNanos = beganNanos + mostNanos - System.nanoTime();
            return route.get(Math.max(leftNanos, 0), TimeUnit.NANOSECONDS);
        }

        /** Whether to try again soon would cost others as much time as this. */
        boolean isSlow() {
            return System.nanoTime() - beganNanos > SLOW.toNanos();
        }
    }

    /** A greeting that waits for its answer, from the process that was asked. */
    private record Request(MessageChannel.Peer asked, CompletableFuture<Greeting> answer) {}

    private final MessageChannel channel;
    private final Medium medium;
    private final Duration offerTimeout;
    private final Map<InetSocketAddress, Finding> routes = new ConcurrentHashMap<>();
    private final Map<PeerId, CompletableFuture<Host>> hosts = new ConcurrentHashMap<>();
    private final Queue<Host> ended = new ConcurrentLinkedQueue<>(); // gone, and perhaps still used by connections
    private final Map<Long, Request> requests = new ConcurrentHashMap<>();
    private final AtomicLong lastRequest = new AtomicLong();

    /**
     * Greets by this channel, and finds by this medium.
     *
     * @param offerTimeout how long a connection waits for a server to take its offer
     */
    Client(MessageChannel channel, Medium medium, Duration offerTimeout) {
        this.channel = channel;
        this.medium = medium;
        this.offerTimeout = offerTimeout;
    }

    /** How to connect to the address; waits, at most so long and within a limit of its own, while another thread finds out. */
    Route route(InetSocketAddress remote, long timeoutNanos) {
        long mostNanos = Math.min(timeoutNanos, FIRST_WAIT * offerTimeout.toNanos());
        long beganNanos = System.nanoTime();
        for (long leftNanos = mostNanos; leftNanos >= 0; leftNanos = beganNanos + mostNanos - System.nanoTime()) {
            Finding finding = routes.computeIfAbsent(remote, this::begin);
            try {
                Route found = finding.await(leftNanos);
                if (found.isFresh()) {
                    return found;
                }
                forget(remote, finding); // a closed listener may keep its name for a while
                if (finding.beganNanos() - beganNanos >= 0) { // stale though new, as the next may be
                    LockSupport.parkNanos(STALE_PAUSE_NANOS);
                }
            } catch (TimeoutException e) {
                break;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            } catch (ExecutionException e) {
                throw new AssertionError(e); // a failure is a route, too
            }
        }
        return Closed.during(FallbackReason.NOT_READY, Duration.ZERO);
    }

    private void forget(InetSocketAddress remote, Finding finding) {
        if (routes.remove(remote, finding)) {
            drop(finding);
        }
    }

    /** A listener of this process has just got the address. */
    void appeared(InetSocketAddress bound) {
        if (bound.getAddress().isAnyLocalAddress()) {
            routes.forEach((remote, finding) -> {
                if (remote.getPort() == bound.getPort()) {
                    forget(remote, finding);
                }
            });
        } else {
            drop(routes.remove(bound));
        }
    }

    /** The listener took no offer: its address gets TCP for a while. */
    void leaveAlone(InetSocketAddress remote) {
        Route closed = Closed.during(FallbackReason.LEFT_ALONE, NOT_TAKEN);
        drop(routes.put(remote, new Finding(CompletableFuture.completedFuture(closed), System.nanoTime())));
    }

    private static void drop(@Nullable Finding finding) {
        if (finding != null) {
            var _ = finding.route().thenAccept(found -> {
                if (found instanceof Open open) {
                    open.listing().close();
                }
            });
        }
    }

    private Finding begin(InetSocketAddress remote) {
        Finding finding = new Finding(new CompletableFuture<>(), System.nanoTime());
        Thread.ofVirtual().name("urma-socket-route").start(() -> {
            Route found = Closed.during(FallbackReason.NOT_READY, NOT_TAKEN); // also after an error, as of memory
            try {
                found = find(remote, finding);
            } finally {
                finding.route().complete(found);
            }
        });
        return finding;
    }

    private Route find(InetSocketAddress remote, Finding finding) {
        try {
            forgetMany();
            Optional<Listed> listed = medium.find(remote);
            return listed.isEmpty()
                    ? Closed.during(FallbackReason.NO_LISTENER, finding.isSlow() ? NOT_TAKEN : NOTHING_THERE)
                    : open(listed.get());
        } catch (RefusedException e) {
            LOG.log(System.Logger.Level.WARNING, () -> "connections to " + remote + " are TCP: " + e.getMessage());
            return Closed.during(e.reason(), NOT_TAKEN);
        } catch (RuntimeException | InterruptedException | ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "connections to " + remote + " are TCP for now: " + e);
            return Closed.during(FallbackReason.NOT_READY, finding.isSlow() ? NOT_TAKEN : NOTHING_THERE);
        }
    }

    private void forgetMany() {
        if (routes.size() > MAX_ROUTES) {
            routes.forEach((address, finding) -> {
                if (finding.route().isDone()) {
                    forget(address, finding);
                }
            });
        }
    }

    private Route open(Listed listed)
            throws RefusedException, InterruptedException, ExecutionException, TimeoutException {
        try {
            return new Open(host(listed.home(), listed.channelLine()), listed);
        } catch (Throwable e) { // also an error, as of memory
            listed.close();
            throw e;
        }
    }

    private Host host(PeerId id, String channelLine)
            throws RefusedException, InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Host> own = new CompletableFuture<>();
        CompletableFuture<Host> known = hosts.get(id);
        if (known != null && hasGone(known) && hosts.remove(id, known)) {
            end(known.resultNow());
        }
        CompletableFuture<Host> first = hosts.putIfAbsent(id, own);
        if (first != null) {
            return first.get(GREETING.toNanos(), TimeUnit.NANOSECONDS);
        }
        try {
            dropGone();
            Host made = greet(id, channelLine);
            own.complete(made);
            return made;
        } catch (Throwable e) { // also an error, as of memory
            hosts.remove(id, own);
            own.completeExceptionally(e);
            throw e;
        }
    }

    /** Its memory was revoked: it has ended, or has given this process up, and is greeted anew. */
    private static boolean hasGone(CompletableFuture<Host> made) {
        return made.state() == Future.State.SUCCESS
                && made.resultNow().pairing().isGone();
    }

    /** The device may tell of the end later, or has done so before this process had the connections. */
    private void end(Host gone) {
        ended.add(gone);
        gone.pairing().loseIfGone();
    }

    /** Closes what no connection uses any more. */
    private void dropGone() {
        hosts.forEach((id, made) -> {
            if (hasGone(made) && hosts.remove(id, made)) {
                end(made.resultNow());
            }
        });
        ended.removeIf(host -> {
            boolean isUnused = host.pairing().isGoneAndUnused();
            if (isUnused) {
                host.close();
            }
            return isUnused;
        });
    }

    private Host greet(PeerId id, String channelLine)
            throws RefusedException, InterruptedException, ExecutionException, TimeoutException {
        MessageChannel.Peer peer = channel.connect(channelLine);
        Arena arena = null;
        long request = lastRequest.incrementAndGet();
        CompletableFuture<Greeting> answer = new CompletableFuture<>();
        try {
            if (!RemoteArena.isOf(peer.id(), id)) {
                throw new IllegalArgumentException("the listing of " + id + " leads to " + peer.id());
            }
            arena = medium.arena();
            requests.put(request, new Request(peer, answer));
            peer.sendWithReply(new Greeting.Hello(ArenaLayout.VERSION, request, arena.line()).toBytes());
            String line = switch (answer.get(GREETING.toNanos(), TimeUnit.NANOSECONDS)) {
                case Greeting.Welcome welcome -> welcome.arena();
                case Greeting.Refusal refusal
                when refusal.version() != ArenaLayout.VERSION -> throw RefusedException.ofVersion(refusal.version());
                case Greeting.Refusal refusal ->
                    throw new RefusedException(FallbackReason.MEMORY, "it refuses: " + refusal.reason());
                case Greeting other -> throw new IllegalArgumentException("an answer of " + other);
            };
            return new Host(medium.pair(arena, sharedBy(id, line)), peer);
        } catch (Throwable e) { // also an error, as of memory
            if (arena != null) {
                arena.close();
            }
            peer.close();
            throw e;
        } finally {
            requests.remove(request);
        }
    }

    private static SharedSegment sharedBy(PeerId id, String line) {
        SharedSegment shared = SharedSegment.parse(line);
        if (!id.equals(RemoteArena.homeOf(shared.descriptor()))) {
            throw new IllegalArgumentException(id + " answers with memory of another process");
        }
        return shared;
    }

    /** Some process may have ended. */
    void lookAtPeers() {
        for (CompletableFuture<Host> made : hosts.values()) {
            if (made.state() == Future.State.SUCCESS) {
                made.resultNow().pairing().loseIfGone();
            }
        }
        ended.forEach(host -> host.pairing().loseIfGone());
    }

    /** An answer came. That of a process that was not asked is ignored. */
    void answered(Message message, long request, Greeting answer) {
        Request waiting = requests.get(request);
        if (waiting != null && waiting.asked().sent(message)) {
            waiting.answer().complete(answer);
        }
    }
}
