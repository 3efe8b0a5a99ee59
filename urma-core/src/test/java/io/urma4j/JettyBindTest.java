package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.FakeContext.FakeSendQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** S5.7, S6.3: what binds and what does not. */
class JettyBindTest {
    private final FakeHome home = new FakeHome();
    private final Jetty jetty = home.jetty(TransportMode.RC);
    private final Jetty peer = home.jetty(TransportMode.RC);

    @AfterEach
    void close() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    private TargetJetty target(Jetty of) {
        return home.context.importJetty(SharedJetty.parse(of.share()));
    }

    @Test
    void boundOnceAndUnboundOnce() {
        TargetJetty target = target(peer);
        jetty.bind(target);
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
        assertThat(jetty.boundTarget()).contains(target);
        assertRefused(UrmaStatus.EAGAIN, target::close).withMessageContaining("still used by " + jetty);
        assertRefused(UrmaStatus.ENOPERM, jetty::close).withMessageContaining("unbind first");
        jetty.unbind();
        assertThat(jetty.boundTarget()).isEmpty();
        assertInvalid(jetty::unbind).withMessageContaining("is not bound");
        target.close();
        jetty.close();
    }

    @Test
    void theSamePairAgainIsFineAnotherIsNot() {
        jetty.bind(target(peer));
        jetty.bind(target(peer)); // another import of the same Jetty
        TargetJetty third = target(home.jetty(TransportMode.RC));
        assertRefused(UrmaStatus.EEXIST, () -> jetty.bind(third)).withMessageContaining("is bound to");
    }

    @Test
    void onlyRcJettiesOfOneOrderTypeBind() {
        TargetJetty rm = target(home.jetty(TransportMode.RM));
        assertRefused(UrmaStatus.ENOPERM, () -> jetty.bind(rm)).withMessageContaining("these are RC and RM");
        Jfc jfc = home.jfc();
        Jfr jfr = home.context.createJfr(
                jfc,
                JfrConfig.builder()
                        .mode(TransportMode.RC)
                        .orderType(OrderType.NO)
                        .build());
        Jetty unordered = home.context.createJetty(
                jfc,
                jfr,
                JfsConfig.builder()
                        .mode(TransportMode.RC)
                        .orderType(OrderType.NO)
                        .build());
        TargetJetty target = target(unordered);
        assertRefused(UrmaStatus.ENOPERM, () -> jetty.bind(target)).withMessageContaining("order type OL differs");
    }

    @Test
    void aRefusedBindingLeavesNothingBehind() {
        TargetJetty target = target(peer);
        FakeSendQueue.of(jetty.jfs()).binding =
                CompletableFuture.failedFuture(new UrmaException(UrmaStatus.EINVAL, "peer", "is bound elsewhere"));
        assertInvalid(() -> jetty.bind(target)).withMessageContaining("is bound elsewhere");
        assertThat(jetty.boundTarget()).isEmpty();
        target.close();
    }

    @Test
    void aTargetOfAnotherContextLeavesNothingBehind() {
        try (FakeHome other = new FakeHome()) {
            TargetJetty theirs = other.context.importJetty(SharedJetty.parse(peer.share()));
            assertInvalid(() -> jetty.bind(theirs)).withMessageContaining("belongs to");
            assertThat(jetty.boundTarget()).isEmpty();
            theirs.close();
        }
    }

    @Test
    void aCancelledBindIsStillABinding() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        FakeSendQueue.of(jetty.jfs()).binding = answer;
        TargetJetty target = target(peer);
        jetty.bindAsync(target).cancel(false);
        CompletableFuture<Void> again = jetty.bindAsync(target);
        assertThat(again).isNotDone();
        answer.complete(null);
        assertThat(again).succeedsWithin(Duration.ofSeconds(10));
        assertThat(jetty.boundTarget()).contains(target);
    }

    @Test
    void fromErrorToResetUnbinds() {
        jetty.bind(target(peer));
        assertInvalid(() -> jetty.modify(QueueState.RESET)).withMessageContaining("from READY to RESET");
        jetty.modify(QueueState.ERROR);
        jetty.modify(QueueState.RESET);
        assertThat(jetty.boundTarget()).isEmpty();
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
    }

    @Test
    void aContextClosesWithBoundJetties() {
        jetty.bind(target(peer));
        home.context.close();
        assertThat(home.fake.open).isEmpty();
    }

    /** S5.7: else the device would stay bound, and the Jetty not. */
    @Test
    void anUnbindDoesNotOvertakeABind() {
        TargetJetty target = target(peer);
        Runnable early = () -> assertRefused(UrmaStatus.EAGAIN, jetty::unbind).withMessageContaining("begins to bind");
        FakeSendQueue.of(jetty.jfs()).onBind = early;
        jetty.bind(target);
        assertThat(jetty.boundTarget()).contains(target);
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
        jetty.unbind();
        assertThat(jetty.boundTarget()).isEmpty();
        target.close();
    }

    /** S5.7: another thread waits for the bind that the provider refuses or fails. */
    @ParameterizedTest
    @MethodSource
    void anotherBindEndsWithTheOneItWaitsFor(Throwable failure) {
        TargetJetty target = target(peer);
        AtomicReference<CompletableFuture<Void>> another = new AtomicReference<>();
        FakeSendQueue.of(jetty.jfs()).onBind = () -> {
            another.set(jetty.bindAsync(target));
            FakeContext.fail(failure);
        };
        assertThatThrownBy(() -> jetty.bind(target)).isSameAs(failure);
        assertThat(another.get())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCause(failure);
    }

    static Stream<Throwable> anotherBindEndsWithTheOneItWaitsFor() {
        return Stream.of(new IllegalStateException("planned"), new AssertionError("planned"));
    }

    /** S5.7: its bind has begun, so an unbind ends it. */
    @Test
    void aJettyWhoseBindEndedInAnErrorIsUnbound() {
        FakeSendQueue.of(jetty.jfs()).onBind = () -> {
            throw new AssertionError("planned");
        };
        TargetJetty target = target(peer);
        assertThatThrownBy(() -> jetty.bind(target)).hasMessage("planned");
        jetty.unbind();
        assertThat(jetty.boundTarget()).isEmpty();
        target.close();
    }

    /** S4.1: a close does not wait for a bind that begins. */
    @Test
    void aContextClosesWhileABindBegins() {
        TargetJetty target = target(peer);
        FakeSendQueue.of(jetty.jfs()).onBind = home.context::close;
        jetty.bind(target);
        assertThat(home.fake.open).isEmpty();
    }

    /** S4.2: the Jetty is closed after the call has found it open. */
    @Test
    void aBindThatRacesWithACloseHoldsNoTarget() {
        TargetJetty target = target(peer);
        FakeSendQueue.of(jetty.jfs()).jfc.onCheck = jetty::close;
        assertInvalid(() -> jetty.bind(target)).withMessageContaining("is closed");
        assertThat(jetty.boundTarget()).isEmpty();
        target.close();
    }
}
