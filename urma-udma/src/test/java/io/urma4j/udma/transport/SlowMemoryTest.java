package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.SlowMemory.Pace;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that answers later: what is acknowledged is placed, in order, and a slow copy is no loss. */
class SlowMemoryTest {
    private static final long MS = 1_000_000;
    private static final int MTU = 1024;
    private static final int WORD = 1 << 20;

    /** The peer that reaches the memory. */
    enum Peer {
        SELECTIVE,
        SELECTIVE_UNPREDICTED,
        GOING_BACK,
        FOREIGN;

        ConnectionConfig.Builder adjust(ConnectionConfig.Builder config) {
            return switch (this) {
                case SELECTIVE -> config.selective();
                case SELECTIVE_UNPREDICTED -> config.selective().predicts(false);
                case GOING_BACK -> config;
                case FOREIGN -> config.foreignPeer();
            };
        }

        boolean isOurs() {
            return this != FOREIGN;
        }
    }

    private static Pair pair(Peer peer, Pace pace) {
        return pair(Kind.RELIABLE_CONNECTED, peer, pace, Pair.Faults.NONE);
    }

    private static Pair pair(Kind kind, Peer peer, Pace pace, Pair.Faults faults) {
        return new Pair(kind, config -> peer.adjust(config.mtuBytes(MTU).timeout(100 * MS, 1000)), faults, 1, pace);
    }

    private static SlowMemory slow(Pair pair) {
        return Objects.requireNonNull(pair.right.slow);
    }

    /** So that the timeout of the requester is as short as it becomes. */
    private static Outbox warm(Pair pair) {
        SlowMemory slow = slow(pair);
        Pace pace = slow.pace;
        slow.pace = Pace.of(0);
        Outbox out = pair.left.outbox();
        out.fill(1);
        for (int i = 0; i < 20; i++) {
            out.write(8, WORD + 64);
            pair.runFor(MS);
        }
        assertThat(out.results).hasSize(20);
        out.results.clear();
        slow.pace = pace;
        return out;
    }

    private static boolean isPlaced(Pair pair, Outbox out, long from, int length, long to) {
        return out.buffer.asSlice(from, length).mismatch(pair.right.region.bytes.asSlice(to, length)) < 0;
    }

