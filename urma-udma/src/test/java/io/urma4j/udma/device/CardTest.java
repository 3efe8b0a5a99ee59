package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.QueueState;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.NoticeStats;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class CardTest {
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final long SECOND = 1_000_000_000L;

    private final Hosts hosts = new Hosts();
    private final Host here = hosts.here;
    private final Host there = hosts.there;
    private final Host.Cq cq = here.new Cq(64);
    private final Host.Cq cqThere = there.new Cq(64);
    private final Host.Receives receives = there.new Receives(cqThere);
    private final MemorySegment memoryThere = there.memory(1 << 20);
    private final int keyThere = there.card.registerKey(new KeyConfig(memoryThere, 0x10000, ALL, 5, 9, 42));
    private final int target = here.card.createTarget(hosts.toThere, receives.number());

    private Host.Sends queue() {
        return queue(builder -> builder);
    }

    private Host.Sends queue(UnaryOperator<SendQueueConfig.Builder> with) {
        return here.new Sends(SendQueueConfig.Kind.RM, cq, with);
    }

    private List<Long> positions(List<Host.CqRecord> records) {
        return records.stream().map(Host.CqRecord::position).toList();
    }

    // ---- what operations do

    @Test
    void messageIsTakenAndBothEndsAreTold() {
        receives.post(1, 4096);
        Host.Sends queue = queue();
        queue.scratch.set(JAVA_BYTE, 2999, (byte) 17);

        queue.message(WorkOpcode.SEND_IMM, target, 3000, -5);
        hosts.run();

        assertThat(cq.pollAll()).singleElement().satisfies(told -> {
            assertThat(told.status()).isZero();
            assertThat(told.opcode()).isEqualTo(WorkOpcode.SEND_IMM);
            assertThat(told.length()).isEqualTo(3000);
        });
        assertThat(cqThere.pollAll()).singleElement().satisfies(told -> {
            assertThat(told.has(Cqe.RECEIVE)).isTrue();
            assertThat(told.has(Cqe.HAS_IMMEDIATE)).isTrue();
            assertThat(told.immediate()).isEqualTo(-5);
            assertThat(told.length()).isEqualTo(3000);
            assertThat(told.remote()).isEqualTo(77 | 6L << 24 | 7L << 48);
        });
        assertThat(receives.buffers.get(JAVA_BYTE, 2999)).isEqualTo((byte) 17);
    }

    @Test
    void bytesAreWrittenReadAndAddedTo() {
        Host.Sends queue = queue();
        queue.scratch.set(JAVA_LONG, 0, 40);

        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000 + 64, 8, 0);
        hosts.run();
        queue.oneSided(WorkOpcode.FADD, hosts.memoryThere, keyThere, 0x10000 + 64, 8, 2);
        hosts.run();
        assertThat(memoryThere.get(JAVA_LONG, 64)).isEqualTo(42);
        assertThat(queue.scratch.get(JAVA_LONG, 0)).isEqualTo(40);
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000 + 64, 5000, 0);
        hosts.run();

        assertThat(queue.scratch.get(JAVA_LONG, 0)).isEqualTo(42);
        assertThat(cq.pollAll()).hasSize(3).allMatch(told -> told.status() == WorkStatus.SUCCESS);
    }

    /** Marked on the way, they draw a notice as one packet does. */
    @Test
    void shortOnesGoInOnePacket() {
        Host.Sends queue = queue();
        List<Packet> sent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queue.scratch.set(JAVA_LONG, 0, i);
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000 + 8 * i, 8, 0);
        }

        here.card.step(hosts.now);
        sent.addAll(here.leaving);
        sent.forEach(packet -> Bth.forwardNotice(packet.bytes(), true));
        hosts.run();

        assertThat(sent).singleElement().matches(Bundle::is);
        assertThat(positions(cq.pollAll())).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(memoryThere.get(JAVA_LONG, 32)).isEqualTo(4);
        assertThat(there.card.notices().sent()).isEqualTo(1);
    }

    @Test
    void silentSuccessMakesNoRecord() {
        Host.Sends queue = queue();

        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0, 0);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();

        assertThat(positions(cq.pollAll())).containsExactly(1L);
    }

    @Test
    void nopCompletesAfterWhatWasBefore() {
        Host.Sends queue = queue();

        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 5000, 0);
        queue.nop();
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();

        assertThat(positions(cq.pollAll())).containsExactly(0L, 1L, 2L);
    }

    /** Nothing waited, so the next scan began where the last one ended: in a slot that a younger one has by then. */
    @Test
    void whatHasTheSlotOfAnOlderOneIsStartedUnderItsOwnPosition() {
        Host.Sends queue = queue();
        int[] requests = {0};
        here.isLost = packet -> ++requests[0] == Host.DEPTH - 1;
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        queue.nop(); // which waits for the one before it, and not those behind it
        for (int i = 2; i < Host.DEPTH; i++) {
            queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        }
        hosts.run();
        assertThat(cq.pollAll()).as("all but the lost one").hasSize(Host.DEPTH - 1);

        for (int i = 1; i < Host.DEPTH; i++) {
            queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        }
        hosts.run(SECOND);

        assertThat(cq.pollAll())
                .hasSize(Host.DEPTH)
                .allMatch(told -> told.status() == WorkStatus.SUCCESS)
                .extracting(Host.CqRecord::position)
                .isSorted();
    }

    // ---- keys

    @Test
    void staleKeyMovesNoByte() {
        Host.Sends queue = queue();
        queue.scratch.set(JAVA_LONG, 0, 1);
        there.card.revokeKey(keyThere);

        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();

        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(memoryThere.get(JAVA_LONG, 0)).isZero();
    }

    @Test
    void keyOfAnotherPeerMovesNoByte() {
        int others = there.card.registerKey(new KeyConfig(memoryThere, 0x10000, ALL, 6, 0, 0));
        Host.Sends queue = queue();
        queue.scratch.set(JAVA_LONG, 0, 1);

        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, others, 0x10000, 8, 0);
        hosts.run();

        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(memoryThere.get(JAVA_LONG, 0)).isZero();
    }

    @Test
    void whatAConnectionWasToldOfCongestionIsCountedWhenItHasEndedToo() {
        Host.Sends queue = queue();
        here.isLost = packet -> {
            Bth.forwardNotice(packet.bytes(), true); // as a switch on the way would have the port there do
            return false;
        };
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();
        assertThat(here.card.notices()).isEqualTo(new NoticeStats(0, 1));
        assertThat(there.card.notices()).isEqualTo(new NoticeStats(1, 0));

        there.card.disconnect(hosts.toHere);

        assertThat(there.card.notices()).isEqualTo(new NoticeStats(1, 0));
    }

    @Test
    void memoryThatWasClosedIsNoticedAtBothEnds() {
        Arena gone = Arena.ofShared();
        int key = there.card.registerKey(new KeyConfig(gone.allocate(64, 64), 0, ALL, 0, 0, 0));
        gone.close();
        Host.Sends queue = queue();

        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, key, 0, 8, 0);
        hosts.run();
        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        Arena mine = Arena.ofShared();
        Host.Sends other = queue();
        int local = here.localKey(mine.allocate(64, 64));
        mine.close();
        other.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        io.urma4j.udma.ring.SendWqe.range(
                other.ring, io.urma4j.udma.ring.WqRing.at(0, Host.DEPTH, Host.STRIDE), 0, local, 8, 0);
        hosts.run();
        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.LOC_ACCESS_ERR);
    }

    @Test
    void operationThatTheDriverKnowsToBeRefusedIsNotSent() {
        Host.Sends queue = queue();

        queue.oneSided(
                WorkOpcode.WRITE,
                hosts.memoryThere,
                keyThere,
                0x10000,
                8,
                0,
                WorkOpcode.SIGNALLED | SendWqe.REMOTE_GONE);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        here.card.step(hosts.now);

        assertThat(here.leaving).isEmpty();
        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
        assertThat(queue.flush(hosts.now)).containsExactly(List.of(1L, (long) WorkStatus.WR_UNHANDLED));
    }

    @Test
    void whatIsUnderWayIsAnsweredBeforeARefusalThatTheDriverKnows() {
        Host.Sends queue = queue();
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 5000, 0);

        queue.oneSided(
                WorkOpcode.WRITE,
                hosts.memoryThere,
                keyThere,
                0x10000,
                8,
                0,
                WorkOpcode.SIGNALLED | SendWqe.REMOTE_GONE);
        hosts.run();

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .startsWith(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void invalidatedTokenIdIsToldAndOpensNothing() {
        Host.Receives allowing = there.new Receives(cqThere, builder -> builder.allowInvalidate(true));
        allowing.post(1, 64);
        Host.Sends queue = queue();
        int allowed = here.card.createTarget(hosts.toThere, allowing.number());

        queue.message(WorkOpcode.SEND_INVALIDATE, allowed, 8, Integer.toUnsignedLong(keyThere));
        hosts.run();

        assertThat(cqThere.pollAll()).singleElement().satisfies(told -> {
            assertThat(told.has(Cqe.HAS_INVALIDATED)).isTrue();
            assertThat(told.immediate()).isEqualTo(42);
        });
        assertThat(there.events).containsExactly("owner 9 invalidated by 5");
        assertThat(there.card.revokeKey(keyThere)).isFalse();
    }

    // ---- not ready

    @Test
    void targetThatIsNotReadyHoldsUpNoOther() {
        Host.Receives slow = there.new Receives(cqThere);
        int slowTarget = here.card.createTarget(hosts.toThere, slow.number());
        receives.post(2, 64);
        Host.Sends queue = queue();

        queue.message(WorkOpcode.SEND_IMM, slowTarget, 8, 1);
        queue.message(WorkOpcode.SEND_IMM, target, 8, 2);
        queue.message(WorkOpcode.SEND_IMM, slowTarget, 8, 3);
        queue.message(WorkOpcode.SEND_IMM, target, 8, 4);
        hosts.run(SECOND / 100);

        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::immediate).containsExactly(2L, 4L);
        assertThat(cq.pollAll()).isEmpty();
        assertThat(here.events).containsExactly("not ready for send queue 1");

        slow.post(2, 64);
        hosts.run(SECOND / 100);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::immediate).containsExactly(1L, 3L);
        assertThat(positions(cq.pollAll())).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void messagesToOneTargetArriveInOrderHoweverLateItIs() {
        Host.Sends queue = queue();
        for (int i = 0; i < 10; i++) {
            queue.message(WorkOpcode.SEND_IMM, target, 8, i);
        }
        hosts.run(SECOND / 1000);
        receives.post(3, 64);
        hosts.run(SECOND / 1000);
        receives.post(7, 64);
        hosts.run(SECOND / 100);

        assertThat(cqThere.pollAll())
                .extracting(Host.CqRecord::immediate)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(cq.pollAll()).hasSize(10).allMatch(told -> told.status() == WorkStatus.SUCCESS);
    }

    @Test
    void writeBehindAMessageThatWaitsComesAfterIt() {
        Host.Sends queue = queue();
        queue.scratch.set(JAVA_LONG, 0, 7);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run(SECOND / 100);
        assertThat(memoryThere.get(JAVA_LONG, 0)).isZero();

        receives.post(1, 64);
        hosts.run(SECOND / 100);

        assertThat(memoryThere.get(JAVA_LONG, 0)).isEqualTo(7);
        assertThat(positions(cq.pollAll())).containsExactly(0L, 1L);
    }

    @Test
    void roundsOfRnrAreCountedAndEndInError() {
        Host.Sends queue = queue(builder -> builder.rnrRetry(2));
        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND, target, 8, 0);
        }
        hosts.run(SECOND / 100);

        List<Host.CqRecord> records = cq.pollAll();
        assertThat(records.getFirst().status()).isEqualTo(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(records.getLast().has(Cqe.FLUSH_ERR_DONE)).isTrue();
        assertThat(queue.state()).isEqualTo(QueueState.ERROR);
        assertThat(records.size() - 2 + queue.flush(hosts.now).size()).isEqualTo(3);
        assertThat(here.events).contains("send queue 1 failed");
        assertThat(there.card.receiveStats(receives.handle).notReady()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void suspensionHoldsTheRestAndTheRestArrivesLater() {
        Host.Sends queue = queue(builder -> builder.rnrRetry(0).errorSuspend(true));
        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND_IMM, target, 8, i);
        }
        hosts.run(SECOND / 100);
        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR, WorkStatus.WR_SUSPEND_DONE);
        receives.post(8, 64);
        hosts.run(SECOND / 100);
        assertThat(cqThere.pollAll()).isEmpty();

        assertThat(here.card.modifySendQueue(queue.handle, QueueState.READY, hosts.now))
                .isTrue();
        hosts.run(SECOND / 100);

        assertThat(positions(cq.pollAll())).containsExactly(1L, 2L, 3L);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::immediate).containsExactly(1L, 2L, 3L);
    }

    // ---- acknowledgements that are held

    @Test
    void heldAcknowledgementsLeaveWithTheNextStep() {
        Host.Sends queue = queue();
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        here.card.step(hosts.now);
        hosts.carry(here, there);

        there.card.step(hosts.now, FlushHint.HOLD_REQUESTS_AND_ACKS);
        assertThat(there.leaving).isEmpty();
        assertThat(there.card.hasLeft()).isTrue();
        assertThat(there.card.hasWork()).isTrue();

        there.card.step(hosts.now);
        assertThat(there.leaving).hasSize(1);
        assertThat(there.card.hasLeft()).isFalse();
        assertThat(there.card.hasWork()).isFalse();
    }

    @Test
    void armedQueuesAreKnown() {
        assertThat(here.card.isAnyArmed()).isFalse();
        here.card.arm(cq.handle, false);
        here.card.arm(cq.handle, true);
        assertThat(here.card.isAnyArmed()).isTrue();

        queue().oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();
        assertThat(here.card.isAnyArmed()).as("a success is not solicited").isTrue();
        here.card.arm(cq.handle, false);
        assertThat(here.card.isAnyArmed()).as("its event was told at once").isFalse();

        Host.Cq other = here.new Cq(16);
        here.card.arm(other.handle, false);
        here.card.destroyCq(other.handle);
        assertThat(here.card.isAnyArmed()).isFalse();
    }

    // ---- silence

    @Test
    void silenceEndsInError() {
        there.isLost = packet -> true;
        receives.post(8, 64);
        Host.Sends queue = queue(builder -> builder.timeoutNanos(SECOND));
        queue.message(WorkOpcode.SEND, target, 8, 0);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run(SECOND / 2);
        assertThat(cq.pollAll()).isEmpty();
        hosts.run(SECOND);

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
        assertThat(here.events).contains("silent");
    }

    /** A forged packet may have taken the PSN of a request: then its acknowledgement never comes, and all else does. */
    @Test
    void peerThatIsHeardButAcknowledgesNothingEndsInError() {
        there.isLost =
                packet -> Opcodes.has(packet.opcode(), Header.AETH) || Opcodes.has(packet.opcode(), Header.ACK_ETH);
        receives.post(8, 64);
        Host.Sends queue = queue(builder -> builder.timeoutNanos(SECOND));
        queue.message(WorkOpcode.SEND, target, 8, 0);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        Host.Cq cqOfThere = there.new Cq(16);
        Host.Sends heard = there.new Sends(SendQueueConfig.Kind.RM, cqOfThere, builder -> builder);
        int memoryHere = there.card.createMemoryTarget(hosts.toHere);
        int key = here.card.registerKey(new KeyConfig(here.memory(64), 0x10000, ALL, 5, 9, 42));
        for (int tenth = 0; tenth < 25; tenth++) {
            heard.oneSided(WorkOpcode.READ, memoryHere, key, 0x10000, 8, 0);
            hosts.run(SECOND / 10);
            cqOfThere.pollAll();
        }
        assertThat(cq.pollAll()).as("told before the time is over").isEmpty();
        for (int tenth = 0; tenth < 10; tenth++) {
            heard.oneSided(WorkOpcode.READ, memoryHere, key, 0x10000, 8, 0);
            hosts.run(SECOND / 10);
            cqOfThere.pollAll();
        }

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
        assertThat(here.events).contains("stuck").doesNotContain("silent");
    }

    @Test
    void othersOfTheConnectionGoOnAfterTheSilence() {
        there.isLost = packet -> true;
        receives.post(8, 64);
        Host.Sends queue = queue(builder -> builder.timeoutNanos(SECOND));
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run(2 * SECOND);
        there.isLost = packet -> false;
        cq.pollAll();

        Host.Sends other = queue();
        other.message(WorkOpcode.SEND, target, 16, 0);
        hosts.run(5 * SECOND);

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
        assertThat(cqThere.pollAll().getLast().length()).isEqualTo(16);
    }

    @Test
    void lossIsMendedAndNothingComesTwice() {
        int[] count = {0};
        here.isLost = packet -> ++count[0] % 5 == 0;
        there.isLost = packet -> ++count[0] % 7 == 0;
        receives.post(10, 4096);
        Host.Sends queue = queue();
        for (int i = 0; i < 10; i++) {
            queue.message(WorkOpcode.SEND_IMM, target, 3000, i);
        }
        hosts.run(30 * SECOND);

        assertThat(cqThere.pollAll())
                .extracting(Host.CqRecord::immediate)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(cq.pollAll()).hasSize(10).allMatch(told -> told.status() == WorkStatus.SUCCESS);
    }

    @Test
    void peerThatIsLostEndsWhatWasMeantForIt() {
        there.isLost = packet -> true;
        Host.Sends queue = queue();
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run();

        here.card.peerLost(hosts.toThere, hosts.now);

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
    }

    @Test
    void resultsOfWhatWasTurnedAwayComeBeforeThoseOfWhatIsUnderWay() {
        Host.Sends queue = queue();
        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND, target, 8, 0);
        }
        here.card.step(hosts.now);
        here.leaving.forEach(packet -> there.card.receive(packet, here.address, hosts.now));
        there.card.step(hosts.now);
        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND, target, 8, 0);
        }
        here.card.step(hosts.now); // these never arrive
        there.leaving.forEach(packet -> here.card.receive(packet, there.address, hosts.now));
        here.card.step(hosts.now);

        here.card.peerLost(hosts.toThere, hosts.now);

        List<Long> results = new ArrayList<>();
        cq.pollAll().stream()
                .filter(told -> !told.has(Cqe.FLUSH_ERR_DONE))
                .forEach(told -> results.add(told.position()));
        queue.flush(hosts.now).forEach(taken -> results.add(taken.getFirst()));
        assertThat(results).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    // ---- one target

    @Test
    void failureTowardsOneTargetLeavesTheOthers() {
        Host.Receives slow = there.new Receives(cqThere);
        int slowTarget = here.card.createTarget(hosts.toThere, slow.number());
        receives.post(4, 64);
        Host.Sends queue = queue(builder -> builder.rnrRetry(0).errorByTarget(true));
        queue.message(WorkOpcode.SEND, slowTarget, 8, 0);
        queue.message(WorkOpcode.SEND, slowTarget, 8, 0);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run(SECOND / 100);
        queue.message(WorkOpcode.SEND, slowTarget, 8, 0);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run(SECOND / 100);

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(
                        WorkStatus.RNR_RETRY_CNT_EXC_ERR,
                        WorkStatus.WR_FLUSH_ERR,
                        WorkStatus.SUCCESS,
                        WorkStatus.WR_FLUSH_ERR,
                        WorkStatus.SUCCESS);
        assertThat(queue.state()).isEqualTo(QueueState.READY);
    }

    // ---- completion queues

    @Test
    void resultThatFindsNoPlaceIsReturnedByFlush() {
        Host.Cq small = here.new Cq(2);
        Host.Sends queue = here.new Sends(SendQueueConfig.Kind.RM, small, builder -> builder);
        for (int i = 0; i < 4; i++) {
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        }
        hosts.run();

        assertThat(here.events).contains("CQ " + small.handle + " overflowed", "send queue 1 failed");
        assertThat(positions(small.pollAll())).containsExactly(0L, 1L);
        assertThat(queue.flush(hosts.now)).extracting(List::getFirst).containsExactly(2L, 3L);
    }

    @Test
    void messageThatFindsNoPlaceForItsRecordIsNotTaken() {
        Host.Cq small = there.new Cq(1);
        Host.Receives narrow = there.new Receives(small);
        narrow.post(2, 64);
        int narrowTarget = here.card.createTarget(hosts.toThere, narrow.number());
        Host.Sends queue = queue(builder -> builder.rnrRetry(1));
        queue.message(WorkOpcode.SEND, narrowTarget, 8, 0);
        queue.message(WorkOpcode.SEND, narrowTarget, 8, 0);
        hosts.run(SECOND / 10);

        assertThat(small.pollAll()).hasSize(1);
        assertThat(there.card.receiveStats(narrow.handle).waiting()).isEqualTo(1);
        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(there.events).contains("CQ " + small.handle + " overflowed");
    }

    @Test
    void armedQueueFiresOnce() {
        receives.post(4, 64);
        Host.Sends queue = queue();
        there.card.arm(cqThere.handle, true);
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run();
        assertThat(cqThere.fired).isZero();

        queue.message(WorkOpcode.SEND, target, 8, 0, WorkOpcode.SIGNALLED | WorkOpcode.SOLICITED);
        queue.message(WorkOpcode.SEND, target, 8, 0, WorkOpcode.SIGNALLED | WorkOpcode.SOLICITED);
        hosts.run();
        assertThat(cqThere.fired).isEqualTo(1);

        there.card.arm(cqThere.handle, false);
        assertThat(cqThere.fired).isEqualTo(2); // records are there
    }

    @Test
    void recordGoesWhereTheWorkRequestSays() {
        Host.Cq other = here.new Cq(4);
        Host.Sends queue = queue();
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        queue.to(other.handle);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();

        assertThat(positions(other.pollAll())).containsExactly(0L);
        assertThat(positions(cq.pollAll())).containsExactly(1L);
    }

    // ---- what receives

    @Test
    void messageThatIsTooLongIsToldToBothEnds() {
        receives.post(2, 64);
        Host.Sends queue = queue();
        queue.message(WorkOpcode.SEND, target, 65, 0);
        hosts.run();

        assertThat(cqThere.pollAll().getFirst().status()).isEqualTo(WorkStatus.LOC_LEN_ERR);
        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.REM_OPERATION_ERR);
        assertThat(receives.buffers.get(JAVA_BYTE, 64)).isZero();
    }

    @Test
    void receiveQueueInErrorRefuses() {
        receives.post(2, 64);
        there.card.modifyReceiveQueue(receives.handle, QueueState.ERROR);
        Host.Sends queue = queue();
        queue.message(WorkOpcode.SEND, target, 8, 0);
        hosts.run();

        assertThat(cq.pollAll().getFirst().status()).isEqualTo(WorkStatus.REM_OPERATION_ERR);
    }

    @Test
    void closedJettyLeavesItsBuffersToItsReceiveQueue() {
        Host.Sends jetty =
                there.new Sends(SendQueueConfig.Kind.RM, cqThere, builder -> builder.receives(receives.handle, 0, 200));
        int jettyTarget = here.card.createTarget(hosts.toThere, jetty.number());
        receives.post(1, 4096);
        Host.Sends queue = queue();
        int[] sent = {0};
        here.isLost = packet -> ++sent[0] > 2; // the third never comes
        queue.message(WorkOpcode.SEND, jettyTarget, 3000, 0);
        hosts.run();
        assertThat(there.card.receiveStats(receives.handle).waiting()).isZero();

        there.card.destroySendQueue(jetty.handle);

        assertThat(there.card.receiveStats(receives.handle).waiting()).isEqualTo(1);
        here.isLost = packet -> false;
        Host.Sends other = queue();
        other.message(WorkOpcode.SEND, target, 16, 0);
        hosts.run(20 * SECOND);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::length).containsExactly(16L);
    }

    @Test
    void membersOfAGroupTakeTurns() {
        Host.Cq second = there.new Cq(8);
        Host.Receives other = there.new Receives(second);
        receives.post(4, 64);
        other.post(4, 64);
        int group = there.card.createGroup(0, false);
        for (Host.Receives each : List.of(receives, other)) {
            Host.Sends member = there
            .new Sends(SendQueueConfig.Kind.RM, cqThere, builder -> builder.receives(each.handle, each.cq.handle, 200));
            there.card.addMember(group, member.handle);
        }
        int groupTarget = here.card.createTarget(hosts.toThere, there.card.groupNumber(group));
        Host.Sends queue = queue();
        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND, groupTarget, 8, 0);
            hosts.run();
        }

        assertThat(cqThere.pollAll()).hasSize(2);
        assertThat(second.pollAll()).hasSize(2);
    }

    @Test
    void thresholdIsToldOnce() {
        receives.post(3, 64);
        there.card.threshold(receives.handle, 2);
        Host.Sends queue = queue();
        for (int i = 0; i < 3; i++) {
            queue.message(WorkOpcode.SEND, target, 8, 0);
        }
        hosts.run();

        assertThat(there.events).containsExactly("receive queue 100 has 1 left");
    }

    // ---- other modes

    @Test
    void datagramArrivesWithItsImmediate() {
        Host.Receives datagrams = there.new Receives(cqThere, builder -> builder.datagrams(0x1234));
        datagrams.post(1, 1024);
        Host.Sends queue = here.new Sends(SendQueueConfig.Kind.UM, cq, builder -> builder);
        int right = here.card.createDatagramTarget(here.port(there.address), datagrams.number(), 0x1234);
        int wrong = here.card.createDatagramTarget(here.port(there.address), datagrams.number(), 0x1235);

        queue.message(WorkOpcode.SEND_IMM, wrong, 100, 1);
        queue.message(WorkOpcode.SEND_IMM, right, 1024, 2);
        queue.message(WorkOpcode.SEND_IMM, right, 8, 3); // finds no receive work request
        hosts.run();

        assertThat(cq.pollAll()).hasSize(3).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        assertThat(cqThere.pollAll()).singleElement().satisfies(told -> {
            assertThat(told.immediate()).isEqualTo(2);
            assertThat(told.length()).isEqualTo(1024);
            assertThat(told.remote()).isEqualTo(queue.number());
        });
        assertThat(there.card.receiveStats(datagrams.handle).dropped()).isEqualTo(1);
    }

    private Host.Sends[] connected(UnaryOperator<SendQueueConfig.Builder> with, int rnrRetry) {
        Host.Receives mine = here.new Receives(cq, ReceiveQueueConfig.Builder::connected);
        Host.Receives theirs = there.new Receives(cqThere, ReceiveQueueConfig.Builder::connected);
        theirsReceives = theirs;
        Host.Sends a = here
        .new Sends(SendQueueConfig.Kind.RC, cq, builder -> with.apply(builder.receives(mine.handle, 0, 300)));
        Host.Sends b =
                there.new Sends(SendQueueConfig.Kind.RC, cqThere, builder -> builder.receives(theirs.handle, 0, 400));
        here.card.connectRc(
                a.handle,
                CardConnectionConfig.builder(here.port(there.address), b.number())
                        .psns(1, 2)
                        .rnrRetry(rnrRetry)
                        .remoteId(500)
                        .build(),
                hosts.now);
        there.card.connectRc(
                b.handle,
                CardConnectionConfig.builder(there.port(here.address), a.number())
                        .psns(2, 1)
                        .remoteId(600)
                        .build(),
                hosts.now);
        return new Host.Sends[] {a, b};
    }

    private Host.Receives theirsReceives = receives;

    @Test
    void connectedJettiesTalk() {
        Host.Sends[] jetties = connected(builder -> builder, 7);
        theirsReceives.post(1, 4096);

        jetties[0].message(WorkOpcode.SEND_IMM, 0, 3000, 9);
        hosts.run();

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
        assertThat(cqThere.pollAll()).singleElement().satisfies(told -> {
            assertThat(told.tag()).isEqualTo(400);
            assertThat(told.immediate()).isEqualTo(9);
            assertThat(told.remote() & 0xFFFFFF).isEqualTo(600);
        });
    }

    @Test
    void connectionIsSuspendedAndResumed() {
        Host.Sends[] jetties = connected(builder -> builder.errorSuspend(true), 0);
        jetties[0].message(WorkOpcode.SEND, 0, 8, 0);
        hosts.run(SECOND / 100);
        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.RNR_RETRY_CNT_EXC_ERR, WorkStatus.WR_SUSPEND_DONE);
        jetties[0].message(WorkOpcode.SEND, 0, 16, 0);
        theirsReceives.post(1, 64);

        here.card.modifySendQueue(jetties[0].handle, QueueState.READY, hosts.now);
        hosts.run(SECOND / 100);

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::length).containsExactly(16L);
    }

    @Test
    void connectionIsSuspendedBySilenceAndResumed() {
        Host.Sends[] jetties = connected(builder -> builder.errorSuspend(true).timeoutNanos(SECOND), 7);
        theirsReceives.post(2, 64);
        there.isLost = packet -> true; // what it takes is not acknowledged
        jetties[0].message(WorkOpcode.SEND, 0, 8, 0);
        hosts.run(2 * SECOND);
        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_SUSPEND_DONE);
        there.isLost = packet -> false;
        jetties[0].message(WorkOpcode.SEND, 0, 16, 0);

        here.card.modifySendQueue(jetties[0].handle, QueueState.READY, hosts.now);
        hosts.run(SECOND / 2);

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::length).containsExactly(8L, 16L);
    }

    @Test
    void disconnectedJettyLivesAgain() {
        Host.Sends[] jetties = connected(builder -> builder, 7);
        here.card.modifySendQueue(jetties[0].handle, QueueState.ERROR, hosts.now);
        here.card.disconnectRc(jetties[0].handle, hosts.now);

        assertThat(jetties[0].state()).isEqualTo(QueueState.RESET);
        assertThat(here.card.modifySendQueue(jetties[0].handle, QueueState.READY, hosts.now))
                .isFalse();
    }

    // ---- states

    @Test
    void postedInErrorComesBackFromFlush() {
        Host.Sends queue = queue();
        here.card.modifySendQueue(queue.handle, QueueState.ERROR, hosts.now);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.WR_FLUSH_ERR_DONE);
        assertThat(queue.flush(hosts.now)).containsExactly(List.of(0L, (long) WorkStatus.WR_UNHANDLED));
        assertThat(here.card.modifySendQueue(queue.handle, QueueState.RESET, hosts.now))
                .isTrue();
        assertThat(here.card.modifySendQueue(queue.handle, QueueState.READY, hosts.now))
                .isTrue();
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 8, 0);
        hosts.run();
        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
    }

    @Test
    void quiesceReturnsEachUnfinishedOnce() {
        Host.Sends queue = queue();
        for (int i = 0; i < 3; i++) {
            queue.message(WorkOpcode.SEND, target, 8, 0);
        }
        here.card.step(hosts.now);
        long[] out = new long[2 * Host.DEPTH];

        assertThat(here.card.quiesce(queue.handle, out, hosts.now)).isEqualTo(3);
        hosts.run(SECOND);

        assertThat(out).startsWith(0, WorkStatus.WR_FLUSH_ERR, 1, WorkStatus.WR_FLUSH_ERR, 2, WorkStatus.WR_FLUSH_ERR);
        assertThat(cq.pollAll()).isEmpty();
        assertThat(queue.state()).isEqualTo(QueueState.ERROR);
    }
}
