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
import io.urma4j.ReceiveState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderSendQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S4.2: calls that found the object open, and reach the provider after its close. */
class ClosedQueuesTest {
    @TempDir
    private Path runtime;

    private final List<AsyncEvent> events = new CopyOnWriteArrayList<>();
    private ShmContext context;
    private ProviderJfc jfc;

    @BeforeEach
    void open() {
        context = new ShmContext(
                UrmaOptions.DEFAULT.withRuntimeDirectory(runtime),
                Eid.ofIpv4(0x7F00_0001),
                ContextOptions.DEFAULT,
                events::add);
        jfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
    }

    @AfterEach
    void close() throws Exception {
        context.close(Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
    }

    private static void assertAllSayClosed(ThrowingCallable... calls) {
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .hasMessageContaining("is closed")
                    .isInstanceOfSatisfying(
                            UrmaException.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        }
    }

    @Test
    void aClosedSendQueueNeitherMovesNorMakesARecord() {
        var queue = context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
        long[] words = new long[CompletionRecord.WORDS];
        queue.close();

        assertAllSayClosed(
                () -> queue.modify(QueueState.ERROR),
                () -> queue.flush(words, 1),
                () -> queue.quiesce(Duration.ofSeconds(1)),
                queue::counters);
        assertThat(jfc.poll(words, 1)).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void aClosedReceiveQueueNeitherMovesNorRaisesAnEvent() {
        var queue = context.createReceiveQueue(JfrConfig.builder().build(), jfc);
        queue.close();

        assertAllSayClosed(() -> queue.modify(ReceiveState.RESET), () -> queue.rxThreshold(1), queue::counters);
        assertThat(queue.state()).isEqualTo(ReceiveState.ERROR);
        assertThat(events).isEmpty();
    }

    @Test
    void aClosedJfcHasNoCountersAndIsNotArmed() {
        jfc.close();

        assertAllSayClosed(jfc::counters, () -> jfc.rearm(false));
    }

    /** S5.7: a bind that found the Jetty open binds nothing. */
    @Test
    void aClosedJettyIsNotBound() throws Exception {
        var there = jetty();
        var target = context.importQueue(there.descriptor(), null, Duration.ofSeconds(20))
                .get(20, TimeUnit.SECONDS);
        var queue = jetty();
        queue.close();

        assertAllSayClosed(() -> queue.bind(target, Duration.ofSeconds(20)));

        var next = jetty();
        next.bind(target, Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
        assertThat(next.state()).isEqualTo(QueueState.READY);
        next.unbind(Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
    }

    /** S6.2: READY that was legal in SUSPENDED, and comes after the unbind. */
    @Test
    void anUnboundJettyIsReadyByBindAlone() {
        var queue = jetty();

        assertThatThrownBy(() -> queue.modify(QueueState.READY))
                .hasMessageContaining("from RESET to READY")
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        assertThat(queue.state()).isEqualTo(QueueState.RESET);
    }

    private ProviderSendQueue jetty() {
        JfrConfig receives = JfrConfig.builder()
                .mode(TransportMode.RC)
                .policy(TokenPolicy.NONE)
                .build();
        JfsConfig sends = JfsConfig.builder().mode(TransportMode.RC).build();
        return context.createSendQueue(sends, jfc, context.createReceiveQueue(receives, jfc), null);
    }
}