    @ParameterizedTest
    @EnumSource
    void aWriteIsAcknowledgedWhenItsLastCopyHasEnded(Peer peer) {
        Pair pair = pair(peer, Pace.of(3 * MS));
        Outbox out = warm(pair);

        out.post(WorkOpcode.WRITE, 100, 5 * MTU, 4096, 0, 0);
        pair.runFor(2 * MS);

        assertThat(out.results).isEmpty();
        assertThat(slow(pair).inUse()).as("copies at the same time").isEqualTo(5);

        pair.runFor(2 * MS);

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(isPlaced(pair, out, 100, 5 * MTU, 4096)).isTrue();
        assertThat(slow(pair).inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aSlowCopyDrawsNoRetransmissionOfOursAndIsExecutedOnce(Peer peer) {
        Pair pair = pair(peer, Pace.of(80 * MS));
        Outbox out = warm(pair);
        int before = slow(pair).begun;
        long timeouts = pair.left.connection.traffic().count(Event.TIMEOUT);
        pair.filter = (to, packet) -> {
            if (to == pair.left && Opcodes.has(packet.opcode(), Header.AETH)) {
                int syndrome = Aeth.syndrome(packet.bytes(), packet.at(Header.AETH));
                assertThat(Aeth.kind(syndrome)).isEqualTo(Aeth.Kind.ACK);
            }
            return true;
        };

        for (int i = 0; i < 10; i++) {
            out.post(WorkOpcode.WRITE, i * 3000L, 3 * MTU - 72, 8192 + i * 3000L, 0, 0);
        }
        pair.runFor(75 * MS);
        assertThat(out.results).isEmpty();
        pair.run();

        assertThat(out.statuses()).hasSize(10).containsOnly(WorkStatus.SUCCESS);
        assertThat(isPlaced(pair, out, 0, 30_000, 8192)).isTrue();
        assertThat(slow(pair).begun - before).as("copies").isEqualTo(30);
        Traffic traffic = pair.left.connection.traffic();
        assertThat(traffic.count(Event.TIMEOUT) - timeouts > 0).isEqualTo(!peer.isOurs());
        assertThat(traffic.count(Event.RETRANSMITTED) > 0).isEqualTo(!peer.isOurs());
    }

    @ParameterizedTest
    @EnumSource
    void aReadSeesTheWriteBeforeItAndDrawsNoTimeoutOfOurs(Peer peer) {
        Pair pair = pair(peer, Pace.of(30 * MS));
        Outbox out = warm(pair);

        out.post(WorkOpcode.WRITE, 0, 4 * MTU, 4096, 0, 0);
        out.read(1 << 20, 4 * MTU, 4096);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
        assertThat(out.buffer.asSlice(1 << 20, 4 * MTU).mismatch(out.buffer.asSlice(0, 4 * MTU)))
                .isEqualTo(-1);
        assertThat(pair.left.connection.traffic().count(Event.TIMEOUT) > 0).isEqualTo(!peer.isOurs());
        assertThat(slow(pair).inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aReadOfOtherBytesDoesNotAcknowledgeTheWriteBeforeIt(Peer peer) {
        Pair pair = pair(peer, Pace.of(30 * MS));
        Outbox out = warm(pair);
        out.post(WorkOpcode.WRITE, 0, 4 * MTU, 4096, 0, 0);
        pair.runFor(MS);

        slow(pair).pace = new Pace(0, 0, 64, 1024, 0);
        out.read(1 << 20, 4 * MTU, WORD);
        out.atomic(WorkOpcode.FADD, 2 << 20, 8, WORD, 5, 0);
        pair.runFor(10 * MS);

        assertThat(out.results).isEmpty();
        assertThat(pair.right.region.word(WORD)).isZero();
        pair.run();
        assertThat(out.statuses()).hasSize(3).containsOnly(WorkStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void aLongReadIsFetchedAFewFragmentsAhead(Peer peer) {
        Pair pair = pair(peer, new Pace(0, MS, 3, 1024, 0));
        Outbox out = warm(pair);
        for (int i = 0; i < 1 << 20; i++) {
            pair.right.region.bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + (i >> 9)));
        }

        out.read(0, 1 << 20, 0);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(isPlaced(pair, out, 0, 1 << 20, 0)).isTrue();
        assertThat(slow(pair).inUse()).isZero();
        int reads = 16;
        assertThat(slow(pair).mostFetchedBytes)
                .isLessThanOrEqualTo((long) reads * Fetches.AHEAD * Fetches.FRAGMENT_BYTES);
    }

    @ParameterizedTest
    @EnumSource
    void anAtomicIsExecutedOnceThoughItIsAskedForTwice(Peer peer) {
        Pair pair = pair(peer, Pace.of(20 * MS));
        Outbox out = warm(pair);
        pair.filter = (to, packet) -> {
            if (to == pair.right) {
                pair.right.receive(Pair.copy(packet)); // each comes twice
            }
            return true;
        };

        out.atomic(WorkOpcode.FADD, 1 << 20, 8, WORD, 5, 0);
        out.atomic(WorkOpcode.FADD, (1 << 20) + 8, 8, WORD, 7, 0);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
        assertThat(pair.right.region.word(WORD)).isEqualTo(12);
        assertThat(pair.right.region.atomics).isEqualTo(2);
        assertThat(out.got((1 << 20) + 8)).isEqualTo((byte) 5);
    }

    @ParameterizedTest
    @EnumSource
    void aRecordComesWhenAllBytesBeforeItArePlaced(Peer peer) {
        Pair pair = pair(peer, new Pace(MS, 9 * MS, 4, 1024, 0));
        Outbox out = warm(pair);
        Inbox in = pair.right.inbox(4096);
        in.post(3);
        int[] placed = {0};
        in.watcher = arrival -> placed[0] += isPlaced(pair, out, 0, 20_000, 8192) ? 1 : 0;

        out.post(WorkOpcode.WRITE, 0, 10_000, 8192, 0, 0);
        out.post(WorkOpcode.WRITE_IMM, 10_000, 10_000, 18_192, 77, 0);
        out.send(100);
        out.post(WorkOpcode.SEND_IMM, 0, 0, 0, 78, 0);
        pair.run();

        assertThat(out.statuses()).hasSize(4).containsOnly(WorkStatus.SUCCESS);
        assertThat(in.arrivals).extracting(Inbox.Arrival::immediate).containsExactly(77L, 0L, 78L);
        assertThat(placed[0]).as("records that came after the bytes").isEqualTo(3);
        if (peer.isOurs()) {
            assertThat(pair.left.connection.traffic().count(Event.TIMEOUT)).isZero();
            assertThat(pair.left.connection.traffic().count(Event.PROBE)).isZero();
        }
    }

    @Test
    void theWordOfAWriteComesWhenItsBytesArePlaced() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(5 * MS));
        Outbox out = warm(pair);
        long position = out.post(WorkOpcode.WRITE_NOTIFY, 0, 3000, 8192, 0, 0);
        out.notifyAt(position, Region.KEY, Region.BASE + WORD, 42);

        boolean wasEarly = false;
        while (!pair.left.isIdle()) {
            pair.runFor(MS / 10);
            wasEarly |= pair.right.region.word(WORD) == 42 && !isPlaced(pair, out, 0, 3000, 8192);
        }

        assertThat(wasEarly).isFalse();
        assertThat(pair.right.region.word(WORD)).isEqualTo(42);
    }

    @ParameterizedTest
    @EnumSource
    void aRevokedKeyRefusesWhatIsBeingPlacedAndNothingBehindSucceeds(Peer peer) {
        Pair pair = pair(peer, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.post(WorkOpcode.WRITE, 0, 2 * MTU, 8192, 0, 0);
        pair.runFor(6 * MS);
        out.post(WorkOpcode.WRITE, 0, 2 * MTU, 16_384, 0, 0);
        out.post(WorkOpcode.WRITE, 0, 2 * MTU, 32_768, 0, 0);
        pair.runFor(6 * MS); // the first has been placed, the second has not

        slow(pair).revoke(CopyState.REFUSED);
        pair.run();

        assertThat(out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(isPlaced(pair, out, 0, 2 * MTU, 8192)).isTrue();
        assertThat(pair.right.refusals).containsExactly(Aeth.NAK_REMOTE_ACCESS);
        assertThat(slow(pair).inUse()).as("fragments in use").isZero();
    }

    @Test
    void aLostDeviceIsAnErrorOfTheOperation() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.post(WorkOpcode.WRITE, 0, 2 * MTU, 8192, 0, 0);
        pair.runFor(6 * MS);

        slow(pair).revoke(CopyState.LOST);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR);
        assertThat(slow(pair).inUse()).isZero();
    }

    @Test
    void aReadOfARevokedKeyIsRefused() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.read(0, 2 * MTU, 8192);
        pair.runFor(6 * MS);

        slow(pair).revoke(CopyState.REFUSED);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(slow(pair).inUse()).isZero();
    }

    @Test
    void anAtomicOfARevokedKeyIsRefused() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.atomic(WorkOpcode.FADD, 0, 8, WORD, 5, 0);
        pair.runFor(6 * MS);

        slow(pair).revoke(CopyState.REFUSED);
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(pair.right.region.word(WORD)).isZero();
        assertThat(slow(pair).inUse()).isZero();
    }

