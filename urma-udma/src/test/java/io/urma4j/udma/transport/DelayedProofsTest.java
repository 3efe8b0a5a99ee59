package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Up to which PSN answers should have arrived, and since when. */
class DelayedProofsTest {
    private static final long AGE = 80;

    private final DelayedProofs proofs = new DelayedProofs();

    @Test
    void aProofCountsWhenItIsOfThatAge() {
        proofs.add(20, AGE, 0);
        assertThat(proofs.dueNanos(AGE)).isEqualTo(AGE);
        assertThat(proofs.take(AGE, AGE - 1)).isEqualTo(Long.MIN_VALUE);
        assertThat(proofs.take(AGE, AGE)).isEqualTo(20);
        assertThat(proofs.isEmpty()).isTrue();
        assertThat(proofs.dueNanos(AGE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aProofThatSaysNothingNewChangesNothing() {
        proofs.add(20, AGE, 0);
        proofs.add(20, AGE, 5);
        proofs.add(19, AGE, 6);
        assertThat(proofs.dueNanos(AGE)).isEqualTo(AGE);
        assertThat(proofs.take(AGE, AGE)).isEqualTo(20);
    }

    @Test
    void proofsThatFollowCloselyAreAsYoungAsTheLastOfThem() {
        proofs.add(20, AGE, 0);
        proofs.add(21, AGE, AGE / 8);
        proofs.add(22, AGE, AGE / 8 + 1);
        assertThat(proofs.dueNanos(AGE)).isEqualTo(AGE / 8 + AGE);
        assertThat(proofs.take(AGE, AGE / 8 + AGE)).isEqualTo(21);
        assertThat(proofs.take(AGE, AGE / 8 + 1 + AGE)).isEqualTo(22);
    }

    @Test
    void aSecondProofOfTheSameMomentMayNeedLessTime() {
        proofs.add(20, AGE, 0);
        proofs.add(21, AGE, 9);
        proofs.add(22, 8, 9);
        assertThat(proofs.take(8, 17)).isEqualTo(22);
    }

    @Test
    void anAnswerIsMissingSinceTheFirstProofBehindIt() {
        proofs.add(20, AGE, 0);
        proofs.add(25, AGE, 50);
        assertThat(proofs.sinceNanos(19)).isZero();
        assertThat(proofs.sinceNanos(20)).isEqualTo(50);
        assertThat(proofs.sinceNanos(25)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void answersThatHaveArrivedNeedNoProof() {
        proofs.add(20, AGE, 0);
        proofs.add(25, AGE, 50);
        proofs.over(19);
        assertThat(proofs.dueNanos(AGE)).isEqualTo(AGE);
        proofs.over(20);
        assertThat(proofs.dueNanos(AGE)).isEqualTo(50 + AGE);
    }

    /** The requester goes back: what is requested again has PSNs of before. */
    @Test
    void onceAllIsForgottenAnEarlierPsnIsAProofAgain() {
        proofs.add(20, AGE, 0);
        proofs.take(AGE, AGE);
        proofs.add(25, AGE, 100);
        proofs.clear();
        proofs.add(15, AGE, 200);
        assertThat(proofs.take(AGE, 200 + AGE)).isEqualTo(15);
    }
}
