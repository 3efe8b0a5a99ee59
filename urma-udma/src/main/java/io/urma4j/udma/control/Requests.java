package io.urma4j.udma.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.Peer.Pending;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a context to its peers. Each is retransmitted until its answer arrives or its deadline has passed; those
 * beyond the window of a peer wait. For one thread.
 */
final class Requests {
    static final String DEAD = "its process is dead";

    private final ControlClock clock;
    private final ContextSender sender;
    private final PeerTable peers;
    private final PeerEvents events;

    Requests(ControlClock clock, ContextSender sender, PeerTable peers, PeerEvents events) {
        this.clock = clock;
        this.sender = sender;
        this.peers = peers;
        this.events = events;
    }

    /**
     * Sends a request to a peer. The future fails with the status of a refusal, or with ETIMEOUT.
     *
     * @param request creates it from its number
     */
    CompletableFuture<PeerMessage> ask(Peer peer, LongFunction<PeerMessage> request, long deadlineNanos) {
        return ask(peer, request, deadlineNanos, null);
    }

    /**
     * The same for a request by which the peer gives something, if there is an {@code unclaimed}. Once it was sent, it is
     * retransmitted until it is answered, the peer is lost, or 60 s have passed since the deadline: the peer may have given what
     * no caller awaits any more.
     *
     * @param unclaimed takes an answer that comes after the deadline
     */
    CompletableFuture<PeerMessage> ask(
            Peer peer,
            LongFunction<PeerMessage> request,
            long deadlineNanos,
            @Nullable Consumer<PeerMessage> unclaimed) {
        if (peer.isLost()) {
            return CompletableFuture.failedFuture(gone(peer, String.valueOf(peer.whyLost())));
        }
        long number = ++peer.lastNumber;
        PeerMessage message = request.apply(number);
        Pending asked = new Pending(
                number,
                nameOf(message),
                givesBack(message),
                MessageCodec.encode(message),
                new Retransmission(clock, deadlineNanos),
                new CompletableFuture<>(),
                unclaimed);
        if (peer.admits(number)) {
            begin(peer, asked);
        } else {
            peer.waiting.add(asked);
            asked.retransmission().waits(() -> giveUp(peer, asked));
        }
        return asked.answer();
    }

    private static String nameOf(PeerMessage message) {
        return message instanceof Core core
                ? core.message().getClass().getSimpleName()
                : message.getClass().getSimpleName();
    }

    /** Whether the peer keeps something without it. A request of any other kind is of use only to its caller. */
    private static boolean givesBack(PeerMessage message) {
        return message instanceof Core(ControlMessage core)
                && (core instanceof Unimport
                        || core instanceof Unbind
                        || core instanceof Revoke
                        || core instanceof Goodbye);
    }

    /** A request that was not sent is late: what the peer would give for it would belong to no caller. */
    private static void giveUp(Peer peer, Pending asked) {
        if (!asked.givesBack()) {
            peer.waiting.remove(asked);
        }
        asked.answer().completeExceptionally(late(peer, asked));
    }

    private void begin(Peer peer, Pending asked) {
        peer.pending.put(asked.number(), asked);
        send(peer, asked);
    }

    private void send(Peer peer, Pending asked) {
        sender.send(peer, Kind.REQUEST, asked.number(), asked.body());
        asked.retransmission().sent(() -> again(peer, asked));
    }

    private void again(Peer peer, Pending asked) {
        boolean isLate = asked.retransmission().isOver();
        if (isLate && !isWorthAnother(asked)) {
            end(peer, asked);
        } else if (events.isDead(peer)) {
            lose(peer, DEAD);
        } else {
            if (isLate) {
                asked.retransmission().goOn();
            }
            asked.retransmission().next(!events.holds(peer)); // for which this context is unknown as well
            send(peer, asked);
        }
        if (isLate) {
            asked.answer().completeExceptionally(late(peer, asked));
        }
    }

    /** A late answer may still give something, but a peer that owes one for ever must not hold up the requests behind it. */
    private static boolean isWorthAnother(Pending asked) {
        return asked.unclaimed() != null && !asked.answer().isDone();
    }

    private static UrmaException late(Peer peer, Pending asked) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "did not answer " + asked.what() + " in time");
    }

    private void end(Peer peer, Pending asked) {
        asked.retransmission().cancel();
        peer.pending.remove(asked.number());
        while (!peer.waiting.isEmpty() && peer.admits(peer.waiting.getFirst().number())) {
            Pending next = peer.waiting.removeFirst();
            next.retransmission().cancel();
            begin(peer, next); // also one that is late: it gives something back
        }
    }

    /** An answer of a peer has arrived. */
    void answered(Peer peer, ControlDatagram datagram) throws ControlFormatException {
        Pending asked = peer.pending.get(datagram.number());
        if (asked == null) {
            sender.port().countStale();
            return;
        }
        end(peer, asked);
        PeerMessage answer;
        try {
            answer = MessageCodec.decode(datagram.body());
        } catch (ControlFormatException e) {
            asked.answer()
                    .completeExceptionally(new UrmaException(
                            UrmaStatus.FAIL,
                            peer,
                            "answered " + asked.what() + " with an unreadable message: " + e.getMessage(),
                            e));
            throw e;
        }
        if (answer instanceof Core(Refused refused)) {
            UrmaStatus status = refused.status() == UrmaStatus.SUCCESS ? UrmaStatus.FAIL : refused.status();
            asked.answer().completeExceptionally(new UrmaException(status, peer, refused.reason()));
        } else if (!asked.answer().complete(answer) && asked.unclaimed() != null) {
            asked.unclaimed().accept(answer);
        }
    }

    /** A peer has shown that it lives: the ping to it, its only unanswered request if there is one, is over. */
    void answeredPing(Peer peer) {
        for (Pending ping : List.copyOf(peer.pending.values())) {
            end(peer, ping);
            ping.answer().complete(new Ping());
        }
    }

    // ---- the end of a peer

    /** A peer is gone. */
    void lose(Peer peer, String why) {
        lose(peer, why, true);
    }

    /** Drops a peer that may live on. */
    void drop(Peer peer, String why) {
        lose(peer, why, false);
    }

    /** Out of the table first, so that nothing finds it any more; its requests fail. */
    private void lose(Peer peer, String why, boolean isGone) {
        if (peer.isLost()) {
            return;
        }
        peer.markLost(why, isGone);
        peer.cancelLook();
        peers.remove(peer);
        peer.answers.clear();
        List<Pending> unanswered = new ArrayList<>(peer.pending.values());
        unanswered.addAll(peer.waiting);
        peer.pending.clear();
        peer.waiting.clear();
        events.lost(peer, why);
        unanswered.forEach(asked -> {
            asked.retransmission().cancel();
            asked.answer().completeExceptionally(gone(peer, why));
        });
    }

    private static UrmaException gone(Peer peer, String why) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + why);
    }
}