    @Test
    void onASharedConnectionARefusedCopyFailsItsMessageAlone() {
        Pair pair = pair(Kind.SHARED, Peer.SELECTIVE, new Pace(MS, 3 * MS, 4, 1024, 0.2), Pair.Faults.NONE);
        Outbox out = pair.left.outbox(0x100, 0x200);
        Inbox in = pair.right.inbox(0x200, 4096);
        in.post(40);
        out.fill(3);

        for (int i = 0; i < 40; i++) {
            out.post(WorkOpcode.WRITE_IMM, i * 3000L, 3000, 8192 + i * 3000L, i, 0);
        }
        pair.run();

        assertThat(out.statuses())
                .hasSize(40)
                .containsOnly(WorkStatus.SUCCESS, WorkStatus.REM_OPERATION_ERR)
                .contains(WorkStatus.SUCCESS, WorkStatus.REM_OPERATION_ERR);
        long succeeded = out.results.stream()
                .filter(result -> result.status() == WorkStatus.SUCCESS)
                .peek(result -> assertThat(
                                isPlaced(pair, out, result.position() * 3000, 3000, 8192 + result.position() * 3000))
                        .isTrue())
                .count();
        assertThat(in.arrivals).hasSize((int) succeeded);
        assertThat(in.underWay()).isZero();
        assertThat(slow(pair).inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aFullMemoryClosesTheWindowAndNothingElse(Peer peer) {
        Pair pair = pair(peer, new Pace(MS, MS, 1, 3, 0));
        Outbox out = warm(pair);

        out.post(WorkOpcode.WRITE, 0, 50 * MTU, 8192, 0, 0);
        out.atomic(WorkOpcode.FADD, 1 << 20, 8, WORD, 5, 0);
        out.read(2 << 20, 50 * MTU, 8192);
        pair.run();

        assertThat(slow(pair).busy).isPositive();
        assertThat(out.statuses()).hasSize(3).containsOnly(WorkStatus.SUCCESS);
        assertThat(isPlaced(pair, out, 0, 50 * MTU, 8192)).isTrue();
        assertThat(out.buffer.asSlice(2 << 20, 50 * MTU).mismatch(out.buffer.asSlice(0, 50 * MTU)))
                .isEqualTo(-1);
        assertThat(slow(pair).inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aReadThatIsAskedForAgainGetsTheFragmentOfALaterOne(Peer peer) {
        Pair pair = pair(peer, new Pace(0, 0, 1, 1, 0));
        Outbox out = warm(pair);
        boolean[] isDeaf = {true};
        pair.filter = (to, packet) -> to == pair.right || !isDeaf[0];
        out.read(0, MTU, 4096);
        pair.runFor(MS); // it was answered, and its response was lost
        slow(pair).pace = new Pace(20 * MS, 20 * MS, 1, 1, 0);
        out.read(MTU, MTU, 8192);

        pair.runFor(10 * MS); // the first one is asked for again while the second one is fetched
        isDeaf[0] = false;
        pair.run();

        assertThat(slow(pair).busy).isPositive();
        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS);
        assertThat(slow(pair).inUse()).isZero();
    }

    /** A foreign peer may ask for a part, and for all again while the bytes of that part are fetched. */
    @Test
    void aForeignReadThatIsAskedForInPartAndThenInWholeIsAnsweredInWhole() {
        Pair pair = pair(Peer.FOREIGN, Pace.of(0));
        Outbox out = warm(pair);
        List<Packet> requests = new ArrayList<>();
        pair.filter = (to, packet) -> {
            if (to == pair.right && Opcodes.has(packet.opcode(), Header.RETH)) {
                requests.add(Pair.copy(packet));
            }
            return to == pair.right;
        };
        out.read(0, 8 * MTU, 4096);
        pair.runFor(MS); // it was answered, and the responses were lost
        Packet whole = requests.getFirst();
        Packet part = Pair.copy(whole);
        int at = part.at(Header.RETH);
        NativeMemory bytes = part.bytes();
        Reth.put(bytes, at, Reth.va(bytes, at), Reth.remoteKey(bytes, at), MTU);
        slow(pair).pace = Pace.of(5 * MS);

        pair.right.receive(part);
        pair.runFor(MS);
        pair.right.receive(whole);
        pair.filter = (to, packet) -> true;
        pair.run();

        assertThat(out.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(out.buffer.asSlice(0, 8 * MTU).mismatch(pair.right.region.bytes.asSlice(4096, 8 * MTU)))
                .isEqualTo(-1);
        assertThat(slow(pair).inUse()).isZero();
    }

    @Test
    void whatIsKeptForOneConnectionIsBounded() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(SlowMemory.NEVER));
        SlowMemory slow = slow(pair);
        slow.pace = new Pace(SlowMemory.NEVER, SlowMemory.NEVER, 1, Integer.MAX_VALUE, 0);
        Outbox out = pair.left.outbox();

        for (int i = 0; i < 3000; i++) {
            out.write(8, 8L * i);
        }
        pair.runFor(1000 * MS);

        assertThat(out.results).isEmpty();
        assertThat(slow.inUse()).isLessThanOrEqualTo(PendingWrites.SLOTS);
    }

    @ParameterizedTest
    @EnumSource
    void copiesOfAClosedConnectionEndWithoutIt(Peer peer) {
        Pair pair = pair(peer, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.post(WorkOpcode.WRITE, 0, 5 * MTU, 8192, 0, 0);
        out.read(1 << 20, 1000, 0);
        out.atomic(WorkOpcode.FADD, 1 << 20, 8, WORD, 5, 0);
        pair.runFor(5 * MS);
        assertThat(slow(pair).inUse()).isPositive();

        pair.right.connection.close();
        pair.right.connection.close();
        pair.runFor(50 * MS);

        assertThat(slow(pair).inUse()).isZero();
        assertThat(out.results).isEmpty();
    }

    @Test
    void fetchesOfAClosedConnectionEndWithoutIt() {
        Pair pair = pair(Peer.SELECTIVE, Pace.of(10 * MS));
        Outbox out = warm(pair);
        out.read(1 << 20, 1 << 18, 0);
        pair.runFor(5 * MS);
        assertThat(slow(pair).inUse()).isPositive();

        pair.right.connection.close();
        pair.runFor(50 * MS);

        assertThat(slow(pair).inUse()).isZero();
    }

    @Test
    void aKeyIsRevokedByAMessageWhenAllBeforeItIsPlaced() {
        Pair pair = pair(Peer.SELECTIVE, new Pace(MS, 9 * MS, 4, 1024, 0));
        Outbox out = warm(pair);
        Inbox in = pair.right.inbox(4096);
        in.post(1);

        out.post(WorkOpcode.WRITE, 0, 10 * MTU, 8192, 0, 0);
        out.post(WorkOpcode.SEND_INVALIDATE, 0, 10, 0, Region.KEY, 0);
        out.post(WorkOpcode.WRITE, 0, 10 * MTU, 32_768, 0, 0);
        pair.run();

        assertThat(out.statuses())
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(isPlaced(pair, out, 0, 10 * MTU, 8192)).isTrue();
        assertThat(slow(pair).inUse()).isZero();
    }
}
