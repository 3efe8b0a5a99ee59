package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.transport.Bottleneck.Link;
import io.urma4j.udma.transport.Bottleneck.Outcome;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CongestionControlTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;

    private static final int SEEDS = Boolean.getBoolean("urma.full") ? 10 : 1;

    private record Case(String name, Link link, long nanos) {}

    // packets of 4 KiB: 34 µs at 1 Gbit/s; of 1 KiB: 870 µs at 10 Mbit/s
    private static final Case LAN =
            new Case("1 Gbit/s, 0.2 ms", new Link(34 * US, 200, 200 * US, 0, 20 * US, 0, S), 20 * S);
    private static final Case SHALLOW =
            new Case("1 Gbit/s, 1 ms, short queue", new Link(34 * US, 32, MS, 0, 50 * US, 0, S), 20 * S);
    private static final Case WAN =
            new Case("10 Mbit/s, 50 ms", new Link(870 * US, 100, 50 * MS, 0, 2 * MS, 0, 10 * S), 240 * S);
    private static final Case FAST =
            new Case("10 Gbit/s, 0.1 ms", new Link(3_400, 2000, 100 * US, 0, 10 * US, 0, S / 4), 10 * S);

    /** A queue of so long is marked. */
    private static final long MARKED_NANOS = 700 * US;

    private final CongestionControl control = new CongestionControl(256, CongestionControl.INITIAL_WINDOW_PACKETS);

    // ---- many flows on one link

    @TestFactory
    Stream<DynamicTest> flowsShareOneLinkFairlyAndUseIt() {
        return Stream.of(LAN, SHALLOW, WAN, FAST)
                .flatMap(one -> Stream.of(2, 4, 8, 16)
                        .map(flows -> DynamicTest.dynamicTest(
                                one.name + ", " + flows + " flows", () -> assertFair(one, flows))));
    }

    private static void assertFair(Case one, int flows) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Outcome outcome = new Bottleneck(one.link, flows, seed).run(one.nanos);
            String figures = String.format(
                    "%s, %d flows, seed %d: Jain %.4f, used %.3f, queue full %.3f of the time, mean %.2f of it, %d dropped",
                    one.name,
                    flows,
                    seed,
                    outcome.jain(),
                    outcome.used(),
                    outcome.queueFullShare(),
                    outcome.meanQueueShare(),
                    outcome.dropped());
            System.out.println("CongestionControlTest: " + figures);
            String all = figures + " " + outcome.delivered();
            assertThat(outcome.jain()).as(all).isGreaterThanOrEqualTo(0.98);
            assertThat(outcome.used()).as(all).isGreaterThanOrEqualTo(0.9);
            assertThat(outcome.queueFullShare()).as(all).isLessThan(0.1);
        }
    }

    /** What marks keep short is a queue that delay alone lets grow to two milliseconds. */
    @TestFactory
    Stream<DynamicTest> aLinkThatMarksKeepsAShortQueue() {
        return Stream.of(LAN, FAST)
                .flatMap(one -> Stream.of(2, 4, 8, 16)
                        .map(flows -> DynamicTest.dynamicTest(
                                one.name + ", " + flows + " flows", () -> assertShort(one, flows))));
    }

    private static void assertShort(Case one, int flows) {
        int from = (int) (MARKED_NANOS / one.link.packetNanos());
        Outcome plain = new Bottleneck(one.link, flows, 1).run(one.nanos);
        Outcome marked = new Bottleneck(one.link.marking(from), flows, 1).run(one.nanos);
        double mean = marked.meanQueueShare() * one.link.queuePackets();
        String figures = String.format(
                "%s, %d flows: Jain %.4f, used %.3f, queue %.1f packets, marked from %d on; without marks %.1f",
                one.name,
                flows,
                marked.jain(),
                marked.used(),
                mean,
                from,
                plain.meanQueueShare() * one.link.queuePackets());
        System.out.println("CongestionControlTest: marks: " + figures);
        assertThat(marked.jain()).as(figures).isGreaterThanOrEqualTo(0.98);
        assertThat(marked.used()).as(figures).isGreaterThanOrEqualTo(0.9);
        assertThat(mean).as(figures).isLessThan(from);
        assertThat(marked.dropped()).as(figures).isZero();
    }

    @Test
    void oneLostInAHundredDoesNotSlowAFlow() {
        Link lossy = new Link(34 * US, 200, 200 * US, 0, 20 * US, 0.01, 0);

        Outcome outcome = new Bottleneck(lossy, 1, 1).run(4 * S);

        assertThat(outcome.used()).as(outcome.toString()).isGreaterThan(0.85);
    }

    // ---- one flow

    @Test
    void aFilledWindowDoublesInEachRoundAtFirst() {
        assertThat(control.windowPackets()).isEqualTo(16);

        round(0, 1 * MS);

        assertThat(control.windowPackets()).isBetween(30, 32);
    }

    @Test
    void aWindowThatIsNotFilledDoesNotGrow() {
        for (int i = 0; i < 100; i++) {
            control.acknowledged(1, 1, MS, i * MS);
        }

        assertThat(control.windowPackets()).isEqualTo(16);
    }

    @Test
    void theWindowNeverExceedsItsLimit() {
        for (int i = 0; i < 100; i++) {
            round(i * MS, MS);
        }

        assertThat(control.windowPackets()).isEqualTo(256);
    }

    @Test
    void oneLateRoundIsForgiven() {
        long now = grow();
        int before = control.windowPackets();

        round(now, 10 * MS);

        assertThat(control.windowPackets()).isBetween(before, before + 16);
    }

    @Test
    void lateRoundsMakeTheWindowSmaller() {
        long now = grow();
        int before = control.windowPackets();

        for (int i = 0; i < 3; i++) {
            round(now + 10L * i * MS, 10 * MS);
        }

        assertThat(control.windowPackets()).isLessThan(before / 2);
    }

    @Test
    void aNoticeMakesTheWindowSmaller() {
        long now = grow();
        int before = control.windowPackets();

        control.noticed(now);
        round(now, MS);

        assertThat(control.windowPackets()).isBetween(before / 2, before * 9 / 10);
    }

    @Test
    void theFirstNoticeOfAllCountsToo() {
        control.noticed(0);
        round(0, MS);

        assertThat(control.windowPackets()).isLessThan(32);
    }

    @Test
    void aTimeoutLeavesOnePacketAndTheWayBackIsHalfAsFar() {
        long now = grow();
        int before = control.windowPackets();

        control.timedOut(now);
        assertThat(control.windowPackets()).isEqualTo(1);
        for (int i = 0; i < 8; i++) {
            round(now + i * MS, MS);
        }

        assertThat(control.windowPackets()).isBetween(before / 2, before / 2 + 8);
    }

    @Test
    void whateverHappensOnePacketIsAllowed() {
        long now = grow();
        for (int i = 0; i < 200; i++) {
            control.lost(10, now);
            control.noticed(now);
            control.timedOut(now);
            control.acknowledged(1, 1, 500 * MS, now);
            now += 500 * MS;
            assertThat(control.windowPackets()).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void afterAPauseTheFlowBeginsSmallAgain() {
        long now = grow();
        int before = control.windowPackets();

        control.sends(0, now + S);
        assertThat(control.windowPackets()).isEqualTo(16);
        for (int i = 0; i < 6; i++) {
            round(now + S + i * MS, MS);
        }

        assertThat(control.windowPackets()).isGreaterThanOrEqualTo(before);
    }

    private long grow() {
        for (int i = 0; i < 4; i++) {
            round(i * MS, MS);
        }
        return 4 * MS;
    }

    /** A window full of packets is answered, each after that time. */
    private void round(long nowNanos, long rttNanos) {
        int packets = control.windowPackets();
        for (int i = 0; i < packets; i++) {
            control.acknowledged(1, packets - i, rttNanos, nowNanos + rttNanos);
        }
    }
}
