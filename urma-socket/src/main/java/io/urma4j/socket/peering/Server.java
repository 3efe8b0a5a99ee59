package io.urma4j.socket.peering;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.PeerId;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import io.urma4j.socket.peering.OfferTable.Offer;
import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingReader;
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

    private final UrmaContext context;
    private final MessageChannel channel;
    private final SocketSettings settings;
    private final Budget budget;
    private final HostAddresses addresses;
    private final SecureRandom random = new SecureRandom();
    private final Map<PeerId, Pairing> guests = new ConcurrentHashMap<>();
    private final Map<Long, Runnable> listeners = new ConcurrentHashMap<>();
    private final AtomicLong lastListener = new AtomicLong();
    private final Semaphore greetings = new Semaphore(MAX_GREETINGS_AT_ONCE);

    Server(
            UrmaContext context,
            MessageChannel channel,
            SocketSettings settings,
            Budget budget,
            HostAddresses addresses) {
        this.context = context;
        this.channel = channel;
        this.settings = settings;
        this.budget = budget;
        this.addresses = addresses;
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
        Thread.ofVirtual().name("urma-socket-greeting").start(() -> {
            try {
                channel.reply(message, answer(message, hello).toBytes());
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, () -> message.sender() + " was not answered: " + e);
            } finally {
                greetings.release();
            }
        });
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
        RemoteArena theirs = RemoteArena.open(context, shared); // first, for a peer may have none
        Pairing made;
        try {
            made = new Pairing(new Arena(context, settings.ringBytes(), budget), theirs);
        } catch (RuntimeException e) {
            theirs.close();
            throw e;
        }
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
                || !(tcp.getLocalAddress() instanceof InetSocketAddress here)
                || !addresses.contain(client.getAddress())) {
            return null;
        }
        for (Pairing guest : guests.values()) {
            try {
                Offer offer = guest.theirs().offers().find(client, here);
                if (offer != null) {
                    return take(guest, offer, tcp);
                }
            } catch (IllegalStateException e) { // revoked: the process has just ended
                LOG.log(System.Logger.Level.DEBUG, () -> "no offers of a process that has ended: " + e);
            }
        }
        return null;
    }

    private static boolean hasTaken(OfferTable offers, Offer offer, long proof, int slot) {
        try {
            return offers.take(offer, proof, slot);
        } catch (IllegalStateException e) { // revoked: the process has just ended
            return false;
        }
    }

    private @Nullable RingConnection take(Pairing guest, Offer offer, SocketChannel tcp) throws IOException {
        OfferTable offers = guest.theirs().offers();
        int slot = guest.theirs().hasRing(offer.ring()) ? guest.own().take() : Slots.NONE;
        if (slot == Slots.NONE) {
            offers.refuse(offer, OfferTable.NO_MEMORY);
            return null;
        }
        RingReader reader = guest.own().open(slot);
        long proof = random.nextLong();
        if (!hasTaken(offers, offer, proof, slot)) {
            guest.own().free(slot);
            return null;
        }
        return guest.connection(tcp, slot, reader, offer.ring(), proof, offer.proof());
    }
}
