package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.OrderType;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.tck.Patience;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.engine.EventLoop;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The peer answers a request to bind after the Jetty that asked was unbound, or closed. */
class LateBindingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    static final Token TOKEN = Token.of(7);

    @TempDir
    Path folder;

    private LoneContext home;
    private LoneContext peer;

    @BeforeEach
    void open() {
        home = new LoneContext(folder, "127.0.74.2", 64);
        peer = new LoneContext(folder, "127.0.74.3", 64);
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
    }

    static ProviderSendQueue jetty(LoneContext at) {
        var jfc = at.context.createJfc(JfcConfig.DEFAULT, () -> {});
        var receives = at.context.createReceiveQueue(
                JfrConfig.builder().mode(TransportMode.RC).token(TOKEN).build(), jfc);
        return at.context.createSendQueue(
                JfsConfig.builder().mode(TransportMode.RC).build(), jfc, receives, jfc);
    }

    private CompletableFuture<Void> boundAfter(ProviderSendQueue jetty, Consumer<ProviderSendQueue> meanwhile) {
        JettyDescriptor descriptor = jetty(home).descriptor();
        ProviderTarget target =
                peer.context.importQueue(descriptor, TOKEN, PATIENCE).join();
        CountDownLatch late = new CountDownLatch(1);
        home.adapter.engine().submit(() -> awaits(late));
        CompletableFuture<Void> bound = jetty.bind(target, PATIENCE);
        meanwhile.accept(jetty);
        late.countDown();
        return bound;
    }

    private static void awaits(CountDownLatch end) {
        try {
            assertThat(end.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theAnswerToABindingThatWasEndedConnectsNothing() {
        CompletableFuture<Void> bound = boundAfter(jetty(peer), jetty -> {
            var _ = jetty.unbind(PATIENCE);
        });

        assertThatThrownBy(() -> bound.get(20, TimeUnit.SECONDS)).hasMessageContaining("was unbound or closed before");
    }

    /** The card gives the handle of the closed one to the next. */
    @Test
    void theAnswerToAClosedJettyConnectsNoOther() {
        ProviderSendQueue[] other = new ProviderSendQueue[1];
        CompletableFuture<Void> bound = boundAfter(jetty(peer), jetty -> {
            jetty.close();
            other[0] = jetty(peer);
        });

        assertThatThrownBy(() -> bound.get(20, TimeUnit.SECONDS)).hasMessageContaining("was unbound or closed before");
        ProviderTarget target = peer.context
                .importQueue(jetty(home).descriptor(), TOKEN, PATIENCE)
                .join();
        assertThat(other[0].bind(target, PATIENCE)).succeedsWithin(PATIENCE);
    }

    private UdmaTarget target() {
        return (UdmaTarget) peer.context
                .importQueue(jetty(home).descriptor(), TOKEN, PATIENCE)
                .join();
    }

    /** The caller saw it open. */
    @Test
    void aBindingThatBeginsAfterTheCloseConnectsNoOther() {
        UdmaTarget target = target();
        UdmaSendQueue closed = (UdmaSendQueue) jetty(peer);
        closed.close();
        UdmaSendQueue next = (UdmaSendQueue) jetty(peer);
        assertThat(next.handle()).isEqualTo(closed.handle());

        assertThatThrownBy(() -> closed.binding().bind(target, PATIENCE)).hasMessageContaining("is closed");
        assertThat(next.bind(target(), PATIENCE)).succeedsWithin(PATIENCE);
        ConnectionStats ofClosed = peer.adapter.eventLoop().call(closed::ownConnection);
        assertThat(ofClosed).as("the connection that the closed Jetty shows").isNull();
    }

    private UdmaSendQueue boundTo(UdmaTarget target) {
        UdmaSendQueue jetty = (UdmaSendQueue) jetty(peer);
        assertThat(jetty.bind(target, PATIENCE)).succeedsWithin(PATIENCE);
        return jetty;
    }

    private void disconnect(UdmaSendQueue jetty, CardCommands card) {
        card.disconnectRc(jetty.handle(), peer.adapter.nanos());
    }

    /** The handle of an ended connection may be that of another one. */
    @Test
    void aLossThatWaitsForTheCardWhileTheConnectionEndsReachesNoOther() throws Exception {
        UdmaTarget target = target();
        UdmaSendQueue jetty = boundTo(target);
        RcBinding binding = jetty.binding();
        FutureTask<Void> lost =
                new FutureTask<>(() -> binding.peerLost(target.path().peer()), null);
        EventLoop eventLoop = peer.adapter.eventLoop();
        eventLoop.enter();
        try {
            ClosedQueuesTest.startAndWait(lost);
            binding.end();
            disconnect(jetty, eventLoop.card());
        } finally {
            eventLoop.leave();
        }

        assertThat(lost).succeedsWithin(PATIENCE);
    }

    @Test
    void aLossBetweenTheEndOfTheConnectionAndTheGoodbyeReachesNoOther() {
        UdmaTarget target = target();
        UdmaSendQueue jetty = boundTo(target);
        RcBinding binding = jetty.binding();

        CompletableFuture<Void> unbound = binding.unbind(
                () -> {
                    peer.adapter.eventLoop().run(card -> disconnect(jetty, card));
                    binding.peerLost(target.path().peer());
                    return CompletableFuture.completedFuture(null);
                },
                PATIENCE);

        assertThat(unbound).succeedsWithin(PATIENCE);
    }

    private UdmaTarget targetByHand() {
        RoceEndpoint told = new RoceEndpoint(home.context.eid(), 4711, 1, 1024);
        return (UdmaTarget) peer.context
                .importQueue(told.toDescriptor(OrderType.DEF), null, PATIENCE)
                .join();
    }

    /** S7.16: the connection is there, and its peer has no identity yet. The thread that binds waits for the binding's lock. */
    @Test
    void anUnbindWhileAForeignPeerIsBoundLeavesNoIdentity() {
        UdmaTarget target = targetByHand();
        UdmaSendQueue jetty = (UdmaSendQueue) jetty(peer);
        RcBinding binding = jetty.binding();
        AtomicReference<Thread> engine = new AtomicReference<>();
        peer.adapter.engine().submit(() -> engine.set(Thread.currentThread()));
        Patience.await("the engine's thread", () -> engine.get() != null);
        EventLoop eventLoop = peer.adapter.eventLoop();
        eventLoop.enter();
        CompletableFuture<Void> bound = binding.bind(target, PATIENCE);
        Patience.await(
                "a thread that waits for the card", () -> LockSupport.getBlocker(engine.get()) instanceof SpinLock);
        synchronized (binding) {
            eventLoop.leave();
            Patience.await("the connection", () -> jetty.state() == QueueState.READY);
            assertThat(jetty.unbind(PATIENCE)).succeedsWithin(PATIENCE);
        }

        assertThatThrownBy(() -> bound.get(20, TimeUnit.SECONDS)).hasMessageContaining("was unbound or closed before");
        assertThat(jetty.foreignPeer()).isNull();
    }

    /** S6.3: a post that has seen the queue bound comes before the reset, or its request would be one of the next connection. */
    @Test
    void aResetWaitsForAPostInProgress() throws Exception {
        UdmaSendQueue jetty = boundTo(targetByHand());
        RcBinding binding = jetty.binding();
        ProviderSegment source = peer.context
                .register(new SegmentRequest(
                        null, Arena.ofAuto().allocate(64), Access.LOCAL_ONLY, TokenPolicy.NONE, TOKEN))
                .join();
        FutureTask<Boolean> post = new FutureTask<>(
                () -> jetty.send(Opcode.SEND.value(), null, source, 0, 8, 0, 1, PostFlags.SIGNALLED_BIT));
        FutureTask<Void> reset = new FutureTask<>(() -> jetty.modify(QueueState.RESET), null);
        synchronized (binding) {
            Thread poster = Thread.ofPlatform().daemon().start(post);
            Patience.await("a post in its middle", () -> poster.getState() == Thread.State.BLOCKED);
            ClosedQueuesTest.startAndWait(reset);
        }

        assertThat(post.get(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> reset.get(20, TimeUnit.SECONDS)).hasMessageContaining("cannot go from READY to RESET");
        assertThat(jetty.unbind(PATIENCE)).succeedsWithin(PATIENCE);
    }
}
