package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionStatus;
import io.urma4j.QueueState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of a send queue, with a provider that starts whatever it may and waits for the test to answer. */
class SendOrderTest {
    private static final int DEPTH = 8;
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final List<String> records = new ArrayList<>();
    private final List<Long> started = new ArrayList<>();
    private final Home home = new Home();
    private Runnable whenBegun = () -> {};
    private final Target near = new Target(home);
    private final Target far = new Target(home);
    private SendOrder<Work, Home> order = order(new SendRules(true, false, false, NO_LIMIT));

    private static final class Home extends SendPeer {}

    private static final class Target extends SendFlow {
        boolean failed;

        Target(SendPeer peer) {
            super(peer);
        }
    }

    private static final class Work extends SendEntry<Target, Home> {
        boolean awaitsEvent;

        @Override
        protected boolean awaitsEvent() {
            return awaitsEvent;
        }

        @Override
        protected boolean isInFlight() {
            return stage == Stage.STARTED;
        }

        @Override
        protected boolean hasBegun(boolean isYoungerInFlight) {
            return stage == Stage.STARTED;
        }

        @Override
        protected boolean isHalfSent() {
            return false;
        }

        @Override
        protected boolean mayEndEarly() {
            return true;
        }

        @Override
        protected boolean isSilent() {
            return false;
        }

        @Override
        protected void release() {
            flow = null;
        }
    }

    private final class Provider implements SendActions<Work, Home> {
        @Override
        public Work newEntry() {
            return new Work();
        }

        @Override
        public boolean begin(long position, Work entry, long nowNanos) {
            order.window().started(entry, nowNanos);
            started.add(position);
            whenBegun.run();
            return true;
        }

        @Override
        public void entering(QueueState next) {}

        @Override
        public void queueFailed(int cause) {
            records.add("failed by " + CompletionStatus.of(cause));
        }

        @Override
        public void abandonAll() {}

        @Override
        public void pause(Home silent) {}

        @Override
        public void blame(Work failed, int status) {
            if (failed.flow != null) {
                failed.flow.failed = true;
            }
        }

        @Override
        public boolean isToFailed(Work entry) {
            return entry.flow != null && entry.flow.failed;
        }

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public boolean record(long position, Work entry) {
            return records.add(position + " " + CompletionStatus.of(entry.status));
        }

        @Override
        public boolean mark(int status, long position) {
            return records.add("marker " + CompletionStatus.of(status) + " behind " + position);
        }

        @Override
        public long posted() {
            return order.window().end();
        }
    }

    private SendOrder<Work, Home> order(SendRules rules) {
        return new SendOrder<>(new Provider(), rules, DEPTH, QueueState.READY);
    }

    private void post(WorkKind kind, Target to) {
        post(kind, to, false);
    }

    private void post(WorkKind kind, Target to, boolean followsEvent) {
        long position = order.window().end();
        Work entry = order.window().entry(position);
        entry.kind = kind;
        entry.followsEvent = followsEvent;
        entry.awaitsEvent = followsEvent;
        entry.resetFlow();
        entry.flow = kind == WorkKind.MESSAGE ? to : null;
        entry.peer = kind == WorkKind.NOP ? null : home;
        order.add(position, entry);
        order.step(0);
    }

    private void send(Target to) {
        post(WorkKind.MESSAGE, to);
    }

    private void answer(long position, CompletionStatus status) {
        order.finish(order.window().at(position), status.value());
        order.step(0);
    }

    private List<String> flush(int max) {
        List<String> out = new ArrayList<>();
        order.flush(max, (index, position, entry, status) -> out.add(position + " " + CompletionStatus.of(status)));
        return out;
    }

    @Test
    void recordsComeInTheOrderOfPostingThoughFlowsPassEachOther() {
        send(near);
        send(far);

        answer(1, CompletionStatus.SUCCESS);
        assertThat(records).isEmpty();
        answer(0, CompletionStatus.SUCCESS);

        assertThat(records).containsExactly("0 SUCCESS", "1 SUCCESS");
    }

    @Test
    void writeFollowsMessagesToItsHomeAndLaterMessagesFollowIt() {
        send(near);
        post(WorkKind.WRITE, near);
        send(far);
        assertThat(started).containsExactly(0L);

        answer(0, CompletionStatus.SUCCESS);

        assertThat(started).containsExactly(0L, 1L, 2L);
    }

    @Test
    void flowWhoseReceiverIsNotReadyHoldsUpNoOther() {
        send(near);
        near.notReady();
        near.retryAtNanos = 1;
        order.repeat(0, order.window().at(0));
        send(near);
        send(far);
        assertThat(started).containsExactly(0L, 2L);

        order.step(1);

        assertThat(started).as("one message at a time, until it is taken").containsExactly(0L, 2L, 0L);
    }

    @Test
    void nopCompletesLast() {
        send(near);
        post(WorkKind.NOP, near);
        assertThat(records).isEmpty();

        answer(0, CompletionStatus.SUCCESS);

        assertThat(records).containsExactly("0 SUCCESS", "1 SUCCESS");
    }

