package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.tck.Patience;
import io.urma4j.udma.engine.EventLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** S4.2: calls that found the queue open, and reach the card after its close. The next queue has the same handle there. */
class ClosedQueuesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private LoneContext lone;
    private ProviderJfc jfc;

    @BeforeEach
    void open() {
        lone = new LoneContext(folder, "127.0.74.4", 16);
        jfc = lone.context.createJfc(JfcConfig.DEFAULT, () -> {});
    }

    @AfterEach
    void close() {
        lone.close();
    }

    private UdmaSendQueue sendQueue() {
        return (UdmaSendQueue) lone.context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
    }

    private UdmaReceiveQueue receiveQueue() {
        return (UdmaReceiveQueue)
                lone.context.createReceiveQueue(JfrConfig.builder().build(), jfc);
    }

    private static void assertSaysClosed(ThrowingCallable call) {
        assertThatThrownBy(call)
                .hasMessageContaining("is closed")
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
    }

    static Stream<Named<Consumer<ProviderSendQueue>>> callsOfSendQueues() {
        return Stream.of(
                Named.of("modify", queue -> queue.modify(QueueState.ERROR)),
                Named.of("flush", queue -> queue.flush(new long[CompletionRecord.WORDS], 1)),
                Named.of("quiesce", queue -> queue.quiesce(PATIENCE)),
                Named.of("isDraining", ProviderSendQueue::isDraining),
                Named.of("counters", ProviderSendQueue::counters));
    }

    static Stream<Named<Consumer<ProviderReceiveQueue>>> callsOfReceiveQueues() {
        return Stream.of(
                Named.of("modify", queue -> queue.modify(ReceiveState.RESET)),
                Named.of("rxThreshold", queue -> queue.rxThreshold(1)),
                Named.of("counters", ProviderReceiveQueue::counters));
    }

    @ParameterizedTest
    @MethodSource("callsOfSendQueues")
    void callOnAClosedSendQueueDoesNotReachTheNext(Consumer<ProviderSendQueue> call) {
        UdmaSendQueue closed = sendQueue();
        closed.close();
        UdmaSendQueue next = sendQueue();
        assertThat(next.handle()).isEqualTo(closed.handle());

        assertSaysClosed(() -> call.accept(closed));
        assertThat(next.state()).isEqualTo(QueueState.READY);
    }

    @ParameterizedTest
    @MethodSource("callsOfReceiveQueues")
    void callOnAClosedReceiveQueueDoesNotReachTheNext(Consumer<ProviderReceiveQueue> call) {
        UdmaReceiveQueue closed = receiveQueue();
        closed.close();
        UdmaReceiveQueue next = receiveQueue();
        assertThat(next.handle()).isEqualTo(closed.handle());

        assertSaysClosed(() -> call.accept(closed));
        assertThat(closed.state()).isEqualTo(ReceiveState.ERROR);
        assertThat(lone.events).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("callsOfSendQueues")
    void callThatWaitsForTheCardWhileItsSendQueueClosesIsRefused(Consumer<ProviderSendQueue> call) throws Exception {
        UdmaSendQueue queue = sendQueue();

        assertRefused(() -> call.accept(queue), queue::close);
    }

    @ParameterizedTest
    @MethodSource("callsOfReceiveQueues")
    void callThatWaitsForTheCardWhileItsReceiveQueueClosesIsRefused(Consumer<ProviderReceiveQueue> call)
            throws Exception {
        UdmaReceiveQueue queue = receiveQueue();

        assertRefused(() -> call.accept(queue), queue::close);
    }

    /** The unbind has the lock of the posts, so the close waits for it, and no other queue has the handle meanwhile. */
    @Test
    void unbindThatWaitsForTheCardWhileItsJettyClosesComesFirst() throws Exception {
        JfrConfig receives = JfrConfig.builder().mode(TransportMode.RC).build();
        ProviderSendQueue jetty = lone.context.createSendQueue(
                JfsConfig.builder().mode(TransportMode.RC).build(),
                jfc,
                lone.context.createReceiveQueue(receives, jfc),
                jfc);

        Runnable unbind = () -> {
            var _ = jetty.unbind(PATIENCE);
        };
        race(unbind, jetty::close).get(20, TimeUnit.SECONDS);
    }

    /** The call begins before the close, and both wait for the card's lock: whichever gets it first. */
    private FutureTask<Void> race(Runnable call, Runnable close) throws Exception {
        EventLoop eventLoop = lone.adapter.eventLoop();
        FutureTask<Void> called = new FutureTask<>(call, null);
        FutureTask<Void> closed = new FutureTask<>(close, null);
        eventLoop.enter();
        try {
            startAndWait(called);
            startAndWait(closed);
        } finally {
            eventLoop.leave();
        }
        closed.get(20, TimeUnit.SECONDS);
        return called;
    }

    private void assertRefused(Runnable call, Runnable close) throws Exception {
        FutureTask<Void> called = race(call, close);

        assertThatThrownBy(() -> called.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("is closed");
    }

    /** Starts a task that needs the card, whose lock the caller holds. */
    static void startAndWait(FutureTask<Void> task) {
        Thread thread = Thread.ofPlatform().daemon().start(task);
        Patience.await(
                "a thread that waits for the card's lock", () -> LockSupport.getBlocker(thread) instanceof SpinLock);
    }
}
