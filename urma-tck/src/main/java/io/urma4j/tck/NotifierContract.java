package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.Jetty;
import io.urma4j.JfcConfig;
import io.urma4j.Notification;
import io.urma4j.Notifier;
import io.urma4j.QueueState;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** SEMANTICS §5.9: asynchronous calls whose results are queued. */
public abstract class NotifierContract extends Contract {
    protected NotifierContract(String device) {
        super(device);
    }

    private static Notification next(Notifier notifier) throws InterruptedException {
        return notifier.await(Patience.LIMIT).orElseThrow(() -> new AssertionError("no notification"));
    }

    private static <T extends Notification> T next(Notifier notifier, Class<T> kind) throws InterruptedException {
        var next = next(notifier);
        assertThat(next).isInstanceOf(kind);
        return kind.cast(next);
    }

    private static Jetty rcJetty(UrmaContext context) {
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        return context.createJetty(jfc, context.createJfr(jfc, Pair.RC_RECEIVE), Pair.RC_SEND);
    }

    /** S5.9: a segment, a Jetty, a bind and an unbind, each reported once with its user context. */
    @Rule("S5.9")
    @Test
    void resultsAreReportedOnceWithTheirUserContext() throws Exception {
        var context = pair.initiator().context();
        var notifier = context.createNotifier();
        var segment = pair.home().segment(4096, Access.READ_WRITE).shared();
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE).shared();

        notifier.importSegment(segment.descriptor(), segment.token(), Access.READ_WRITE, 11);
        var imported = next(notifier, Notification.SegmentImported.class);
        notifier.importJetty(there.descriptor(), there.token(), Long.MIN_VALUE);
        var target = next(notifier, Notification.JettyImported.class);
        var jetty = rcJetty(context);
        notifier.bind(jetty, target.target(), 13);
        var bound = next(notifier, Notification.Bound.class);
        assertThat(jetty.boundTarget()).contains(target.target());
        notifier.unbind(jetty, 14);
        var unbound = next(notifier, Notification.Unbound.class);

        assertThat(imported.userContext()).isEqualTo(11);
        var queue = pair.initiator().queue();
        assertThat(queue.write(imported.segment(), 0, queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(target.userContext()).isEqualTo(Long.MIN_VALUE);
        assertThat(bound).isEqualTo(new Notification.Bound(13, jetty));
        assertThat(unbound).isEqualTo(new Notification.Unbound(14, jetty));
        assertThat(jetty.boundTarget()).isEmpty();
        assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        assertThat(notifier.pending()).isZero();
        assertThat(notifier.await(Duration.ZERO)).isEmpty();
    }

    /** S5.9: the future of an unbind completes once the Jetty can be bound again. */
    @Rule({"S5.9", "S6.3"})
    @Test
    void jettyIsBoundAnewAfterItsUnbindHasEnded() {
        var context = pair.initiator().context();
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE).shared();
        var target = context.importJetty(there);
        var jetty = rcJetty(context);
        for (int round = 0; round < 3; round++) {
            assertThat(jetty.bindAsync(target)).succeedsWithin(Patience.LIMIT);
            assertThat(jetty.state()).isEqualTo(QueueState.READY);

            assertThat(jetty.unbindAsync()).succeedsWithin(Patience.LIMIT);

            assertThat(jetty.boundTarget()).isEmpty();
            assertThat(jetty.state()).isEqualTo(QueueState.RESET);
        }
        target.close();
    }

    /** S5.9: a failure is a notification, too, and leaves nothing behind. */
    @Rule({"S5.9", "S2.2"})
    @Test
    void failureIsReportedOnce() throws Exception {
        var notifier = pair.initiator().context().createNotifier();
        var segment = pair.home().segment(4096, Access.READ);
        var shared = segment.shared();

        notifier.importSegment(shared.descriptor(), Token.of(~shared.token().value()), Access.READ, 5);

        var failed = next(notifier, Notification.Failed.class);
        assertThat(failed.userContext()).isEqualTo(5);
        assertThat(failed.reason().status()).isEqualTo(UrmaStatus.ENOPERM);
        assertThat(notifier.await(Patience.WATCH)).isEmpty();
        assertThat(segment.importers()).isEmpty();
    }