    /** The time before it was the kernel's: no peer owed an answer. */
    @Test
    void timeoutBeginsWhenAnEndedEventIsSeen() {
        post(WorkKind.WRITE, near, true);
        send(near);
        post(WorkKind.WRITE, near, true);
        var window = order.window();

        window.at(0).awaitsEvent = false;
        assertThat(window.isBehindEvent(0)).as("until a step has seen the end").isTrue();
        assertThat(window.isBehindEvent(1)).isTrue();
        order.step(1_000);

        assertThat(started).containsExactly(0L, 1L);
        assertThat(window.isBehindEvent(2)).isTrue();
        assertThat(window.at(0).sinceNanos).isEqualTo(1_000);
        assertThat(window.at(1).sinceNanos).isEqualTo(1_000);
        assertThat(window.at(2).sinceNanos).isZero();
    }

    @Test
    void failureFlushesWhatHasBegunAndLeavesTheRestToFlush() {
        send(near);
        send(far);
        post(WorkKind.WRITE, near);

        answer(0, CompletionStatus.REM_OPERATION_ERR);

        assertThat(records)
                .containsExactly(
                        "failed by REM_OPERATION_ERR",
                        "0 REM_OPERATION_ERR",
                        "1 WR_FLUSH_ERR",
                        "marker WR_FLUSH_ERR_DONE behind 2");
        assertThat(flush(DEPTH)).containsExactly("2 WR_UNHANDLED");
        assertThat(order.window().isEmpty()).isTrue();
    }

    @Test
    void failureOfATargetEndsWhatIsForItAlone() {
        order = order(new SendRules(true, false, true, NO_LIMIT));
        send(near);
        send(far);
        send(near);

        answer(0, CompletionStatus.REM_OPERATION_ERR);
        send(near);
        answer(1, CompletionStatus.SUCCESS);

        assertThat(records).containsExactly("0 REM_OPERATION_ERR", "1 SUCCESS", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR");
        assertThat(order.life().state()).isEqualTo(QueueState.READY);
    }

    /** S6.12: the copy of a message's bytes goes on while an older message to the same target fails. */
    @Test
    void failureOfATargetEndsTheMessageWhoseCopyWasInProgress() {
        order = order(new SendRules(true, false, true, NO_LIMIT));
        send(near);
        post(WorkKind.MESSAGE, near, true); // so that it is not started
        Work copying = order.window().at(1);
        copying.awaitsEvent = false;
        order.copying(copying);

        answer(0, CompletionStatus.REM_OPERATION_ERR);
        order.copied(1, copying);
        order.step(0);

        assertThat(records).containsExactly("0 REM_OPERATION_ERR", "1 WR_FLUSH_ERR");
        assertThat(order.window().isEmpty()).isTrue();
    }

    @Test
    void suspensionWaitsForWhatIsInFlightAndHoldsTheRest() {
        order = order(new SendRules(true, true, false, NO_LIMIT));
        send(near);
        send(far);

        answer(0, CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        send(far);
        assertThat(records).containsExactly("0 RNR_RETRY_CNT_EXC_ERR");
        answer(1, CompletionStatus.SUCCESS);

        assertThat(records).containsExactly("0 RNR_RETRY_CNT_EXC_ERR", "1 SUCCESS", "marker WR_SUSPEND_DONE behind 1");
        assertThat(order.life().heldFrom()).isEqualTo(2);
        assertThat(started).containsExactly(0L, 1L);

        order.resume(0);
        order.life().enter(QueueState.READY);
        order.step(0);
        assertThat(started).containsExactly(0L, 1L, 2L);
    }

    @Test
    void markerOfASuspensionFollowsAFailureWhoseConsequencesAreStillToCome() {
        order = order(new SendRules(true, true, false, NO_LIMIT));
        send(near);
        send(near);
        order.window().failLater(order.window().at(0), CompletionStatus.ACK_TIMEOUT_ERR.value());
        order.failures().peerLost(home);

        order.report();
        assertThat(records).isEmpty();
        order.step(0);

        assertThat(records)
                .containsExactly("0 ACK_TIMEOUT_ERR", "1 ACK_TIMEOUT_ERR", "marker WR_SUSPEND_DONE behind 1");
    }

    @Test
    void whatTakesAFlushedPlaceIsStartedUnderItsOwnPosition() {
        order.life().suspend();
        for (int i = 0; i < DEPTH; i++) {
            send(near);
        }
        assertThat(flush(1)).containsExactly("0 WR_UNHANDLED");
        send(near);

        order.resume(0);
        order.life().enter(QueueState.READY);
        order.step(0);

        assertThat(started).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    @Test
    void whatWaitsAgainWhileAYoungerOneBeginsIsNotPassedOver() {
        send(near);
        whenBegun = () -> {
            whenBegun = () -> {};
            order.repeat(0, order.window().at(0));
        };
        send(far);

        order.step(0);

        assertThat(started).containsExactly(0L, 1L, 0L);
    }
}
