package io.urma4j.socket.peering;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.PeerId;
import io.urma4j.SharedSegment;
import io.urma4j.socket.peering.Offers.Offer;
import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The processes that connect to this one, and its listeners. Safe for any thread. */
final class Server {
    private static final System.Logger LOG = System.getLogger(Server.class.getName());
    private static final int MAX_GUESTS = 1024;
    private static final int MAX_GREETINGS_AT_ONCE = 16;

    private final MessageChannel channel;
    private final Medium medium;
    private final SecureRandom random = new SecureRandom();
    private final Map<PeerId, Pairing> guests = new ConcurrentHashMap<>();
    private final Map<Long, Runnable> listeners = new ConcurrentHashMap<>();
    private final AtomicLong lastListener = new AtomicLong();
    private final Semaphore greetings = new Semaphore(MAX_GREETINGS_AT_ONCE);

    /** Answers by this channel, and gets memory by this medium. */
    Server(MessageChannel channel, Medium medium) {
        this.channel = channel;
        this.medium = medium;
    }

    /** A number for a listener; {@code onPending} runs when a client waits for the application to accept. */
    long add(Runnable onPending) {
        long number = lastListener.incrementAndGet();
        listeners.put(number, onPending);
        return number;
    }

    void remove(long number) {
        listeners.remove(number);
    }

    void pending(long listener) {
        Runnable onPending = listeners.get(listener);
        if (onPending != null) {
            onPending.run();
        }
    }

    /** A process asks to connect. Its memory is imported by a thread of its own, since it may not answer. */
    void greeted(Message message, Greeting.Hello hello) {
        if (!greetings.tryAcquire()) {
            return; // the client asks again
        }
        try {
            Thread.ofVirtual().name("urma-socket-greeting").start(() -> reply(message, hello));
        } catch (Throwable e) { // no memory for a thread
            greetings.release();
            throw e;
        }
    }

    private void reply(Message message, Greeting.Hello hello) {
        try {
            channel.reply(message, answer(message, hello).toBytes());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> message.sender() + " was not answered: " + e);
        } finally {
            greetings.release();
        }
    }

    private Greeting answer(Message message, Greeting.Hello hello) {
        if (hello.version() != ArenaLayout.VERSION) {
            return refusal(
                    hello,
                    "version " + hello.version() + " is not " + ArenaLayout.VERSION + ", which this process has");
        }
        try {
            SharedSegment shared = SharedSegment.parse(hello.arena());
            PeerId id = RemoteArena.homeOf(shared.descriptor());
            if (!RemoteArena.isOf(message.sender(), id)) {
                return refusal(hello, "the memory is of another process");
            }
            return new Greeting.Welcome(
                    hello.request(), pairing(id, shared).own().line());
        } catch (RuntimeException e) {
            return refusal(hello, String.valueOf(e.getMessage()));
        }
    }

    private static Greeting refusal(Greeting.Hello hello, String reason) {
        int most = Greeting.MAX_BYTES / 8;
        String told = reason.length() > most ? reason.substring(0, most) : reason;
        return new Greeting.Refusal(ArenaLayout.VERSION, hello.request(), told);
    }

    /** One for each process: a second greeting of it would hold memory of which the first connections know nothing. */
    private Pairing pairing(PeerId id, SharedSegment shared) {
        dropGone();
        if (guests.size() >= MAX_GUESTS) {
            throw new IllegalArgumentException("it has " + MAX_GUESTS + " peers, the most");
        }
        if (guests.containsKey(id)) {
            throw new IllegalArgumentException("this process has greeted before");
        }
        Pairing made = medium.accept(shared);
        if (guests.putIfAbsent(id, made) != null) {
            made.close();
            throw new IllegalArgumentException("this process greets twice at once");
        }
        return made;
    }

    private void dropGone() {
        guests.forEach((id, guest) -> {
            if (guest.isGoneAndUnused() && guests.remove(id, guest)) {
                guest.close();
            }
        });
    }

    /** The rings of a connection that was accepted, or null if its client offered none. */
    @Nullable
    RingConnection accepted(SocketChannel tcp) throws IOException {
        if (guests.isEmpty()
                || !(tcp.getRemoteAddress() instanceof InetSocketAddress client)
                || !(tcp.getLocalAddress() instanceof InetSocketAddress here)) {
            return null;
        }
        for (Pairing guest : guests.values()) {
            try {
                Offer offer = mayOffer(guest, client) ? guest.offers().find(client, here) : null;
                if (offer != null) {
                    return take(guest, offer, tcp);
                }
            } catch (IllegalStateException e) { // revoked: the process has just ended
                LOG.log(System.Logger.Level.DEBUG, () -> "no offers of a process that has ended: " + e);
            }
        }
        return null;
    }

    private static boolean mayOffer(Pairing guest, InetSocketAddress client) {
        return guest.mayBeAt(client.getAddress()) && !guest.isGone();
    }

    private static boolean hasTaken(Offers offers, Offer offer, long proof, int slot) throws UndecidedException {
        try {
            return offers.take(offer, proof, slot);
        } catch (IllegalStateException e) { // revoked: the process has just ended
            return false;
        }
    }

    private @Nullable RingConnection take(Pairing guest, Offer offer, SocketChannel tcp) throws IOException {
        Offers offers = guest.offers();
        OwnRing ring = guest.hasRing(offer.ring()) ? guest.open() : null;
        if (ring == null) {
            offers.refuse(offer, OfferTable.NO_MEMORY);
            return null;
        }
        long proof = random.nextLong();
        try {
            if (!hasTaken(offers, offer, proof, ring.slot())) {
                guest.free(ring);
                return null;
            }
        } catch (UndecidedException e) {
            guest.retire(ring);
            throw e;
        }
        return guest.connection(tcp, ring, offer.ring(), proof, offer.proof());
    }

    /** Some process may have ended. */
    void lookAtPeers() {
        guests.values().forEach(Pairing::loseIfGone);
    }
}