    /** S5.9: an immediate refusal throws, and makes no notification. */
    @Rule("S5.9")
    @Test
    void refusalAtOnceMakesNoNotification() throws Exception {
        var notifier = pair.initiator().context().createNotifier();
        SegmentDescriptor descriptor = pair.home().segment(4096, Access.READ).descriptor();

        assertRefused(UrmaStatus.EINVAL, () -> notifier.importSegment(descriptor, null, Access.READ, 1));
        assertRefused(UrmaStatus.ENOPERM, () -> notifier.importSegment(descriptor, Token.of(1), Access.READ_WRITE, 2));
        var unbound = rcJetty(pair.initiator().context());
        assertRefused(UrmaStatus.EINVAL, () -> notifier.unbind(unbound, 3)).hasMessageContaining("not bound");

        assertThat(notifier.pending()).isZero();
        assertThat(notifier.await(Duration.ZERO)).isEmpty();
    }

    /** S5.9: of many calls at once each is reported exactly once. */
    @Rule("S5.9")
    @Test
    void eachOfManyCallsIsReportedOnce() throws Exception {
        int calls = 200;
        var notifier = pair.initiator().context().createNotifier();
        SharedSegment shared = pair.home().segment(4096, Access.READ).shared();
        for (int i = 0; i < calls; i++) {
            notifier.importSegment(shared.descriptor(), shared.token(), Access.READ, i);
        }
        List<Long> reported = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            reported.add(next(notifier, Notification.SegmentImported.class).userContext());
        }

        assertThat(reported)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, calls).boxed().toList());
        assertThat(notifier.await(Duration.ZERO)).isEmpty();
    }

    /** S5.9, S5.6: a call to a home that does not answer is reported after its timeout. */
    @Rule({"S5.9", "S5.6", "S12.6"})
    @Test
    void callThatIsNotAnsweredIsReportedAtItsTimeout() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        SharedSegment shared = pair.home().segment(4096, Access.READ).shared();
        try (var context =
                pair.device().openContext(0, ContextOptions.DEFAULT.withImportTimeout(Duration.ofMillis(300)))) {
            var notifier = context.createNotifier();
            processOfHome().stop();
            try {
                notifier.importSegment(shared.descriptor(), shared.token(), Access.READ, 3);
                assertThat(notifier.await(Duration.ZERO)).isEmpty();

                assertThat(next(notifier, Notification.Failed.class).reason().status())
                        .isEqualTo(UrmaStatus.ETIMEOUT);
            } finally {
                processOfHome().proceed();
            }
        }
    }

    /** S5.9, S4.1: imports left in a closed notifier are released. */
    @Rule({"S5.9", "S4.1"})
    @Test
    void untakenImportsAreGivenBackWithTheNotifier() {
        var segment = pair.home().segment(4096, Access.READ);
        var shared = segment.shared();
        for (boolean arrived : new boolean[] {true, false}) {
            var notifier = pair.initiator().context().createNotifier();
            notifier.importSegment(shared.descriptor(), shared.token(), Access.READ, 1);
            if (arrived) {
                Patience.await("the import", () -> notifier.pending() == 0);
            }

            notifier.close();

            Patience.await(
                    "the import to go",
                    () -> notifier.pending() == 0 && segment.importers().isEmpty());
            assertRefused(UrmaStatus.EINVAL, () -> notifier.await(Duration.ZERO))
                    .hasMessageContaining("closed");
            assertRefused(
                            UrmaStatus.EINVAL,
                            () -> notifier.importSegment(shared.descriptor(), shared.token(), Access.READ, 1))
                    .hasMessageContaining("closed");
        }
    }

    /** S5.9, S4.2: a wait ends with a failure when the notifier is closed. */
    @Rule({"S5.9", "S4.2", "S12.6"})
    @Test
    void waitEndsWhenTheNotifierIsClosed() throws Exception {
        var notifier = pair.initiator().context().createNotifier();
        var refusal = new AtomicReference<@Nullable UrmaException>();
        var waiter = Thread.ofVirtual().start(() -> {
            try {
                notifier.await(Duration.ofSeconds(-1));
            } catch (UrmaException e) {
                refusal.set(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        notifier.close();

        assertThat(waiter.join(Patience.LIMIT)).isTrue();
        assertThat(refusal.get()).isNotNull().hasMessageContaining("closed");
    }
}
