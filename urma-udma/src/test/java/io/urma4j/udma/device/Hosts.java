package io.urma4j.udma.device;

import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.wire.Packet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Two cards back to back, with a shared connection between them, and a clock that is moved by hand. */
final class Hosts {
    static final int MTU_BYTES = 1024;
    private static final long TICK_NANOS = 1_000;

    final Host here;
    final Host there;
    int toThere;
    int toHere;
    int memoryThere;
    long now = 1_000_000_000L;

    /** Sees each packet that was delivered, and to whom; null for nobody. */
    @Nullable
    BiConsumer<Host, Packet> listener;

    private int connections;

    Hosts() {
        this(CardCommands.MAX_KEYS);
    }

    /** The card there has only so many keys. */
    Hosts(int maxKeysThere) {
        here = new Host(1, MTU_BYTES);
        there = new Host(2, MTU_BYTES, maxKeysThere);
        connect();
    }

    /** With header prediction on both cards, or without. */
    Hosts(boolean predicts) {
        CardOptions options = CardOptions.DEFAULT.withPrediction(predicts);
        here = new Host(1, MTU_BYTES, options);
        there = new Host(2, MTU_BYTES, options);
        connect();
    }

    /** Both have device memory. */
    Hosts(CopyPort copiesHere, CopyPort copiesThere) {
        here = new Host(1, MTU_BYTES, LateMemory.of(copiesHere));
        there = new Host(2, MTU_BYTES, LateMemory.of(copiesThere));
        connect();
    }

    /** Connects the cards; once more: by another connection, which the fields name from now on. */
    void connect() {
        int first = CardCommands.FIRST_CONNECTION + 2 * connections++;
        toThere = here.card.connect(config(here, there, first, first + 1, 11, 22), now);
        toHere = there.card.connect(config(there, here, first + 1, first, 22, 11), now);
        memoryThere = here.card.createMemoryTarget(toThere);
    }

    /** As if both had greeted anew, since the connection is of no use any more. */
    void connectAnew() {
        here.card.peerLost(toThere, now);
        there.card.peerLost(toHere, now);
        here.card.destroyTarget(memoryThere);
        here.card.disconnect(toThere);
        there.card.disconnect(toHere);
        connect();
    }

    private static CardConnectionConfig config(
            Host of, Host peer, int number, int remoteNumber, int sendPsn, int receivePsn) {
        return CardConnectionConfig.builder(of.port(peer.address), remoteNumber)
                .number(number)
                .psns(sendPsn, receivePsn)
                .peer(new PeerInfo(5, 6, 7))
                .build();
    }

    /** Runs both cards until nothing more happens at once. */
    void run() {
        for (int i = 0; i < 10_000; i++) {
            now += TICK_NANOS;
            long next = Math.min(here.card.step(now), there.card.step(now));
            boolean wentThere = carry(here, there);
            boolean cameBack = carry(there, here);
            if (!wentThere && !cameBack && next > now) {
                return;
            }
        }
        throw new AssertionError("there is no end to it");
    }

    /** Lets time pass: what is due by then happens at its time. */
    void run(long nanos) {
        long end = now + nanos;
        run();
        for (int i = 0; i < 100_000 && now < end; i++) {
            long next = Math.min(here.card.step(now), there.card.step(now));
            now = Math.max(now + TICK_NANOS, Math.min(next, end));
            run();
        }
    }

    boolean carry(Host from, Host to) {
        boolean carried = false;
        for (Packet packet = from.leaving.poll(); packet != null; packet = from.leaving.poll()) {
            to.card.receive(packet, from.address, now);
            BiConsumer<Host, Packet> told = listener;
            if (told != null) {
                told.accept(to, packet);
            }
            carried = true;
        }
        return carried;
    }
}
