package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Small requests wait for company, while whoever turns the crank comes back and others are under way; never for long. */
class GatheringTest {
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

    private int sentAfter(Leave leave) {
        int before = left.sent.size();
        out.run(left.connection, pair.now);
        left.connection.step(pair.now, leave);
        return left.sent.size() - before;
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            out.write(8, 0);
        }
    }

    private void haveUnderWay(int packets) {
        write(packets);
        assertThat(sentAfter(Leave.NOTHING)).isEqualTo(packets);
    }

    @Test
    void nothingWaitsWithLittleUnderWay() {
        haveUnderWay(Gathering.LEAST_IN_FLIGHT - 1);
        write(1);

        assertThat(sentAfter(Leave.TRAINS)).isEqualTo(1);
        assertThat(left.connection.hasLeft()).isFalse();
    }

    @Test
    void aShortTrainWaitsUntilItsTimeIsOver() {
        haveUnderWay(Gathering.LEAST_IN_FLIGHT);
        write(1);

        assertThat(sentAfter(Leave.TRAINS)).isZero();
        assertThat(left.connection.hasLeft()).isTrue();
        pair.now += Gathering.MAX_NANOS - 1;
        write(1);
        assertThat(sentAfter(Leave.TRAINS)).isZero();
        pair.now++;
        assertThat(sentAfter(Leave.TRAINS)).as("the time of the oldest counts").isEqualTo(2);
        assertThat(left.connection.hasLeft()).isFalse();
    }

    @Test
    void aLongTrainLeaves() {
        haveUnderWay(16);
        write(Gathering.TRAIN_MESSAGES - 1);
        assertThat(sentAfter(Leave.TRAINS)).isZero();

        write(1);
        assertThat(sentAfter(Leave.TRAINS)).isPositive();
    }

    @Test
    void nothingWaitsForACallerWhoMayNotComeBack() {
        haveUnderWay(Gathering.LEAST_IN_FLIGHT);
        write(1);
        assertThat(sentAfter(Leave.TRAINS)).isZero();

        assertThat(sentAfter(Leave.NOTHING)).isEqualTo(1);
    }

    @Test
    void whatIsLongDoesNotWait() {
        haveUnderWay(Gathering.LEAST_IN_FLIGHT);
        out.write(Gathering.MAX_BYTES + 1, 0);

        assertThat(sentAfter(Leave.TRAINS)).isEqualTo(1);
    }

    @Test
    void whatIsSentAgainDoesNotWait() {
        haveUnderWay(Gathering.LEAST_IN_FLIGHT);
        left.sent.clear();
        pair.now = left.connection.deadlineNanos();

        assertThat(sentAfter(Leave.TRAINS)).isPositive();
    }
}
