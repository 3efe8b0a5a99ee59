package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.QueueState;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.KeyConfig.DeviceBytes;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two cards with device memory on both sides, slow copy engines, and a lossy network, in virtual time. */
class DeviceMemoryTest {
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final int BYTES = 1 << 20;
    private static final int REGION = 3;
    private static final long VA = 0x10000;
    private static final byte CANARY = 0x5A;

    private final long[] clock = {0};
    private SlowCopies copiesHere = new SlowCopies(() -> clock[0], 64, 1);
    private SlowCopies copiesThere = new SlowCopies(() -> clock[0], 64, 2);
    private Hosts hosts = new Hosts(copiesHere, copiesThere);
    private Host.Sends queue = queue();
    private MemorySegment memoryHere = copiesHere.region(REGION, BYTES);
    private MemorySegment memoryThere = copiesThere.region(REGION, BYTES);
    private int keyThere = keyThere();
    private Host.Receives receives = receives();
    private int target = hosts.here.card.createTarget(hosts.toThere, receives.number());

    private static DeviceBytes all() {
        return new DeviceBytes(REGION, 0, BYTES, VA);
    }

    private Host.Sends queue() {
        return hosts.here.new Sends(SendQueueConfig.Kind.RM, hosts.here.new Cq(64), with -> with).fromDevice(all());
    }

    private int keyThere() {
        return hosts.there.card.registerKey(new KeyConfig(MemorySegment.NULL, VA, ALL, 5, 9, 42).onDevice(all()));
    }

    private Host.Receives receives() {
        return hosts.there.new Receives(hosts.there.new Cq(64)).intoDevice(all());
    }

    private void restart(long seed, int fragments) {
        copiesHere = new SlowCopies(() -> clock[0], fragments, seed);
        copiesThere = new SlowCopies(() -> clock[0], fragments, seed + 1);
        hosts = new Hosts(copiesHere, copiesThere);
        memoryHere = copiesHere.region(REGION, BYTES);
        memoryThere = copiesThere.region(REGION, BYTES);
        keyThere = keyThere();
        queue = queue();
        receives = receives();
        target = hosts.here.card.createTarget(hosts.toThere, receives.number());
    }

    /** Lets time pass until that many records are there; markers of a failed queue do not count. */
    private List<Host.CqRecord> records(int count) {
        List<Host.CqRecord> records = new ArrayList<>();
        for (int i = 0; i < 10_000 && records.size() < count; i++) {
            pass(i < 5_000 ? 5_000 : 1_000_000);
            queue.cq.pollAll().stream()
                    .filter(told -> told.status() != WorkStatus.WR_FLUSH_ERR_DONE)
                    .forEach(records::add);
        }
        assertThat(records).hasSize(count);
        return records;
    }

    private void pass(long nanos) {
        hosts.now += nanos;
        clock[0] = hosts.now;
        hosts.run();
    }

