package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.FakeGrants.Fake;
import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** S14.18: the windows of a lease end with it, whichever thread is first. */
class BlockExportsTest {
    private static final int ROUNDS = Boolean.getBoolean("urma.full") ? 100_000 : 5_000;

    private final AtomicInteger returned = new AtomicInteger();
    private final MemorySegment memory = Arena.ofAuto().allocate(64, 8);
    private final Block block = new Block(memory, List.of(), _ -> returned.incrementAndGet());

    private static RemoteBuf bufOf(Fake fake) {
        return RemoteBuf.of(List.of(new RemoteBuf.Window(0, 0, RemoteBufs.shmSlab(), fake.key())));
    }

    private static final Peer PEER = new Peer(List.of(new Peer.Member("shm", new PeerId(Eid.parse("::1"), 7, 1))));

    private static boolean add(Block block, long lease, Fake fake) {
        return block.addExport(lease, PEER, bufOf(fake).windows(), List.of(fake.grant()));
    }

    @Test
    void lastHandleRevokesAllWindows() {
        Fake first = new Fake(1);
        Fake second = new Fake(2);
        long lease = block.beginLease(1);
        assertThat(add(block, lease, first)).isTrue();
        block.retain(lease, this);
        assertThat(add(block, lease, second)).isTrue();

        block.release(lease);
        assertThat(first.isTakenBack()).isFalse();
        block.release(lease);

        assertThat(first.isTakenBack()).isTrue();
        assertThat(second.isTakenBack()).isTrue();
        assertThat(block.endExports()).isTrue();
        assertThat(returned).hasValue(1);
    }

    @Test
    void revokeEndsTheWindowsOfAHeldLease() {
        Fake fake = new Fake(1);
        long lease = block.beginLease(1);
        add(block, lease, fake);
        block.hold(lease, this);

        block.revoke();

        assertThat(fake.isTakenBack()).isTrue();
        assertThat(returned).hasValue(0);
        block.unhold();
        assertThat(returned).hasValue(1);
    }

    @Test
    void anEndedLeaseExportsNothing() {
        Fake fake = new Fake(1);
        long lease = block.beginLease(1);
        block.hold(lease, this);
        block.release(lease);

        assertThat(add(block, lease, fake)).isFalse();
        assertThat(fake.isTakenBack()).isTrue();
        block.unhold();
    }

    @Test
    void aBusyWindowKeepsTheBlockUntilItIsQuiet() {
        Fake busy = new Fake(1);
        Fake idle = new Fake(2);
        busy.isBusy = true;
        long lease = block.beginLease(1);
        add(block, lease, busy);
        add(block, lease, idle);
        assertThat(block.takeBackExport(lease, bufOf(busy).first(8).windows())).isFalse();
        assertThat(block.takeBackExport(lease, bufOf(idle).windows())).isTrue();
        assertThat(block.takeBackExport(lease, bufOf(new Fake(3)).windows())).isTrue();
        block.release(lease);

        assertThat(block.endExports()).isFalse();
        busy.isBusy = false;
        assertThat(block.endExports()).isTrue();
    }

    @Test
    void theNextLeaseHasNoneOfTheWindows() {
        Fake first = new Fake(1);
        Fake second = new Fake(2);
        long lease = block.beginLease(1);
        add(block, lease, first);
        block.release(lease);
        assertThat(block.endExports()).isTrue();
        long next = block.beginLease(1);
        add(block, next, second);

        assertThat(block.takeBackExport(lease, bufOf(second).windows())).isTrue();
        block.release(lease); // a handle of the old lease

        assertThat(second.isTakenBack()).isFalse();
        block.release(next);
        assertThat(second.isTakenBack()).isTrue();
    }

    /** The next lease begins on whichever thread ends the last use, while the other may still revoke. */
    @Test
    void exportThatRacesWithTheEndOfItsLeaseLeavesNoWindow() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CyclicBarrier end = new CyclicBarrier(2);
        Race[] current = new Race[1];
        Thread exporter = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                await(start);
                current[0].export();
                await(end);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            Race race = new Race(memory);
            current[0] = race;
            await(start);
            race.block.release(race.lease);
            await(end);
            assertThat(race.first.isTakenBack()).as("round %d", i).isTrue();
            assertThat(race.next.isTakenBack()).as("round %d", i).isFalse();
        }
        exporter.join();
    }

    private static final class Race {
        final Fake first = new Fake(1);
        final Fake next = new Fake(2);
        final Block block;
        final long lease;

        Race(MemorySegment memory) {
            this.block = new Block(memory, List.of(), this::beginNext);
            this.lease = block.beginLease(1);
        }

        /** As {@link RdmaBuf#exportTo} does. */
        void export() {
            try {
                block.hold(lease, this);
            } catch (UrmaException e) {
                first.takeBack();
                return;
            }
            if (!add(block, lease, first)) {
                first.takeBack();
            }
            block.unhold();
        }

        private void beginNext(Block ended) {
            assertThat(ended.endExports()).isTrue();
            add(ended, ended.beginLease(1), next);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
