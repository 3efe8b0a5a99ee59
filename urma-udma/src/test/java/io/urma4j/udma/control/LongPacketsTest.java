package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The path MTU that two ends agree on: the greetings announce those above RoCE's as features. */
class LongPacketsTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    /** As version 0.1 announced them: inspection, measuring, and the secret. */
    private static final long FEATURES_OF_0_1 = 3 | PacketSecret.FEATURE;

    /** Of the ends of a connection in this test. */
    private static final int OF_ROCE = 1024;

    private static long features(int mtuBytes) {
        return FEATURES_OF_0_1 | LongPackets.features(mtuBytes);
    }

    private static Peer onlyPeerOf(Node node) {
        assertThat(node.plane().peers()).hasSize(1);
        return node.plane().peers().iterator().next();
    }

    private static void assertAgreed(long ofCaller, long ofHome, int mtuBytes) {
        var net = new VirtualNet(1, 0, 0);
        Node caller = net.nodeWithFeatures(1, 11, ofCaller);
        Node home = net.nodeWithFeatures(2, 22, ofHome);

        assertThat(net.runUntil(caller.connect(home)::isDone, MINUTE)).isTrue();

        assertThat(onlyPeerOf(caller).mtuBytes()).isEqualTo(mtuBytes);
        assertThat(onlyPeerOf(home).mtuBytes()).isEqualTo(mtuBytes);
    }

    @ParameterizedTest
    @CsvSource({
        "61440, 61440, 61440",
        "61440, 32768, 32768",
        "8192, 61440, 8192",
        "16384, 8192, 8192",
        "4096, 61440, 1024",
        "61440, 1024, 1024"
    })
    void theSmallerOfTwoIsTheOneOfBoth(int caller, int home, int agreed) {
        assertAgreed(features(caller), features(home), agreed);
    }

    /** One that announces none knows none, whichever of the two greets. */
    @Test
    void towardsAnEarlierVersionItIsOneOfRoce() {
        assertAgreed(features(61_440), FEATURES_OF_0_1, OF_ROCE);
        assertAgreed(FEATURES_OF_0_1, features(61_440), OF_ROCE);
        assertAgreed(FEATURES_OF_0_1, FEATURES_OF_0_1, OF_ROCE);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void fragmentsGoToAPeerOnlyIfBothEndsKnowThem(boolean caller, boolean home) {
        var net = new VirtualNet(1, 0, 0);
        Node one = net.nodeWithFeatures(1, 11, FEATURES_OF_0_1 | (caller ? LongPackets.FRAGMENTS : 0));
        Node other = net.nodeWithFeatures(2, 22, FEATURES_OF_0_1 | (home ? LongPackets.FRAGMENTS : 0));

        assertThat(net.runUntil(one.connect(other)::isDone, MINUTE)).isTrue();

        assertThat(onlyPeerOf(one).takesFragments()).isEqualTo(caller && home);
        assertThat(onlyPeerOf(other).takesFragments()).isEqualTo(caller && home);
    }

    /** A bit for each, so that a later version may know others. */
    @Test
    void aGreetingAnnouncesEachThatTheInterfaceCarries() {
        assertThat(LongPackets.features(1024)).isZero();
        assertThat(LongPackets.features(4096)).isZero();
        assertThat(LongPackets.features(8192)).isEqualTo(1L << 33);
        assertThat(LongPackets.features(16_384)).isEqualTo(0b11L << 33);
        assertThat(LongPackets.features(32_768)).isEqualTo(0b111L << 33);
        assertThat(LongPackets.features(61_440)).isEqualTo(0b1111L << 33);
        assertThat(LongPackets.agreed(-1, 1024)).isEqualTo(61_440);
        assertThat(LongPackets.agreed(1L << 38, 1024)).as("of a later version").isEqualTo(1024);
    }

    /** Its greeting may say no more than an earlier version reads: 4096 bytes at most. */
    @Test
    void theEndOfAConnectionInAGreetingHasAPathMtuOfRoce() throws Exception {
        var net = new VirtualNet(1, 0, 0);
        Node caller = net.nodeWithFeatures(1, 11, features(61_440));
        Node home = net.nodeWithFeatures(2, 22, features(61_440));

        assertThat(net.runUntil(caller.connect(home)::isDone, MINUTE)).isTrue();

        assertThat(onlyPeerOf(caller).own().mtuBytes()).isLessThanOrEqualTo(4096);
        assertThat(onlyPeerOf(caller).theirs().mtuBytes()).isLessThanOrEqualTo(4096);
    }
}