    private void fill(MemorySegment memory, long seed) {
        Random random = new Random(seed);
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    private void assertSame(MemorySegment one, long at, MemorySegment other, long otherAt, long lengthBytes) {
        assertThat(MemorySegment.mismatch(one, at, at + lengthBytes, other, otherAt, otherAt + lengthBytes))
                .isEqualTo(-1);
    }

    /** Copies that are not needed any more may still be in progress. */
    private void assertAllFragmentsAreBack() {
        pass(1_000_000);
        pass(1_000_000);
        assertThat(copiesHere.inUse()).isZero();
        assertThat(copiesThere.inUse()).isZero();
    }

    // ---- bytes

    @ParameterizedTest
    @ValueSource(ints = {6, 8, 64})
    void bytesTravelBetweenDevicesThroughALossyNetwork(int fragments) {
        for (long seed = 0; seed < 40; seed++) {
            restart(seed, fragments);
            fill(memoryHere, seed);
            fill(memoryThere, -seed);
            Random random = new Random(seed);
            hosts.here.isLost = _ -> random.nextInt(15) == 0;
            hosts.there.isLost = _ -> random.nextInt(15) == 0;
            int length = 1 + random.nextInt(300_000);
            MemorySegment before = MemorySegment.ofArray(memoryThere.toArray(JAVA_BYTE));

            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, length, 0);
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA + 300_000, 777, 0);
            List<Host.CqRecord> records = records(2);

            assertThat(records).as("seed %d", seed).allMatch(told -> told.status() == WorkStatus.SUCCESS);
            assertSame(memoryHere, 0, memoryThere, 0, length);
            assertSame(memoryHere, 0, memoryThere, 300_000, 777);
            assertSame(before, 300_777, memoryThere, 300_777, 1000);

            queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA + 400_000, length, 0);
            assertThat(records(1)).as("seed %d", seed).allMatch(told -> told.status() == WorkStatus.SUCCESS);
            assertSame(before, 400_000, memoryHere, 0, length);
            assertAllFragmentsAreBack();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1000, 70_000})
    void rangesOfADeviceAreSentAsOne(int rangeBytes) {
        restart(rangeBytes, 5);
        fill(memoryHere, rangeBytes);

        queue.write(hosts.memoryThere, keyThere, VA, 4, rangeBytes, 100_000);

        assertThat(records(1)).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        for (int i = 0; i < 4; i++) {
            assertSame(memoryHere, i * 100_000L, memoryThere, (long) i * rangeBytes, rangeBytes);
        }
        assertAllFragmentsAreBack();
    }

    @Test
    void messagesFillBuffersOnADevice() {
        for (long seed = 0; seed < 40; seed++) {
            restart(seed, 8);
            fill(memoryHere, seed);
            Random random = new Random(seed);
            hosts.here.isLost = _ -> random.nextInt(10) == 0;
            receives.post(2, 4096);

            queue.message(WorkOpcode.SEND, target, 4000, 0);
            queue.message(WorkOpcode.SEND_IMM, target, 10, 7);
            assertThat(records(2)).as("seed %d", seed).allMatch(told -> told.status() == WorkStatus.SUCCESS);

            assertThat(receives.cq.pollAll()).as("seed %d", seed).hasSize(2).allMatch(told -> told.status() == 0);
            assertSame(memoryHere, 0, memoryThere, receives.bufferAt(0), 4000);
            assertSame(memoryHere, 0, memoryThere, receives.bufferAt(1), 10);
            assertAllFragmentsAreBack();
        }
    }

    @Test
    void atomicReturnsTheOldValueIntoTheDevice() {
        memoryThere.set(JAVA_LONG_UNALIGNED, 64, 40);

        queue.oneSided(WorkOpcode.FADD, hosts.memoryThere, keyThere, VA + 64, 8, 2);

        assertThat(records(1)).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        assertThat(memoryThere.get(JAVA_LONG_UNALIGNED, 64)).isEqualTo(42);
        assertThat(memoryHere.get(JAVA_LONG_UNALIGNED, 0)).isEqualTo(40);
        assertAllFragmentsAreBack();
    }

    // ---- waiting

    @Test
    void resultOfAReadWaitsForItsCopy() {
        copiesHere.mostNanos = SlowCopies.NEVER;
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        for (int i = 0; i < 100; i++) {
            pass(5_000);
        }

        assertThat(copiesHere.begun).isEqualTo(1);
        assertThat(queue.cq.pollAll()).isEmpty();
    }

    /** The peer answers nothing, for it was asked for nothing: it is not to blame. */
    @Test
    void peerIsNotBlamedForASlowDeviceOfThisHost() {
        copiesHere.mostNanos = SlowCopies.NEVER;
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, 64, 0);
        for (int i = 0; i < 60; i++) {
            pass(1_000_000_000L);
        }

        assertThat(queue.cq.pollAll()).isEmpty();
        assertThat(hosts.here.events).isEmpty();
    }

    /** The bytes of a WRITE by another connection must be in the memory, or never come, before its owner hears that it is revoked. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void recordOfAnInvalidationWaitsForCopiesInProgress(int messageBytes) {
        copiesHere.mostNanos = 1;
        copiesThere.mostNanos = 2_000_000;
        fill(memoryHere, 1);
        receives = hosts.there.new Receives(hosts.there.new Cq(64), with -> with.allowInvalidate(true));
        receives.post(1, 4096);
        int otherConnection = hosts.memoryThere;
        hosts.connect();
        target = hosts.here.card.createTarget(hosts.toThere, receives.number());
        Host.Sends other = queue();

        other.oneSided(WorkOpcode.WRITE, otherConnection, keyThere, VA, 64, 0);
        for (int i = 0; i < 10 && copiesThere.begun == 0; i++) {
            pass(1_000);
        }
        assertThat(copiesThere.begun).isEqualTo(1);
        queue.message(WorkOpcode.SEND_INVALIDATE, target, messageBytes, keyThere);
        List<Host.CqRecord> received = List.of();
        for (int i = 0; i < 1_000 && received.isEmpty(); i++) {
            assertThat(queue.cq.pollAll()).isEmpty();
            pass(10_000);
            received = receives.cq.pollAll();
        }

        assertThat(received)
                .hasSize(1)
                .allMatch(told -> told.status() == WorkStatus.SUCCESS && told.has(Cqe.HAS_INVALIDATED));
        assertSame(memoryHere, 0, memoryThere, 0, 64);
        assertThat(records(1)).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        assertAllFragmentsAreBack();
    }

    // ---- given up

    /** Why requests end early. */
    enum End {
        ERROR,
        PEER_LOST
    }

    private void end(End why) {
        switch (why) {
            case ERROR -> hosts.here.card.modifySendQueue(queue.handle, QueueState.ERROR, hosts.now);
            case PEER_LOST -> hosts.here.card.peerLost(hosts.toThere, hosts.now);
        }
    }

    /** Bytes have arrived, and are being copied into the device: that takes a while. */
    private void awaitCopyHere() {
        for (int i = 0; i < 100 && copiesHere.begun == 0; i++) {
            pass(1_000);
        }
        assertThat(copiesHere.begun).isPositive();
        assertThat(copiesHere.nextNanos()).isGreaterThan(hosts.now + 100_000);
    }

    private void assertNothingMovesHere(long lengthBytes) {
        memoryHere.fill(CANARY);
        for (int i = 0; i < 100; i++) {
            pass(100_000);
        }
        for (long at = 0; at < lengthBytes; at++) {
            assertThat(memoryHere.get(JAVA_BYTE, at)).as("byte %d", at).isEqualTo(CANARY);
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void givenUpReadMovesNoByteAfterItsRecord(End why) {
        copiesHere.mostNanos = 5_000_000;
        fill(memoryThere, 1);
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        queue.nop();
        awaitCopyHere();

        end(why);

        List<Host.CqRecord> ended = records(1);
        assertThat(ended.getFirst().position()).isZero();
        assertThat(ended.getFirst().status()).isIn(WorkStatus.WR_FLUSH_ERR, WorkStatus.ACK_TIMEOUT_ERR);
        assertNothingMovesHere(64);
        assertAllFragmentsAreBack();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void givenUpTransferMovesNoByteAfterItsRecord(End why) {
        copiesHere.mostNanos = 5_000_000;
        fill(memoryThere, 1);
        queue.readBlocks(hosts.memoryThere, keyThere, VA, 8, 64);
        awaitCopyHere();

        end(why);

        assertThat(records(1).getFirst().status()).isIn(WorkStatus.WR_FLUSH_ERR, WorkStatus.ACK_TIMEOUT_ERR);
        assertNothingMovesHere(8 * 64);
        assertAllFragmentsAreBack();
    }

    /** The marker of the state says that all records are there. */
    @Test
    void markerFollowsTheRecordThatWaitsForACopy() {
        copiesHere.mostNanos = 5_000_000;
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        awaitCopyHere();

        end(End.ERROR);

        assertThat(queue.cq.pollAll()).isEmpty();
        assertThat(queue.flush(hosts.now)).isEmpty();
        List<Host.CqRecord> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pass(100_000);
            all.addAll(queue.cq.pollAll());
        }
        assertThat(all)
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.WR_FLUSH_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
    }

    /** A copy that never ends holds back the records of its own queue, and no other. */
    @Test
    void otherQueuesGoOnBesideARecordThatWaitsForACopy() {
        copiesHere.mostNanos = SlowCopies.NEVER;
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        for (int i = 0; i < 100; i++) {
            pass(5_000);
        }
        end(End.ERROR);
        var other = hosts.here.new Sends(SendQueueConfig.Kind.RM, hosts.here.new Cq(64), with -> with);

        other.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        for (int i = 0; i < 100; i++) {
            pass(5_000);
        }

        assertThat(queue.cq.pollAll()).isEmpty();
        assertThat(other.cq.pollAll()).singleElement().matches(told -> told.status() == WorkStatus.SUCCESS);
    }

    /** The buffer of a message that breaks off is used for the next one, whose record says that nothing moves in it any more. */
    @Test
    void bufferOfABrokenMessageIsNotUsedWhileBytesOfItMove() {
        copiesThere.mostNanos = 5_000_000;
        fill(memoryHere, 1);
        receives.post(1, 4096);
        queue.message(WorkOpcode.SEND, target, 4000, 0);
        for (int i = 0; i < 10_000 && copiesThere.begun == 0; i++) {
            pass(1_000);
        }
        assertThat(copiesThere.begun).isEqualTo(1);
        hosts.connectAnew();
        target = hosts.here.card.createTarget(hosts.toThere, receives.number());
        queue = queue();

        queue.message(WorkOpcode.SEND, target, 0, 0);
        List<Host.CqRecord> received = List.of();
        for (int i = 0; i < 1_000 && received.isEmpty(); i++) {
            pass(10_000);
            received = receives.cq.pollAll();
        }

        assertThat(received).singleElement().matches(told -> told.status() == WorkStatus.SUCCESS && told.length() == 0);
        memoryThere.fill(CANARY);
        pass(10_000_000);
        assertThat(memoryThere.get(JAVA_BYTE, receives.bufferAt(0))).isEqualTo(CANARY);
        assertAllFragmentsAreBack();
    }

    // ---- failures

    @Test
    void lostDeviceFailsWhatItSendsAndWhatItReceives() {
        copiesHere.isLost = true;
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, 5000, 0);
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 5000, 0);

        assertThat(records(2).getFirst().status()).isEqualTo(WorkStatus.LOC_ACCESS_ERR);
        assertAllFragmentsAreBack();
    }

    @Test
    void readWhoseBytesTheDeviceLosesFails() {
        copiesHere.isLost = true;
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.LOC_ACCESS_ERR);
        assertAllFragmentsAreBack();
    }

    /** S16.3: it would tell the home that its bytes were taken. */
    @Test
    void transferWhoseBytesTheDeviceLosesGivesNoNotice() {
        copiesHere.isLost = true;
        queue.readBlocksThenWrite(hosts.memoryThere, keyThere, VA, 4, 64, VA + 4096);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.LOC_ACCESS_ERR);
        assertThat(memoryThere.get(JAVA_LONG_UNALIGNED, 4096)).isZero();
        assertAllFragmentsAreBack();
    }

    @Test
    void lostDeviceOfTheHomeIsAnErrorOfTheRemoteOperation() {
        copiesThere.isLost = true;
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, 5000, 0);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.REM_OPERATION_ERR);
        assertAllFragmentsAreBack();
    }

    @Test
    void messageIntoALostDeviceFailsOnBothSides() {
        copiesThere.isLost = true;
        receives.post(1, 4096);
        queue.message(WorkOpcode.SEND, target, 4000, 0);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.REM_OPERATION_ERR);
        assertThat(receives.cq.pollAll()).singleElement().matches(told -> told.status() == WorkStatus.LOC_ACCESS_ERR);
        assertAllFragmentsAreBack();
    }

    @Test
    void revokedKeyMovesNoByteOfADevice() {
        hosts.there.card.revokeKey(keyThere);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, 64, 0);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(copiesThere.begun).isZero();
    }

    /** They left the device while the key was valid, and not the host. */
    @Test
    void bytesThatWereFetchedBeforeARevocationStayHere() {
        copiesThere.mostNanos = 500_000;
        fill(memoryThere, 5);
        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, VA, 64, 0);
        hosts.run();
        assertThat(copiesThere.begun).isEqualTo(1);

        hosts.there.card.revokeKey(keyThere);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(memoryHere.get(JAVA_LONG_UNALIGNED, 0)).isZero();
        assertAllFragmentsAreBack();
    }

    /** The word of a WRITE_NOTIFY is stored at once, so it lies in memory of the host. */
    @Test
    void keyOfADeviceStoresNoWord() {
        MemorySegment host = hosts.there.memory(64);
        int hostKey = hosts.there.card.registerKey(new KeyConfig(host, VA, ALL, 5, 9, 42));

        queue.notify(hosts.memoryThere, hostKey, VA, 8, keyThere, VA + 64, 5);

        assertThat(records(1).getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(memoryThere.get(JAVA_LONG_UNALIGNED, 64)).isZero();
    }

    @Test
    void destroyedQueueGivesItsFragmentsBack() {
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, VA, 500_000, 0);
        hosts.run();
        assertThat(copiesHere.inUse()).isPositive();

        hosts.here.card.destroySendQueue(queue.handle);
        for (int i = 0; i < 100; i++) {
            pass(50_000);
        }

        assertThat(copiesHere.inUse()).isZero();
    }
}
