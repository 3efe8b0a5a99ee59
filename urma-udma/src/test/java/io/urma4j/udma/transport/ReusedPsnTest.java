package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Bth;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A requester keeps the times of its packets in as many places as the largest window has PSNs; a later one takes each. */
class ReusedPsnTest {
    private static final long RTT = 1000;
    private static final long FIRST = 10;
    private static final long END = 15;

    /** The packet that takes the place of the first one. */
    private static final long ANEW = FIRST + ConnectionConfig.MAX_WINDOW_PACKETS;

    private final CongestionControl congestion = new CongestionControl(128, CongestionControl.INITIAL_WINDOW_PACKETS);
    private final Scoreboard board = new Scoreboard(FIRST, congestion);

    @BeforeEach
    void fiveAreSent() {
        congestion.acknowledged(1, 0, RTT, RTT);
        for (long psn = FIRST; psn < END; psn++) {
            board.sent(psn, psn + 1, psn - FIRST);
        }
    }

    private static NativeMemory bits(int bits) {
        NativeMemory made = NativeMemory.allocate(1);
        made.setByte(0, bits);
        return made;
    }

    private void allIsAcknowledged(long end) {
        board.taken(end, Bth.NO_TRANSMISSION, RTT);
        board.over(end);
        board.sample();
    }

    @Test
    void theOldestOfTheLargestWindowHasItsTime() {
        for (long psn = END; psn < ANEW; psn++) {
            board.sent(psn, psn + 1, psn - FIRST);
        }
        board.taken(FIRST + 1, Bth.FIRST_TRANSMISSION, 10 * RTT);
        assertThat(board.sample()).isEqualTo(10 * RTT);
    }

    @Test
    void theAnswersOfAReadHaveNoTime() {
        allIsAcknowledged(ANEW);
        board.sent(ANEW, ANEW + 3, RTT);
        board.taken(ANEW + 3, Bth.FIRST_TRANSMISSION, 9 * RTT);
        assertThat(board.sample()).isEqualTo(CongestionControl.NO_SAMPLE);
    }

    @Test
    void aNumberThatIsUsedAnewIsWaitedForAnew() {
        board.told(FIRST, END, bits(0b11), 0, 1, RTT);
        board.find(END, RTT, RTT); // since then the first one is missing
        allIsAcknowledged(ANEW);
        for (long psn = ANEW; psn < ANEW + 3; psn++) {
            board.sent(psn, psn + 1, 5 * RTT);
        }
        board.told(ANEW, ANEW + 3, bits(0b11), 0, 1, 6 * RTT);

        assertThat(board.find(ANEW + 3, RTT, 6 * RTT)).isFalse();
        assertThat(board.dueNanos()).isEqualTo(6 * RTT + RTT / 4);
    }

    @Test
    void whatWasNeverSentIsNotLost() {
        allIsAcknowledged(ANEW - 2);
        board.sent(ANEW - 2, ANEW - 1, 5 * RTT);
        board.sent(ANEW - 1, ANEW, 5 * RTT);
        board.told(ANEW - 2, ANEW, bits(1), 0, 1, 6 * RTT);
        board.find(ANEW, RTT, 6 * RTT);
        assertThat(board.find(ANEW, RTT, 6 * RTT + RTT / 4)).isTrue();
        assertThat(board.skips(ANEW - 2)).isFalse();
        assertThat(board.skips(ANEW)).isTrue();
    }
}
