package io.urma4j.udma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Packet;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a post is sent by itself, and when it waits for the next poll: then its bell rings on. */
class EventLoopTest {
    private static final int QUEUE = 1;
    private static final int DEPTH = 16;
    private static final long LONG_NANOS = 1_000_000;

    private long now = 1_000_000_000_000L;
    private long wantedBy = Long.MAX_VALUE;
    private long turnNanos; // what taking packets in takes
    private int datagrams;
    private boolean rests; // the engine
    private int putOff; // its look at the event loop
    private boolean broken; // the socket

    private final Card card = new Card(new NoPort(), _ -> unreachable(), nobody(), CardOptions.DEFAULT);
    private final EventLoop eventLoop = new EventLoop(card, this::receive, new Engine(), () -> now);

    private int receive(boolean isDelayed, long nowNanos) {
        if (broken) {
            throw new IllegalStateException("no socket");
        }
        now += turnNanos;
        return datagrams;
    }

    private boolean waits() {
        return card.doorbells().isRinging(QUEUE);
    }

    @Test
    void theFirstOneIsSentAtOnce() {
        eventLoop.tryTurn();

        eventLoop.posted(QUEUE, 0);

        assertThat(waits()).isFalse();
    }

    @Test
    void thoseBehindItWaitForWhoPolledAMomentAgo() {
        eventLoop.tryTurn();

        eventLoop.posted(QUEUE, 1);

        assertThat(waits()).isTrue();
        assertThat(wantedBy).as("the engine sees to it should he not come back").isLessThanOrEqualTo(now + LONG_NANOS);
    }

    @Test
    void theyDoNotWaitForWhoPolledLongAgo() {
        eventLoop.tryTurn();
        now += LONG_NANOS;

        eventLoop.posted(QUEUE, 1);

        assertThat(waits()).isFalse();
    }

    /** It took in and sent hundreds of packets: he who posts at its end polled just now. */
    @Test
    void aLongTurnCountsFromItsEnd() {
        turnNanos = LONG_NANOS;
        datagrams = 8;
        eventLoop.tryTurn();

        eventLoop.posted(QUEUE, 1);

        assertThat(waits()).isTrue();
    }

    /** One at a time they would cost a system call each. */
    @Test
    void withManyUnderWayTheyWaitForWhoMustComeForTheirRecords() {
        eventLoop.posted(QUEUE, 16);

        assertThat(waits()).isTrue();
        assertThat(wantedBy).isLessThanOrEqualTo(now + LONG_NANOS);
    }

    @Test
    void whoWaitsForAnEventWillNotPoll() {
        int cq = card.createCq(NativeMemory.allocate(CqRing.bytes(16)), 16, 1, 0);
        card.arm(cq, false);

        eventLoop.posted(QUEUE, 16);

        assertThat(waits()).isFalse();
    }

    @Test
    void whoTurnsItAllTheTimePutsOffTheEnginesLook() {
        rests = true;
        eventLoop.tryTurn();
        assertThat(putOff).isZero();

        now += 1_000;
        eventLoop.tryTurn();

        assertThat(putOff).isEqualTo(1);
    }

    /** The engine would serve him better. */
    @Test
    void whoTurnsItNowAndThenDoesNot() {
        rests = true;
        for (int i = 0; i < 5; i++) {
            eventLoop.tryTurn();
            now += LONG_NANOS;
        }

        assertThat(putOff).isZero();
    }

    /** Or nobody could ever turn it again. */
    @Test
    void aTurnThatThrowsGivesTheCardBack() {
        broken = true;

        assertThatIllegalStateException().isThrownBy(eventLoop::tryTurn).withMessage("no socket");
        assertThatIllegalStateException()
                .isThrownBy(() -> eventLoop.tryTurnOfEngine(false))
                .withMessage("no socket");

        broken = false;
        assertThat(eventLoop.tryTurn()).isTrue();
    }

    /** S12.3: the process may have been stalled, and the timer waits for what has arrived meanwhile. */
    @Test
    void whatHasArrivedComesBeforeATimerThatIsDue() {
        List<String> seen = new ArrayList<>();
        Card timed = new Card(new NoPort(), _ -> unreachable(), listener(seen::add), CardOptions.DEFAULT);
        EventLoop.Inlet inlet = (_, _) -> {
            seen.add("input");
            return 0;
        };
        EventLoop loop = new EventLoop(timed, inlet, new Engine(), () -> now);
        int stride = SendWqe.strideBytes(1, 0);
        NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, stride));
        int cq = timed.createCq(NativeMemory.allocate(CqRing.bytes(DEPTH)), DEPTH, 2, LONG_NANOS);
        int queue = timed.createSendQueue(SendQueueConfig.builder(SendQueueConfig.Kind.RM, ring, DEPTH, stride, cq)
                .build());
        timed.arm(cq, false);
        SendWqe.put(ring, WqRing.at(0, DEPTH, stride), WorkOpcode.NOP, WorkOpcode.SIGNALLED, 0, 0, 0);
        WqRing.produced(ring, 1);
        loop.posted(queue, 0); // its record waits for another one, or for the timer
        assertThat(seen).isEmpty();
        now += LONG_NANOS;

        loop.posted(queue, 0);

        assertThat(seen).containsExactly("input", "recordsArrived");
    }

    private final class Engine implements EventLoop.Engine {
        @Override
        public void wakeBy(long nanos) {
            wantedBy = Math.min(wantedBy, nanos);
        }

        @Override
        public boolean rests() {
            return rests;
        }

        @Override
        public void putOff(long nowNanos) {
            putOff++;
        }

        @Override
        public void attend() {}
    }

    private static final class NoPort implements Port {
        @Override
        public @Nullable Packet begin(Route route) {
            return null;
        }

        @Override
        public void end(int payloadBytes) {
            throw new AssertionError("nothing was begun");
        }

        @Override
        public boolean flush() {
            return false;
        }
    }

    private static Route unreachable() {
        throw new AssertionError("no command names a port");
    }

    private static CardListener nobody() {
        return listener(method -> {
            throw new AssertionError(method + " was called");
        });
    }

    private static CardListener listener(Consumer<String> called) {
        return (CardListener) Proxy.newProxyInstance(
                CardListener.class.getClassLoader(), new Class<?>[] {CardListener.class}, (_, method, _) -> {
                    called.accept(method.getName());
                    return null;
                });
    }
}
