package io.urma4j.udma.staging;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaOptions;
import io.urma4j.libc.NativeMemory;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.NpuProfile;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.tck.Patience;
import io.urma4j.udma.device.CopyPort;
import io.urma4j.udma.device.CopyWaiter;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies of a card on a simulated NPU, whose engine can be stopped. The lock stands for that of the card. */
class StagerTest {
    private static final int LENGTH = 1 << 20;
    private static final RegionUser NO_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger woken = new AtomicInteger();
    private final CopyWaiter waiter = woken::incrementAndGet;
    private Stager stager = new Stager();
    private SimulatedNpus npus;
    private PeerMemory peers;
    private DeviceMemory memory;
    private PeerRegion region;
    private int number;
    private int failures; // of the card's next steps, on threads that pin pages; guarded by the lock
    private int errors; // likewise, on the thread that watches copies

    @BeforeEach
    void open() {
        open(NpuProfile.DMABUF);
    }

    private void open(NpuProfile profile) {
        npus = new SimulatedNpus(NpuConfig.DEFAULT.withProfile(profile));
        peers = PeerMemory.open(UrmaOptions.DEFAULT.withSetting("urma.npu", ""));
        peers.add(npus);
        memory = peers.allocate(SimulatedNpus.NAME, 0, LENGTH);
        memory.fill(0, LENGTH, (byte) 0);
        region = memory.pin(true, List.of());
        region.activate(NO_KEYS);
        number = stager.add(region);
        start();
    }

    private void start() {
        stager.start(task -> {
            lock.lock();
            try {
                if (Thread.currentThread().isVirtual() && failures > 0) {
                    failures--;
                    throw new IllegalStateException("planned");
                }
                if (Thread.currentThread().getName().equals("urma-copies") && errors > 0) {
                    errors--;
                    throw new AssertionError("planned");
                }
                task.run();
            } finally {
                lock.unlock();
            }
        });
    }

    @AfterEach
    void close() {
        npus.stop(0, false);
        stager.close();
        region.close();
        peers.close();
        assertThat(npus.violations()).isEmpty();
    }

    private static NativeMemory word(long value) {
        NativeMemory word = NativeMemory.allocate(Long.BYTES);
        word.setLong(0, value);
        return word;
    }

    private long copyIn(long offset, long value) {
        return locked(() -> stager.copyIn(number, offset, word(value), 0, 8, waiter));
    }

    private long copyOut(long offset) {
        return locked(() -> stager.copyOut(number, offset, 8, waiter));
    }

    private long fadd(long offset, long operand) {
        return locked(() -> stager.atomic(WorkOpcode.FADD, number, offset, 8, operand, 0, waiter));
    }

