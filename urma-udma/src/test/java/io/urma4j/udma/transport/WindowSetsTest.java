package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What is kept per PSN, up to a window: sets, refusals, early packets, rejected flows, proofs. */
class WindowSetsTest {
    private static final int WINDOW = ConnectionConfig.MAX_WINDOW_PACKETS;

    @Nested
    class OfPsns {
        private final PsnSet set = new PsnSet();

        @Test
        void eachPsnCountsOnce() {
            set.add(5);
            set.add(5);
            assertThat(set.count()).isEqualTo(1);
            assertThat(set.has(5)).isTrue();
            assertThat(set.has(4)).isFalse();
            set.remove(4);
            assertThat(set.count()).isEqualTo(1);
            set.remove(5);
            set.remove(5);
            assertThat(set.count()).isZero();
            assertThat(set.has(5)).isFalse();
        }

        @Test
        void aRangeIsClearedWithoutItsEnd() {
            for (long psn = 60; psn < 70; psn++) {
                set.add(psn);
            }
            set.clear(62, 68);
            assertThat(set.count()).isEqualTo(4);
            assertThat(set.has(61)).isTrue();
            assertThat(set.has(62)).isFalse();
            assertThat(set.has(67)).isFalse();
            assertThat(set.has(68)).isTrue();
            set.clear();
            assertThat(set.count()).isZero();
            assertThat(set.has(68)).isFalse();
        }

        @Test
        void aWindowLaterTheirPlacesAreUsedAnew() {
            set.add(WINDOW - 1);
            assertThat(set.has(WINDOW - 2)).isFalse();
            assertThat(set.has(2L * WINDOW - 1)).isTrue();
            assertThat(set.has(WINDOW)).isFalse();
        }
    }

    @Nested
    class OfRefusals {
        private final NakHistory history = new NakHistory();

        @Test
        void aRefusalIsFoundAtItsPsnAlone() {
            assertThat(history.isEmpty()).isTrue();
            history.set(10, 0x61);
            history.set(10, 0x62);
            assertThat(history.isEmpty()).isFalse();
            assertThat(history.get(9)).isZero();
            assertThat(history.get(10)).isEqualTo(0x62);
            assertThat(history.get(11)).isZero();
        }

        @Test
        void theNextRefusalLiesWithinTheRange() {
            assertThat(history.next(5, 20)).isEqualTo(20);
            history.set(10, 0xE1);
            assertThat(history.next(5, 20)).isEqualTo(10);
            assertThat(history.next(10, 20)).isEqualTo(10);
            assertThat(history.next(11, 20)).isEqualTo(20);
            assertThat(history.next(5, 10)).isEqualTo(10);
            assertThat(history.get(10)).isEqualTo(0xE1);
        }

        @Test
        void aRangeIsClearedWithoutItsEnd() {
            history.set(10, 1);
            history.set(11, 1);
            history.set(12, 1);
            history.clear(10, 12);
            assertThat(history.get(10)).isZero();
            assertThat(history.get(11)).isZero();
            assertThat(history.get(12)).isEqualTo(1);
            assertThat(history.isEmpty()).isFalse();
            history.clear(12, 12 + WINDOW);
            assertThat(history.isEmpty()).isTrue();
            assertThat(history.get(12)).isZero();
        }
    }

    @Nested
    class OfVerdicts {
        private final Verdicts verdicts = new Verdicts();

        private void refuses(int count) {
            for (int psn = 0; psn < count; psn++) {
                verdicts.refused(psn, Aeth.NAK_REMOTE_ACCESS);
            }
        }

        private List<Long> sends(int most) {
            List<Long> sent = new ArrayList<>();
            for (long psn = verdicts.next(WINDOW); psn != Verdicts.NONE && sent.size() < most; ) {
                verdicts.sent(psn);
                sent.add(psn);
                psn = verdicts.next(WINDOW);
            }
            return sent;
        }

        /** A hostile peer repeats one packet at the rate of its network. */
        @Test
        void aPacketThatComesAgainAndAgainCausesOneSearch() {
            refuses(WINDOW);
            assertThat(sends(WINDOW)).hasSize(WINDOW);

            long searched = 0;
            for (int i = 0; i < 1000; i++) {
                searched += verdicts.endOfSearch(0, WINDOW);
                assertThat(verdicts.cameAgain(0, WINDOW)).isTrue();
            }

            assertThat(searched).isEqualTo(WINDOW + 999);
            assertThat(sends(Integer.MAX_VALUE)).hasSize(WINDOW);
        }

