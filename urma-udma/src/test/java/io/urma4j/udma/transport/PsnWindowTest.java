package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PsnWindowTest {
    private static final long FIRST = 5;

    private final PsnWindow psns = new PsnWindow(FIRST);

    private void sendAndGiveUp(boolean peerIsOurs) {
        psns.sentTo(FIRST + 3);
        psns.acknowledge(FIRST + 1);
        psns.restart(peerIsOurs);
    }

    @Test
    void restartUsesNoPsnTwiceTowardsAnUrma4jPeer() {
        sendAndGiveUp(true);

        assertThat(psns.resyncPsn()).isEqualTo(FIRST + 3);
        assertThat(psns.unacked()).isEqualTo(FIRST + 3);
    }

    @Test
    void restartTakesTheSamePsnsTowardsOthers() {
        sendAndGiveUp(false);

        assertThat(psns.isResyncing()).isFalse();
        assertThat(psns.end()).isEqualTo(FIRST + 1);
        assertThat(psns.next()).isEqualTo(FIRST + 1);
    }

    @Test
    void resyncThatIsNotAcknowledgedKeepsItsPsn() {
        sendAndGiveUp(true);
        psns.resyncSent();
        psns.restart(true);

        assertThat(psns.resyncPsn()).isEqualTo(FIRST + 3);
        assertThat(psns.isResyncSent()).isFalse();
    }

    @Test
    void restartNeedsNoResyncWhereNothingWasAbandoned() {
        psns.sentTo(FIRST + 1);
        psns.acknowledge(FIRST + 1);
        psns.restart(true);

        assertThat(psns.isResyncing()).isFalse();
    }

    @Test
    void resyncThatWasNotSentKeepsItsPsn() {
        sendAndGiveUp(true);
        psns.restart(true);

        assertThat(psns.resyncPsn()).isEqualTo(FIRST + 3);
        assertThat(psns.unacked()).isEqualTo(FIRST + 3);
    }

    @Test
    void resyncIsNotAcknowledgedByWhatIsBeforeIt() {
        sendAndGiveUp(true);
        psns.resyncSent();

        psns.acknowledgeResync(FIRST + 3);
        assertThat(psns.isResyncing()).isTrue();
        psns.acknowledgeResync(FIRST + 4);
        assertThat(psns.isResyncing()).isFalse();
    }

    /** A timeout rewinds, the port has no room, and then the acknowledgement of the first RESYNC arrives. */
    @Test
    void lateAcknowledgementOfARewoundResyncLeavesNothingToRetransmit() {
        sendAndGiveUp(true);
        psns.resyncSent();
        psns.rewind();

        psns.acknowledgeResync(FIRST + 4);

        assertThat(psns.isNextNew()).isTrue();
        assertThat(psns.inFlight()).isZero();
        assertThat(psns.isResyncing()).isFalse();
    }
}
