package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.KeyLife;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys through all their lives, on a card that has only a few. */
class KeyTableTest {
    private static final int FEW = 3;
    private static final int LIVES = 256; // what 8 bits tell apart
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final int PEER = 5;
    private static final long VA = 0x10000;

    private final Hosts hosts = new Hosts(FEW);
    private final Host here = hosts.here;
    private final Card there = hosts.there.card;
    private final Host.Cq cq = here.new Cq(64);
    private final MemorySegment memory = hosts.there.memory(64);

    private int register() {
        return there.registerKey(new KeyConfig(memory, VA, ALL, PEER, 0, 0));
    }

    private int registerOfAnyVa() {
        return there.registerKey(
                new KeyConfig(memory, VA, true, ALL, PEER, 0, 0, KeyConfig.SILENT, KeyConfig.NOT_PINNED));
    }

    /** What a WRITE by the key comes to; in a queue of its own, since a refusal ends one. */
    private int statusOfWriteBy(int key) {
        return statusOfWrite(key, VA);
    }

    private int statusOfWrite(int key, long va) {
        Host.Sends queue = here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder);
        queue.scratch.set(JAVA_LONG, 0, key);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, key, va, 8, 0);
        hosts.run();
        int status = cq.pollAll().getFirst().status();
        here.card.destroySendQueue(queue.handle);
        return status;
    }

    private static int index(int key) {
        return key >>> 8;
    }

    @Test
    void eachIndexHas256LivesAndThenThereIsNoKeyLeft() {
        Set<Integer> keys = new HashSet<>();
        for (int life = 0; life < FEW * LIVES; life++) {
            int key = register();
            assertThat(key).as("life %d", life).isNotZero();
            assertThat(keys.add(key))
                    .as("key 0x%08x was never there before", key)
                    .isTrue();
            assertThat(there.revokeKey(key)).isTrue();
        }

        assertThat(register()).as("when all lives are spent").isZero();
        assertThat(keys).extracting(KeyTableTest::index).containsOnly(1, 2, 3);
    }

    /** While others live on: it is not in line any more, so nobody is given it. */
    @Test
    void anIndexWithoutLivesIsNotGivenOutAgain() {
        int retired = register();
        int others = register();
        int kept = register();
        for (int life = 0; life < LIVES; life++) {
            assertThat(index(retired)).as("life %d", life).isEqualTo(1);
            there.revokeKey(retired);
            retired = register();
        }
        assertThat(retired)
                .as("the others live, and the index has no life left")
                .isZero();

        there.revokeKey(others);
        for (int life = 1; life < LIVES; life++) {
            int key = register();
            assertThat(index(key)).as("life %d", life).isEqualTo(index(others));
            there.revokeKey(key);
        }
        assertThat(register()).isZero();
        assertThat(statusOfWriteBy(kept)).isEqualTo(WorkStatus.SUCCESS);
    }

    @Test
    void aStaleKeyIsRefusedInEveryLaterLifeAndAfterTheLast() {
        List<Integer> stale = new ArrayList<>();
        for (int life = 0; life < FEW * LIVES; life++) {
            int key = register();
            if (life % 64 == 0) {
                assertThat(statusOfWriteBy(key)).as("living key 0x%08x", key).isEqualTo(WorkStatus.SUCCESS);
                assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(key);
                for (int old : stale) {
                    assertThat(statusOfWriteBy(old))
                            .as("key 0x%08x, while 0x%08x lives", old, key)
                            .isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
                }
                assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(key);
                stale.add(key);
            }
            there.revokeKey(key);
        }
        memory.set(JAVA_LONG, 0, 0);
        for (int index = 1; index <= FEW; index++) {
            for (int generation = 0; generation < LIVES; generation++) {
                int key = index << 8 | generation;
                if (generation % 16 == 0) {
                    assertThat(statusOfWriteBy(key)).as("key 0x%08x", key).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
                }
                assertThat(there.revokeKey(key)).as("key 0x%08x", key).isFalse();
            }
        }
        assertThat(memory.get(JAVA_LONG, 0)).isZero();
    }

    /** Its users take the VA base from the card, which holds the rest of the life's number. */
    @Test
    void aKeyOfAnyVaNeverRunsOutAndIsNeverWhatItWas() {
        Set<Long> lives = new HashSet<>();
        for (int life = 0; life < 4 * FEW * LIVES; life++) {
            int key = registerOfAnyVa();
            assertThat(key).as("life %d", life).isNotZero();
            assertThat(lives.add((long) index(key) << 32 | KeyLife.of(key, there.vaBase(key))))
                    .as("life %d", life)
                    .isTrue();
            there.revokeKey(key);
        }
        assertThat(register()).as("lives are left for a key that needs its VA").isNotZero();
    }

    @Test
    void aStaleKeyOfAnyVaIsRefusedThoughItsNumberHasComeAgain() {
        int stale = registerOfAnyVa();
        there.revokeKey(stale);
        int key = registerOfAnyVa();
        while (key != stale) {
            there.revokeKey(key);
            key = registerOfAnyVa();
        }
        long va = there.vaBase(key);

        assertThat(va).isNegative();
        assertThat(statusOfWriteBy(stale)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(statusOfWrite(key, va)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(statusOfWrite(key, va + 64)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(statusOfWrite(key, va - 8)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
    }
}
