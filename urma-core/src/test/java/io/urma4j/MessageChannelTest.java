package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.FakeContext.FakeSendQueue;
import io.urma4j.MessageChannel.Options;
import io.urma4j.MessageChannel.Peer;
import io.urma4j.internal.Await;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checks of {@link MessageChannel}, and its way out of failures. What it moves is tested on real providers. */
class MessageChannelTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final MemorySegment PAYLOAD = MemorySegment.ofArray(new byte[100]);

    private final FakeHome home = new FakeHome();
    private final MessageChannel channel = home.context.openMessageChannel();
    private final Peer peer = channel.connect(home.jetty(TransportMode.RM).share());

    @AfterEach
    void everythingIsClosedInTheEnd() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    @Test
    void optionsAreCheckedAgainstTheDevice() {
        assertInvalidOptions(Options.builder().maxMessageBytes(0), "maxMessageBytes is 0, must lie in 1…1048576");
        assertInvalidOptions(Options.builder().maxMessageBytes(1 << 21), "maxMessageBytes is 2097152");
        assertInvalidOptions(Options.builder().receiveBuffers(257), "receiveBuffers is 257, must lie in 1…256");
        assertInvalidOptions(Options.builder().sendBuffers(0), "sendBuffers is 0");
        assertInvalidOptions(Options.builder().sendTimeout(Duration.ZERO), "sendTimeout is PT0S");
    }

    /** Of the peer that was connected last. */
    private FakeSendQueue sendQueue() {
        return home.fake.sendQueues.getLast();
    }

    private void assertInvalidOptions(Options.Builder options, String message) {
        assertInvalid(() -> home.context.openMessageChannel(options.build())).withMessageContaining(message);
    }

    @Test
    void aLongMessageIsRefusedNamingTheLimit() {
        assertInvalid(() -> peer.send(new byte[8193]))
                .withMessageContaining("8193 bytes is longer than the channel's maxMessageBytes of 8192");
        peer.send(new byte[8192]);
        peer.send(new byte[0], 7);
        assertThat(peer.counters().get("sent")).isEqualTo(2);
    }

    /** S4.2: as when a channel closes while a reply releases the same peer. */
    @Test
    void aSecondCloseOfAPeerWaitsForTheFirst() {
        List<CompletableFuture<Void>> second = new ArrayList<>();
        sendQueue().onClose = () -> {
            second.add(CompletableFuture.runAsync(peer::close));
            assertThat(Await.endsWithin(100_000_000, second.getFirst())).isFalse();
        };

        peer.close();

        assertThat(second.getFirst()).succeedsWithin(SOON);
    }

    @Test
    void onlyALineOfAJettyConnects() {
        String line = home.segment().share();
        assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> channel.connect(line));
        assertThat(SharedJetty.parse(channel.share()).descriptor().id()).isEqualTo(channel.id());
    }

    @Test
    void nothingReceivedIsEmptyInTime() {
        assertThat(channel.receive(Duration.ZERO)).isEmpty();
        assertThat(channel.receive(Duration.ofMillis(5))).isEmpty();
        assertInvalid(() -> channel.receive(Duration.ofNanos(-1))).withMessageContaining("must not be negative");
    }

    @Test
    void onlyWhatWasStartedSharesAFailure() {
        FakeSendQueue queue = sendQueue();
        home.fake.results.addAll(List.of(CompletionStatus.REM_OPERATION_ERR, CompletionStatus.WR_FLUSH_ERR));
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        queue.hold(true);
        for (int i = 0; i < 5; i++) {
            sends.add(peer.sendAsync(PAYLOAD, OptionalLong.empty()));
        }
        queue.hold(false);
        assertFails(sends.get(0), CompletionStatus.REM_OPERATION_ERR);
        assertFails(sends.get(1), CompletionStatus.WR_FLUSH_ERR);
        for (CompletableFuture<Void> again : sends.subList(2, 5)) {
            assertThat(again).succeedsWithin(SOON);
        }
        peer.send(new byte[1]);
        assertThat(peer.counters().asMap()).containsEntry("sent", 4L).containsEntry("failed", 2L);
    }

    /** The send takes the record of the failure before it waits, and no other follows. */
    @Test
    void aSendThatTakesTheFailureOfAPostedMessageWaitsForNoFurtherRecord() {
        home.fake.results.add(CompletionStatus.REM_OPERATION_ERR);
        peer.post(PAYLOAD, OptionalLong.empty());

        assertThat(peer.sendAsync(PAYLOAD, OptionalLong.empty())).succeedsWithin(SOON);
    }

    @Test
    void countersDoNotWaitForAThreadThatReceives() throws InterruptedException {
        Thread receiving = Thread.ofPlatform().start(() -> {
            try {
                channel.receive(Duration.ofMinutes(1));
            } catch (UrmaException e) {
                // it is closed in the end
            }
        });
        while (receiving.getState() != Thread.State.WAITING && receiving.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        assertThat(CompletableFuture.supplyAsync(channel::counters)).succeedsWithin(SOON);

        channel.close();
        receiving.join();
    }

    private static void assertFails(CompletableFuture<Void> send, CompletionStatus status) {
        assertThat(send).failsWithin(SOON);
        assertThat(send.exceptionNow())
                .isInstanceOfSatisfying(
                        OperationFailedException.class,
                        failure -> assertThat(failure.completionStatus()).isEqualTo(status));
    }

    @Test
    void buffersAreTakenOnceAndComeBack() {
        FakeSendQueue queue = sendQueue();
        queue.hold(true);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        Optional<CompletableFuture<Void>> sent = peer.trySend(PAYLOAD, OptionalLong.of(1));
        while (sent.isPresent()) {
            sends.add(sent.get());
            sent = peer.trySend(PAYLOAD, OptionalLong.of(1));
        }
        assertThat(sends).hasSize(Options.DEFAULT.sendBuffers());
        queue.hold(false);
        assertThat(CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)))
                .succeedsWithin(SOON);
        assertThat(peer.counters().get("under_way")).isZero();
    }

    @Test
    void aMessageThatNobodyTakesTimesOutAndItsBufferComesBack() {
        Options options = Options.builder()
                .sendBuffers(1)
                .sendTimeout(Duration.ofMillis(20))
                .build();
        MessageChannel hasty = home.context.openMessageChannel(options);
        Peer receiver = hasty.connect(channel.share());
        FakeSendQueue queue = sendQueue();
        queue.hold(true);
        assertRefused(UrmaStatus.ETIMEOUT, () -> receiver.send(new byte[1]))
                .withMessageContaining("not received within PT0.02S; it may still be delivered");
        assertRefused(UrmaStatus.ETIMEOUT, () -> receiver.send(new byte[1]))
                .withMessageContaining("all 1 send buffers have been in flight");
        queue.hold(false);
        receiver.send(new byte[1]);
    }

    @Test
    void anInterruptEndsAWaitAndStaysSet() {
        sendQueue().hold(true);
        Thread.currentThread().interrupt();
        assertRefused(UrmaStatus.EAGAIN, () -> channel.receive(Duration.ofMinutes(1)));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertRefused(UrmaStatus.EAGAIN, () -> peer.send(new byte[1]));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whoWaitsSeesTheChannelClosed() {
        sendQueue().hold(true);
        CompletableFuture<?> receive = async(() -> channel.receive(Duration.ofMinutes(1)));
        CompletableFuture<?> second = async(() -> channel.receive(Duration.ofMinutes(1)));
        CompletableFuture<?> send = peer.sendAsync(PAYLOAD, OptionalLong.empty());
        CompletableFuture<?> another = peer.sendAsync(PAYLOAD, OptionalLong.empty());
        channel.close();
        for (CompletableFuture<?> waiter : List.of(receive, second, send, another)) {
            assertThat(waiter).failsWithin(SOON);
            assertThat(waiter.exceptionNow()).hasMessageMatching("(message channel|peer) .*: is closed \\(EINVAL\\)");
        }
        assertInvalid(() -> peer.send(new byte[1])).withMessageContaining("is closed");
        assertInvalid(channel::share).withMessageContaining("is closed");
        channel.close();
    }

    private static CompletableFuture<?> async(Runnable call) {
        return CompletableFuture.runAsync(call, task -> Thread.ofVirtual().start(task));
    }
}
