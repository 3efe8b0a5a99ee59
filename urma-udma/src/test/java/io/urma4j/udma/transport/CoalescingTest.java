package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Small requests wait to be coalesced while the driving thread returns and others are in flight; never for long. */
class CoalescingTest {
    private final Pair pair = new Pair(Kind.RELIABLE_CONNECTED);
    private final Pair.End left = pair.left;
    private final Outbox out = left.outbox();

    @BeforeEach
    void openTheWindowAndRecordWhatLeaves() {
        write(256);
        pair.run();
        left.records = true;
        pair.filter = (to, packet) -> false; // nothing is answered
    }

    private int sentAfter(FlushHint hint) {
        int before = left.sent.size();
        out.run(left.connection, pair.now);
        left.connection.step(pair.now, hint);
        return left.sent.size() - before;
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            out.write(8, 0);
        }
    }

    private void haveUnderWay(int packets) {
        write(packets);
        assertThat(sentAfter(FlushHint.FLUSH)).isEqualTo(packets);
    }

    @Test
    void nothingWaitsWithLittleUnderWay() {
        haveUnderWay(RequestWindow.COALESCING_PACKETS - 1);
        write(1);

        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isEqualTo(1);
        assertThat(left.connection.hasLeft()).isFalse();
    }

    @Test
    void aShortTrainWaitsUntilItsTimeIsOver() {
        haveUnderWay(RequestWindow.COALESCING_PACKETS);
        write(1);

        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isZero();
        assertThat(left.connection.hasLeft()).isTrue();
        pair.now += RequestWindow.MAX_COALESCING_NANOS - 1;
        write(1);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isZero();
        pair.now++;
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS))
                .as("the time of the oldest counts")
                .isEqualTo(2);
        assertThat(left.connection.hasLeft()).isFalse();
    }

    @Test
    void aLongTrainLeaves() {
        haveUnderWay(16);
        write(RequestWindow.TRAIN_MESSAGES - 1);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isZero();

        write(1);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isPositive();
    }

    @Test
    void nothingWaitsForACallerWhoMayNotComeBack() {
        haveUnderWay(RequestWindow.COALESCING_PACKETS);
        write(1);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isZero();

        assertThat(sentAfter(FlushHint.FLUSH)).isEqualTo(1);
    }

    @Test
    void whatIsLongDoesNotWait() {
        haveUnderWay(RequestWindow.COALESCING_PACKETS);
        out.write(RequestWindow.MAX_COALESCED_BYTES, 0);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isZero();
        assertThat(sentAfter(FlushHint.FLUSH)).isEqualTo(1);

        out.write(RequestWindow.MAX_COALESCED_BYTES + 1, 0);
        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isEqualTo(1);
    }

    @Test
    void whatIsSentAgainDoesNotWait() {
        haveUnderWay(RequestWindow.COALESCING_PACKETS);
        left.sent.clear();
        pair.now = left.connection.deadlineNanos();

        assertThat(sentAfter(FlushHint.HOLD_SHORT_REQUESTS)).isPositive();
    }
}