        @Test
        void whatHasLeftMeanwhileIsDueOnceMore() {
            refuses(4);
            assertThat(sends(4)).containsExactly(0L, 1L, 2L, 3L);
            verdicts.cameAgain(0, WINDOW);
            assertThat(sends(2)).containsExactly(0L, 1L);

            assertThat(verdicts.endOfSearch(0, WINDOW)).isEqualTo(2);
            verdicts.cameAgain(0, WINDOW);

            assertThat(sends(Integer.MAX_VALUE)).containsExactly(0L, 1L, 2L, 3L);
            assertThat(verdicts.isNoneDue()).isTrue();
        }

        @Test
        void refusalsBetweenTwoPacketsThatComeAgainAreDueAsWell() {
            refuses(6);
            assertThat(sends(6)).hasSize(6);
            verdicts.cameAgain(4, WINDOW);
            verdicts.cameAgain(1, WINDOW);

            assertThat(sends(Integer.MAX_VALUE)).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Nested
    class OfEarlyPackets {
        private static final long EXPECTED = 100;

        private final OutOfOrder kept = new OutOfOrder(PathMtu.LARGEST_OF_ROCE);

        private Packet packet(int bytes, int value) {
            Packet packet = new Packet(NativeMemory.allocate(bytes));
            packet.lengthBytes(bytes);
            packet.bytes().segment().fill((byte) value);
            return packet;
        }

        private boolean keep(long psn) {
            return kept.keep(packet(40, (int) psn), psn, EXPECTED);
        }

        @Test
        void thePacketsWithinASlotOfTheExpectedOneAreKept() {
            keep(EXPECTED + OutOfOrder.SLOTS - 1);
            keep(EXPECTED + OutOfOrder.SLOTS);

            assertThat(kept.get(EXPECTED + OutOfOrder.SLOTS - 1)).isNotNull();
            assertThat(kept.get(EXPECTED + OutOfOrder.SLOTS)).isNull();
        }

        @Test
        void theFirstThreeAreReportedAndThenEveryThirtySecond() {
            for (int i = 1; i <= 3; i++) {
                assertThat(keep(EXPECTED + i)).as("packet %d", i).isTrue();
            }
            for (int i = 4; i < 35; i++) {
                assertThat(keep(EXPECTED + i)).as("packet %d", i).isFalse();
            }
            assertThat(keep(EXPECTED + 35)).isTrue();
        }

        @Test
        void aPlaceTakesALongerPacketAfterAShorterOne() {
            kept.keep(packet(40, 1), EXPECTED + 1, EXPECTED);
            kept.drop(EXPECTED + 1);
            assertThat(kept.isEmpty()).isTrue();
            long later = EXPECTED + 1 + OutOfOrder.SLOTS;
            kept.keep(packet(100, 2), later, later - 1);

            Packet found = kept.get(later);
            assertThat(found).isNotNull();
            assertThat(found.lengthBytes()).isEqualTo(100);
            assertThat(found.bytes().getByte(99)).isEqualTo((byte) 2);
        }

        @Test
        void aDroppedPacketIsGoneAndNoOther() {
            keep(EXPECTED + 1);
            keep(EXPECTED + 2);
            kept.drop(EXPECTED + 1);
            kept.drop(EXPECTED + 1);
            kept.drop(EXPECTED + 3);

            assertThat(kept.get(EXPECTED + 1)).isNull();
            assertThat(kept.get(EXPECTED + 2)).isNotNull();
            assertThat(kept.isEmpty()).isFalse();
        }

        @Test
        void aRangeIsRemovedWithoutItsEnd() {
            keep(EXPECTED + 1);
            keep(EXPECTED + 2);
            keep(EXPECTED + 4);
            kept.remove(EXPECTED, EXPECTED + 2);
            assertThat(kept.get(EXPECTED + 1)).isNull();
            assertThat(kept.get(EXPECTED + 2)).isNotNull();
            kept.remove(EXPECTED + 2, EXPECTED + 5);
            assertThat(kept.isEmpty()).isTrue();
            assertThat(kept.get(EXPECTED + 4)).isNull();
        }

        @Test
        void aLaterPacketInThePlaceOfARemovedOneStays() {
            long expected = 17;
            long last = expected + OutOfOrder.SLOTS - 1;
            kept.keep(packet(40, 1), last, expected);

            kept.remove(last - OutOfOrder.SLOTS, last);

            assertThat(kept.get(last)).isNotNull();
            assertThat(kept.isEmpty()).isFalse();
        }

        @Test
        void theReportHasABitForEachPacketBehindTheExpectedOne() {
            NativeMemory report = NativeMemory.allocate(OutOfOrder.TOLD_BYTES);
            assertThat(kept.tell(report, 0, EXPECTED)).isZero();
            keep(EXPECTED + 1);
            keep(EXPECTED + 8);
            assertThat(kept.tell(report, 0, EXPECTED)).isEqualTo(1);
            assertThat(report.getByte(0)).isEqualTo((byte) 0b1000_0001);
            keep(EXPECTED + 9);
            keep(EXPECTED + 3);
            assertThat(kept.tell(report, 0, EXPECTED)).isEqualTo(2);
            assertThat(report.getByte(0)).isEqualTo((byte) 0b1000_0101);
            assertThat(report.getByte(1)).isEqualTo((byte) 1);
            kept.clear();
            assertThat(kept.tell(report, 0, EXPECTED)).isZero();
        }
    }

    @Nested
    class OfRejectedFlows {
        private final HeldFlows flows = new HeldFlows();

        @Test
        void aFlowIsHeldForAWindowBehindItsLastRejectedPacket() {
            long flow = HeldFlows.flow(1, 2);
            assertThat(flows.holds(flow, 0)).isFalse();
            flows.hold(flow, 10);
            assertThat(flows.holds(HeldFlows.flow(2, 1), 11)).as("another one").isFalse();

            assertThat(flows.holds(flow, 10 + WINDOW - 1))
                    .as("the last packet of the window")
                    .isTrue();
            assertThat(flows.holds(flow, 10 + 2 * WINDOW - 2))
                    .as("counted from the last one")
                    .isTrue();
            assertThat(flows.holds(flow, 10 + 3L * WINDOW - 2))
                    .as("a whole window later")
                    .isFalse();
        }

        @Test
        void aFlowThatStartsAnewIsNotHeld() {
            long flow = HeldFlows.flow(1, 2);
            flows.release(flow);
            flows.hold(flow, 10);
            flows.release(flow);
            assertThat(flows.holds(flow, 11)).isFalse();
            flows.hold(flow, 12);
            assertThat(flows.holds(flow, 13)).isTrue();
        }

        @Test
        void asManyFlowsAreHeldAsAWindowHas() {
            for (int i = 0; i < WINDOW; i++) {
                flows.hold(HeldFlows.flow(i, 7), i);
            }
            for (int i = 1; i < WINDOW; i++) {
                assertThat(flows.holds(HeldFlows.flow(i, 7), WINDOW))
                        .as("flow %d", i)
                        .isTrue();
            }
            assertThat(flows.holds(HeldFlows.flow(WINDOW, 7), WINDOW)).isFalse();
        }

        @Test
        void whatHoldsOneFlowHoldsAndReleasesNoOther() {
            for (int i = 0; i < WINDOW; i += 2) {
                flows.hold(HeldFlows.flow(i << 16, 7), 0);
            }
            for (int i = 0; i < WINDOW; i += 4) {
                flows.release(HeldFlows.flow(i << 16, 7));
            }
            for (int i = 0; i < WINDOW; i++) {
                assertThat(flows.holds(HeldFlows.flow(i << 16, 7), 1))
                        .as("flow %d", i)
                        .isEqualTo(i % 4 == 2);
            }
        }

        /** The factor is that of Fibonacci hashing, whose multiples lie far apart. */
        @Test
        void flowsThatDifferInTheTopBitsOfTheirSourceBeginInManySlots() {
            HeldFlows table = new HeldFlows(0x9E37_79B9_7F4A_7C15L);
            int count = WINDOW / 2;
            for (int i = 0; i < count; i++) {
                table.hold(HeldFlows.flow(i << 13, 7), 0);
            }

            long slots = IntStream.range(0, count)
                    .map(i -> table.firstSlot(HeldFlows.flow(i << 13, 7)))
                    .distinct()
                    .count();

            assertThat(slots).isGreaterThan(count / 2);
        }

        @Test
        void eachTableHasAnOrderOfItsOwn() {
            HeldFlows other = new HeldFlows();
            assertThat(IntStream.range(0, 1000))
                    .anyMatch(i -> flows.firstSlot(HeldFlows.flow(i, i)) != other.firstSlot(HeldFlows.flow(i, i)));
        }

        @Test
        void flowsThatNoLongerMatterLeaveTheTable() {
            for (int i = 0; i < 100 * WINDOW; i += WINDOW) {
                flows.hold(HeldFlows.flow(i, 7), i);
            }
            assertThat(flows.size()).isLessThanOrEqualTo(8);
        }
    }

    @Nested
    class OfProofs {
        private static final long AGE = 80;

        private final DelayedProofs proofs = new DelayedProofs();

        @Test
        void aProofCountsOnceItHasItsAge() {
            proofs.add(10, AGE, 0);
            assertThat(proofs.dueNanos(AGE)).isEqualTo(AGE);
            assertThat(proofs.take(AGE, AGE - 1)).isEqualTo(Long.MIN_VALUE);
            assertThat(proofs.take(AGE, AGE)).isEqualTo(10);
            assertThat(proofs.isEmpty()).isTrue();
            assertThat(proofs.dueNanos(AGE)).isEqualTo(Long.MAX_VALUE);
        }

        @Test
        void anotherProofOfTheSameDoesNotMakeItYounger() {
            proofs.add(10, AGE, 0);
            proofs.add(10, AGE, 50);
            proofs.add(9, AGE, 60);

            assertThat(proofs.take(AGE, AGE)).isEqualTo(10);
        }

        @Test
        void aProofWithinAnEighthOfTheAgeMakesTheLastOneYounger() {
            proofs.add(10, AGE, 0);
            proofs.add(20, AGE, AGE / 8);
            assertThat(proofs.take(AGE, AGE)).isEqualTo(Long.MIN_VALUE);
            assertThat(proofs.take(AGE, AGE + AGE / 8)).isEqualTo(20);
        }

        @Test
        void aLaterProofIsOneByItself() {
            proofs.add(10, AGE, 0);
            proofs.add(20, AGE, AGE / 8 + 1);
            assertThat(proofs.take(AGE, AGE)).isEqualTo(10);
            assertThat(proofs.take(AGE, AGE + AGE / 8 + 1)).isEqualTo(20);
        }

        @Test
        void theYoungestOfSeveralOldProofsIsTaken() {
            proofs.add(10, AGE, 0);
            proofs.add(20, AGE, 20);
            assertThat(proofs.take(AGE, 1000)).isEqualTo(20);
        }

        @Test
        void sixteenProofsAreKeptApart() {
            for (int i = 1; i <= 17; i++) {
                proofs.add(10L * i, AGE, 100L * i);
            }
            assertThat(proofs.dueNanos(AGE)).as("the oldest is kept").isEqualTo(100 + AGE);
            assertThat(proofs.sinceNanos(155)).isEqualTo(1600);
            assertThat(proofs.sinceNanos(165)).as("the last two are one").isEqualTo(1600);
        }

        @Test
        void aResponseIsMissingSinceTheFirstProofBehindIt() {
            proofs.add(10, AGE, 0);
            proofs.add(20, AGE, 50);
            assertThat(proofs.sinceNanos(9)).isZero();
            assertThat(proofs.sinceNanos(10)).isEqualTo(50);
            assertThat(proofs.sinceNanos(20)).isEqualTo(Long.MAX_VALUE);
            proofs.over(9);
            assertThat(proofs.sinceNanos(5)).isZero();
            proofs.over(10);
            assertThat(proofs.sinceNanos(5)).isEqualTo(50);
            proofs.clear();
            assertThat(proofs.sinceNanos(5)).isEqualTo(Long.MAX_VALUE);
            assertThat(proofs.isEmpty()).isTrue();
        }
    }
}
