package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.AsyncEvent;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The peer answers a request to bind after the Jetty that asked was unbound, or bound anew. */
@Timeout(60)
class LateBindingTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private Path runtime;

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private ShmContext home;
    private ShmContext context;
    private ProviderTarget target;
    private ProviderSendQueue jetty;

    @BeforeEach
    void open() throws Exception {
        home = open(new SlowEvents());
        context = open(_ -> {});
        ProviderSendQueue there = jettyOf(home);
        target = get(context.importQueue(there.descriptor(), null, LONG));
        jetty = jettyOf(context);
        var _ = context.measure(true, OptionalLong.empty(), LONG);
        assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @AfterEach
    void close() throws Exception {
        goesOn.countDown();
        jetty.close();
        get(context.close(LONG));
        get(home.close(LONG));
    }

    /** Holds the engine of the home. */
    private final class SlowEvents implements ContextEvents {
        @Override
        public void raise(AsyncEvent event) {}

        @Override
        public void measure(boolean on) {
            held.countDown();
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private ShmContext open(ContextEvents events) {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(runtime);
        return new ShmContext(options, Eid.ofIpv4(0x7F00_0001), ContextOptions.DEFAULT, events);
    }

    private static ProviderSendQueue jettyOf(ShmContext context) {
        var jfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
        JfrConfig receives = JfrConfig.builder()
                .mode(TransportMode.RC)
                .policy(TokenPolicy.NONE)
                .build();
        JfsConfig sends = JfsConfig.builder().mode(TransportMode.RC).build();
        return context.createSendQueue(sends, jfc, context.createReceiveQueue(receives, jfc), null);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    /** S6.2: it would be READY, without a peer. */
    @Test
    void theAnswerToABindingThatWasEndedLeavesTheJettyInReset() throws Exception {
        var bound = jetty.bind(target, LONG);
        var unbound = jetty.unbind(LONG);
        assertThat(bound).isNotDone();

        goesOn.countDown();

        assertThatThrownBy(() -> get(bound)).hasMessageContaining("was unbound");
        get(unbound);
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        get(jetty.bind(target, LONG));
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
        get(jetty.unbind(LONG));
    }

    /** S5.8: or it would have no peer, and take no message. */
    @Test
    void theFailureOfAnEarlierBindingLeavesTheLaterOne() throws Exception {
        var first = jetty.bind(target, Duration.ofMillis(50));
        var unbound = jetty.unbind(LONG);
        var second = jetty.bind(target, LONG);
        assertThatThrownBy(() -> get(first)).hasMessageContaining("cannot be bound");

        goesOn.countDown();

        get(unbound);
        get(second);
        assertThat(((ShmSendQueue) jetty).binding().target()).isSameAs(target);
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
        get(jetty.unbind(LONG));
    }

    /** S5.7: else no other Jetty could ever be bound there. */
    @Test
    void aBindingThatTimedOutLeavesTheTargetFree() throws Exception {
        var late = jetty.bind(target, Duration.ofMillis(50));
        assertThatThrownBy(() -> get(late)).hasMessageContaining("cannot be bound");

        goesOn.countDown();

        ProviderSendQueue other = jettyOf(context);
        get(other.bind(target, LONG));
        assertThat(other.state()).isEqualTo(QueueState.READY);
        get(other.unbind(LONG));
        other.close();
    }

    /** S4.2, S5.7: the same if the Jetty was closed meanwhile, whose bind was accepted just before. */
    @Test
    void aJettyThatIsClosedWhileItIsBoundLeavesTheTargetFree() throws Exception {
        var bound = jetty.bind(target, LONG);
        jetty.close();

        goesOn.countDown();

        assertThatThrownBy(() -> get(bound)).hasMessageContaining("closed");
        ProviderSendQueue other = jettyOf(context);
        get(other.bind(target, LONG));
        get(other.unbind(LONG));
        other.close();
    }
}
