package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.PeerId;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Numbers of peers that windows wait for (S14.32). */
class PeerNumbersTest {
    private static final PeerId PEER = new PeerId(Eid.ofIpv4(1), 7, 1);

    private final AtomicInteger last = new AtomicInteger();
    private final PeerNumbers numbers = new PeerNumbers(last::incrementAndGet);

    @Test
    void aPeerGetsTheNumberOfItsWindows() {
        int number = numbers.retain(PEER);

        assertThat(numbers.connect(PEER)).isEqualTo(number);
        assertThat(numbers.retain(PEER)).isEqualTo(number);
    }

    @Test
    void aPeerOfAnotherIncarnationGetsAnotherNumber() {
        int number = numbers.retain(PEER);

        assertThat(numbers.connect(new PeerId(PEER.eid(), 7, 2))).isNotEqualTo(number);
        assertThat(numbers.connect(new PeerId(PEER.eid(), 8, 1))).isNotEqualTo(number);
        assertThat(numbers.connect(new PeerId(Eid.ofIpv4(2), 7, 1))).isNotEqualTo(number);
    }

    @Test
    void anIdentityIsTakenUntilItsPeerIsGone() {
        assertThat(numbers.isFree(PEER)).isTrue();
        numbers.connect(PEER);
        assertThat(numbers.isFree(PEER)).isFalse();
        numbers.disconnect(PEER);
        assertThat(numbers.isFree(PEER)).isTrue();
    }

    /** A number that was given up may be on keys that are still being revoked. */
    @Test
    void aNumberThatWasGivenUpDoesNotComeAgain() {
        int first = numbers.retain(PEER);
        numbers.retain(PEER);
        numbers.release(PEER);
        assertThat(numbers.retain(PEER)).isEqualTo(first);
        numbers.release(PEER);
        numbers.release(PEER);

        assertThat(numbers.connect(PEER)).isNotEqualTo(first);
    }
}
