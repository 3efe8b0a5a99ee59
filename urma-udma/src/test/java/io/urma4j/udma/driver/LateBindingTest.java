package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.JettyDescriptor;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Token;
import io.urma4j.TransportMode;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.engine.EventLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The peer answers a request to bind after the Jetty that asked was unbound, or closed. */
class LateBindingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Token TOKEN = Token.of(7);

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

    private static ProviderSendQueue jetty(LoneContext at) {
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
}
