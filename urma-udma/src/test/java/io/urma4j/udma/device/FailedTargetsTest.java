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
}