    private <T> T locked(java.util.function.Supplier<T> call) {
        lock.lock();
        try {
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    private void awaitState(long copy, CopyState state) {
        Patience.await("copy " + state, () -> locked(() -> stager.state(copy)) == state);
    }

    private long valueOf(long copy) {
        return locked(() -> stager.bytes(copy).get(JAVA_LONG_UNALIGNED, 0));
    }

    @Test
    void copiesTakeEffectInTheOrderOfTheirStart() {
        copyIn(64, 17);
        copyIn(64, 18);
        long copy = copyOut(64);

        awaitState(copy, CopyState.DONE);

        assertThat(valueOf(copy)).isEqualTo(18);
    }

    /** No thread drives the card: the watch does. */
    @Test
    void waiterHearsOfTheEnd() {
        copyIn(64, 17);

        Patience.await("waiter", () -> woken.get() > 0);
    }

    @Test
    void atomicOwnsItsRegion() {
        npus.stop(0, true);
        long atomic = fadd(64, 5);

        assertThat(copyIn(64, 1)).isEqualTo(Memory.BUSY);
        assertThat(fadd(64, 1)).isEqualTo(Memory.BUSY);
        assertThat(locked(() -> stager.mayBegin(number, CopyPort.MAX_BYTES, waiter)))
                .isFalse();
        npus.stop(0, false);
        awaitState(atomic, CopyState.DONE);

        assertThat(locked(() -> stager.original(atomic))).isZero();
        assertThat(locked(() -> stager.mayBegin(number, CopyPort.MAX_BYTES, waiter)))
                .isTrue();
        long next = fadd(64, 1);
        awaitState(next, CopyState.DONE);
        assertThat(locked(() -> stager.original(next))).isEqualTo(5);
    }

    @Test
    void joinedCopiesEndTogether() {
        long first = copyIn(64, 17);
        npus.stop(0, true);
        long second = copyIn(128, 18);
        locked(() -> {
            stager.join(first, second);
            return null;
        });
        assertThat(locked(() -> stager.state(first))).isEqualTo(CopyState.RUNNING);

        npus.stop(0, false);

        awaitState(first, CopyState.DONE);
        locked(() -> {
            stager.release(first);
            return null;
        });
        assertThatThrownBy(() -> stager.state(second)).hasMessageContaining("unknown copy");
    }

    @Test
    void fragmentsAreBoundedAndComeBack() {
        npus.stop(0, true);
        List<Long> copies = new ArrayList<>();
        long copy = locked(() -> stager.copyOut(number, 0, CopyPort.MAX_BYTES, waiter));
        while (copy > 0) {
            copies.add(copy);
            copy = locked(() -> stager.copyOut(number, 0, CopyPort.MAX_BYTES, waiter));
        }
        assertThat(copy).isEqualTo(Memory.BUSY);
        assertThat(copies).hasSize(EngineSlab.LONG_FRAGMENTS);
        assertThat(locked(() -> stager.hasRoom(number, waiter))).isFalse();
        assertThat(locked(() -> stager.mayBegin(number, CopyPort.MAX_BYTES, waiter)))
                .isFalse();
        assertThat(locked(() -> stager.mayBegin(number, EngineSlab.SHORT_BYTES, waiter)))
                .isTrue();

        copies.forEach(one -> locked(() -> {
            stager.release(one);
            return null;
        }));
        woken.set(0);
        npus.stop(0, false);

        Patience.await("room", () -> locked(() -> stager.hasRoom(number, waiter)));
        assertThat(woken.get()).isPositive();
    }

    @Test
    void freedMemoryRefusesCopiesAndMovesNoByte() {
        npus.stop(0, true);
        long copy = copyIn(64, 17);

        memory.closeByForce();

        awaitState(copy, CopyState.REFUSED);
        assertThat(copyIn(64, 18)).isEqualTo(Memory.REFUSED);
        assertThat(copyOut(64)).isEqualTo(Memory.REFUSED);
        assertThat(fadd(64, 1)).isEqualTo(Memory.REFUSED);
    }

    @Test
    void removedRegionRefusesCopies() {
        stager.remove(number);

        assertThat(copyIn(64, 18)).isEqualTo(Memory.REFUSED);
        assertThat(copyOut(64)).isEqualTo(Memory.REFUSED);
    }

    /** A thread of its own pins the pages: the card does not wait. */
    @Test
    void copiesFollowPagesThatMoved() {
        for (int i = 1; i <= 20; i++) {
            npus.move(0, memory.address());
            long value = i;
            Patience.await("the copy begins", () -> copyIn(64, value) > 0);
        }
        long copy = copyOut(64);

        awaitState(copy, CopyState.DONE);

        assertThat(valueOf(copy)).isEqualTo(20);
    }

    @Test
    void barrierWaitsForWhatIsInProgress() {
        assertThat(locked(() -> stager.quiet(number))).isDone();
        npus.stop(0, true);
        copyIn(64, 17);
        CompletableFuture<Void> barrier = locked(() -> stager.quiet(number));
        copyIn(64, 18);
        assertThat(barrier).isNotDone();

        npus.stop(0, false);

        Patience.await("barrier", barrier::isDone);
    }

    /** Another copy begins behind its first half, and ends before its second. */
    @Test
    void barrierWaitsForBothHalvesOfAnAtomic() {
        npus.stop(0, true);
        long atomic = fadd(64, 5);
        long other = copyOut(0);
        long barrier = locked(() -> stager.barrier(Memory.AT_ONCE, number, waiter));

        lock.lock(); // the second half does not begin before the engine has stopped again
        try {
            npus.stop(0, false);
            Patience.await("the other copy ends", () -> stager.state(other) == CopyState.DONE);
            npus.stop(0, true);
            stager.poll();
            assertThat(stager.state(atomic)).isEqualTo(CopyState.RUNNING);
            assertThat(stager.state(barrier)).isEqualTo(CopyState.RUNNING);
        } finally {
            lock.unlock();
        }
        npus.stop(0, false);

        awaitState(barrier, CopyState.DONE);
        assertThat(locked(() -> stager.state(atomic))).isEqualTo(CopyState.DONE);
    }

    /** No thread drives the card. */
    @Test
    void copyThatHangsIsAbortedOnAnIdleCard() {
        stager.close();
        stager = new Stager(TimeUnit.MILLISECONDS.toNanos(50));
        number = stager.add(region);
        start();
        npus.stop(0, true);

        long copy = copyIn(64, 17);

        awaitState(copy, CopyState.LOST);
    }

    /** Its old value has come out; the new one goes in once the pages are pinned anew. */
    @Test
    void atomicGoesOnWhenItsPagesMoveBetweenItsHalves() {
        copyIn(64, 5);
        CompletableFuture<Void> barrier;
        long atomic;
        lock.lock(); // as long as it is held, the second half does not begin
        try {
            atomic = fadd(64, 7);
            Patience.await("the first half has ended", () -> region.copiesInFlight() == 0);
            npus.move(0, memory.address());
            stager.poll();
            assertThat(stager.state(atomic)).isEqualTo(CopyState.RUNNING);
            barrier = stager.quiet(number);
            assertThat(barrier).isNotDone();
            assertThat(stager.copyIn(number, 64, word(1), 0, 8, waiter)).isEqualTo(Memory.BUSY);
        } finally {
            lock.unlock();
        }

        awaitState(atomic, CopyState.DONE);
        Patience.await("barrier", barrier::isDone);
        assertThat(locked(() -> stager.original(atomic))).isEqualTo(5);
        long copy = copyOut(64);
        awaitState(copy, CopyState.DONE);
        assertThat(valueOf(copy)).isEqualTo(12);
    }

    @Test
    void atomicWhoseMemoryIsFreedBetweenItsHalvesIsRefused() {
        long atomic;
        lock.lock();
        try {
            atomic = fadd(64, 7);
            Patience.await("the first half has ended", () -> region.copiesInFlight() == 0);
            npus.move(0, memory.address());
            stager.poll();
            memory.closeByForce();
        } finally {
            lock.unlock();
        }

        awaitState(atomic, CopyState.REFUSED);
        assertThat(locked(() -> stager.quiet(number))).isDone();
    }

    /** Its pages move between its halves, and a thread begins to pin them. That thread reports once the caller releases the lock. */
    private long atomicBetweenItsHalves() {
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        long atomic = fadd(64, 7);
        Patience.await("the first half has ended", () -> region.copiesInFlight() == 0);
        npus.move(0, memory.address());
        stager.poll();
        assertThat(stager.state(atomic)).isEqualTo(CopyState.RUNNING);
        return atomic;
    }

    @Test
    void pagesThatCannotBePinnedFailTheAtomicAlone() {
        npus.faults().on("getPages", 1, () -> {
            throw new IllegalStateException("planned");
        });
        long atomic = locked(this::atomicBetweenItsHalves);

        awaitState(atomic, CopyState.REFUSED);

        assertThat(copyIn(64, 17)).isEqualTo(Memory.BUSY);
        Patience.await("the copy begins", () -> copyIn(64, 17) > 0);
    }

    @Test
    void anErrorOfTheClientFailsTheAtomicAndNothingElse() {
        npus.faults().on("getPages", 1, () -> {
            throw new AssertionError("planned");
        });
        CompletableFuture<Void> barrier;
        long atomic;
        lock.lock();
        try {
            atomic = atomicBetweenItsHalves();
            barrier = stager.quiet(number);
        } finally {
            lock.unlock();
        }

        awaitState(atomic, CopyState.REFUSED);

        Patience.await("the copy begins", () -> copyIn(64, 17) > 0);
        Patience.await("barrier", barrier::isDone);
    }

    @Test
    void anAtomicGoesOnThoughAStepOfTheCardFails() {
        long atomic = locked(() -> {
            failures = 2;
            return atomicBetweenItsHalves();
        });

        awaitState(atomic, CopyState.DONE);

        assertThat(locked(() -> failures)).isZero();
    }

    /** S9.4: the thread that aborts late copies outlives an Error. */
    @Test
    void aCopyEndsThoughAStepOfTheCardEndsInAnError() {
        locked(() -> errors = 2);
        copyIn(64, 17);

        Patience.await("woken", () -> woken.get() > 0);

        assertThat(locked(() -> errors)).isZero();
    }

    @Test
    void barriersOfSeveralConnectionsEndTogether() {
        npus.stop(0, true);
        assertThat(locked(() -> stager.barrier(Memory.AT_ONCE, number, waiter))).isEqualTo(Memory.AT_ONCE);
        copyIn(64, 17);
        long first = locked(() -> stager.barrier(Memory.AT_ONCE, number, waiter));
        long second = locked(() -> stager.barrier(Memory.AT_ONCE, number, waiter));
        copyIn(64, 18);
        assertThat(locked(() -> stager.barrier(first, number, waiter))).isEqualTo(first);
        awaitState(first, CopyState.RUNNING);
        awaitState(second, CopyState.RUNNING);

        npus.stop(0, false);

        awaitState(first, CopyState.DONE);
        awaitState(second, CopyState.DONE);
        locked(() -> {
            stager.release(first); // it need not be
            return null;
        });
    }

    /** Of a request that ended without a record. */
    @Test
    void endOfReleasedCopiesIsTold() {
        npus.stop(0, true);
        long needed = copyIn(64, 17);
        copyOut(64);
        assertThat(locked(stager::releasedCopies)).isDone();
        assertThat(locked(stager::copiesIn)).isNotDone();
        locked(() -> {
            stager.release(needed);
            return null;
        });
        CompletableFuture<Void> ended = locked(stager::releasedCopies);
        assertThat(ended).isNotDone();

        npus.stop(0, false);

        Patience.await("end of the copies", ended::isDone);
        assertThat(locked(stager::copiesIn)).isDone();
    }

    @Test
    void releasedCopyIsUnknown() {
        long copy = copyIn(64, 17);
        locked(() -> {
            stager.release(copy);
            return null;
        });

        assertThatThrownBy(() -> stager.release(copy)).hasMessageContaining("unknown copy " + copy);
        assertThatThrownBy(() -> stager.state(copy + (1 << 16))).hasMessageContaining("unknown copy");
    }

    @Test
    void closedStagerTakesNoRegion() {
        stager.close();
        stager.close();

        assertThatThrownBy(() -> stager.add(region)).hasMessage("the device is closed");
    }
}
