package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** S6.12: what a failure towards one target leaves alone. Two connections stand for two homes that give equal keys. */
class FailedTargetsTest {
    private static final long VA = 0x10000;
    private static final int PEER = 5;

    private final Hosts hosts = new Hosts();
    private final Host here = hosts.here;
    private final Host.Cq cq = here.new Cq(64);
    private final MemorySegment memory = hosts.there.memory(64);
    private final int key =
            hosts.there.card.registerKey(new KeyConfig(memory, VA, Memory.READ | Memory.WRITE, PEER, 0, 0));
    private final int firstHome = hosts.memoryThere;
    private final int secondHome;
    private final Host.Sends queue =
            here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder.errorByTarget(true));

    FailedTargetsTest() {
        hosts.connect();
        secondHome = hosts.memoryThere;
    }

    private int statusOfWrite(int home, int toKey, long va) {
        queue.scratch.set(JAVA_LONG, 0, 77);
        queue.oneSided(WorkOpcode.WRITE, home, toKey, va, 8, 0);
        hosts.run();
        return cq.pollAll().getFirst().status();
    }

    @Test
    void aKeyThatFailedAtOneHomeIsServedAtAnother() {
        assertThat(statusOfWrite(firstHome, key, VA + memory.byteSize())).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(statusOfWrite(firstHome, key, VA)).isEqualTo(WorkStatus.WR_FLUSH_ERR);

        assertThat(statusOfWrite(secondHome, key, VA)).isEqualTo(WorkStatus.SUCCESS);

        assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(77);
    }

    @Test
    void anotherKeyOfThatHomeIsServed() {
        int other = hosts.there.card.registerKey(new KeyConfig(memory, VA, Memory.WRITE, PEER, 0, 0));
        assertThat(statusOfWrite(firstHome, key, VA - 1)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        assertThat(statusOfWrite(firstHome, other, VA)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(statusOfWrite(firstHome, key, VA)).isEqualTo(WorkStatus.WR_FLUSH_ERR);
    }

    private int statusOfNotify(int toKey, int wordKey) {
        queue.notify(firstHome, toKey, VA, 8, wordKey, VA + 8, 4711);
        hosts.run();
        return cq.pollAll().getFirst().status();
    }

    private int revokedKey() {
        int revoked = hosts.there.card.registerKey(new KeyConfig(memory, VA, Memory.WRITE, PEER, 0, 0));
        hosts.there.card.revokeKey(revoked);
        return revoked;
    }

    /** A WRITE_NOTIFY names two keys: the home says which of them it refused. */
    @Test
    void theKeyOfTheBytesIsServedAfterThatOfTheValueHasFailed() {
        int gone = revokedKey();

        assertThat(statusOfNotify(key, gone)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        assertThat(statusOfWrite(firstHome, key, VA)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(statusOfWrite(firstHome, gone, VA)).isEqualTo(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void theKeyOfTheValueIsServedAfterThatOfTheBytesHasFailed() {
        int gone = revokedKey();

        assertThat(statusOfNotify(gone, key)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        assertThat(statusOfWrite(firstHome, key, VA)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(statusOfWrite(firstHome, gone, VA)).isEqualTo(WorkStatus.WR_FLUSH_ERR);
    }

    /** Its index has the generation once more after 256 lives, with another VA base. */
    @Test
    void aLaterLifeOfAFailedKeyIsServed() {
        KeyConfig window = new KeyConfig(
                memory, VA, /* anyVa= */ true, Memory.WRITE, PEER, 0, 0, KeyConfig.SILENT, KeyConfig.NOT_PINNED);
        int failed = hosts.there.card.registerKey(window);
        hosts.there.card.revokeKey(failed);
        assertThat(statusOfWrite(firstHome, failed, VA)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        int later = hosts.there.card.registerKey(window);
        while (later != failed) {
            hosts.there.card.revokeKey(later);
            later = hosts.there.card.registerKey(window);
        }

        assertThat(statusOfWrite(firstHome, later, hosts.there.card.vaBase(later)))
                .isEqualTo(WorkStatus.SUCCESS);
        assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(77);
    }

    /** A key of that index that has a part of its life in the VA base. */
    private int laterKey() {
        KeyConfig window = new KeyConfig(
                memory, VA, /* anyVa= */ true, Memory.WRITE, PEER, 0, 0, KeyConfig.SILENT, KeyConfig.NOT_PINNED);
        int later = hosts.there.card.registerKey(window);
        while (hosts.there.card.vaBase(later) == VA) {
            hosts.there.card.revokeKey(later);
            later = hosts.there.card.registerKey(window);
        }
        return later;
    }

    /** The queue keeps the latest life alone: the home refuses the others, each time. */
    @Test
    void anEarlierLifeOfAFailedKeyStillFails() {
        int earlier = laterKey();
        long earlierVa = hosts.there.card.vaBase(earlier);
        hosts.there.card.revokeKey(earlier);
        assertThat(statusOfWrite(firstHome, earlier, earlierVa)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        int latest = laterKey();
        while (latest != earlier) {
            hosts.there.card.revokeKey(latest);
            latest = laterKey();
        }
        long latestVa = hosts.there.card.vaBase(latest);
        hosts.there.card.revokeKey(latest);
        assertThat(statusOfWrite(firstHome, latest, latestVa)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);

        assertThat(statusOfWrite(firstHome, earlier, earlierVa)).isEqualTo(WorkStatus.REM_ACCESS_ABORT_ERR);
        assertThat(statusOfWrite(firstHome, latest, latestVa)).isEqualTo(WorkStatus.WR_FLUSH_ERR);
        assertThat(memory.get(JAVA_LONG, 0)).isZero();
    }
}
