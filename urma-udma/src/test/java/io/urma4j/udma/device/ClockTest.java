package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** S12.3: a machine that stood still for an hour, or was moved, is not a peer that was silent for so long. */
class ClockTest {
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final Hosts hosts = new Hosts();
    private final Host.Cq cq = hosts.here.new Cq(64);
    private final MemorySegment memoryThere = hosts.there.memory(4096);
    private final int keyThere =
            hosts.there.card.registerKey(new KeyConfig(memoryThere, 0x10000, Memory.READ | Memory.WRITE, 5, 9, 42));
    private final Host.Sends queue = hosts.here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder);

    private void write() {
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 64, 0);
    }

    private void assertOneSuccess() {
        assertThat(cq.pollAll())
                .singleElement()
                .satisfies(told -> assertThat(told.status()).isEqualTo(WorkStatus.SUCCESS));
    }

    /** Input goes before timers. */
    @Test
    void aLeapWhileTheAnswerIsOnItsWayLosesNothing() {
        write();
        hosts.here.card.step(hosts.now);
        Packet request = hosts.here.leaving.remove();
        hosts.there.card.receive(request, hosts.here.address, hosts.now);
        hosts.there.card.step(hosts.now);

        hosts.now += HOUR;
        hosts.run(Duration.ofSeconds(1).toNanos());

        assertOneSuccess();
        assertThat(hosts.here.events).isEmpty();
    }

    /** Its time is over, be it that nobody could use it: a clear error, and the next one succeeds again. */
    @Test
    void aLeapWhileARequestIsLostIsItsTimeout() {
        hosts.here.isLost = _ -> true;
        write();
        hosts.run();
        hosts.here.isLost = _ -> false;

        hosts.now += HOUR;
        hosts.run(Duration.ofSeconds(1).toNanos());

        assertThat(cq.pollAll())
                .extracting(Host.CqRecord::status)
                .containsExactly(WorkStatus.ACK_TIMEOUT_ERR, WorkStatus.WR_FLUSH_ERR_DONE);
        Host.Sends another = hosts.here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder);
        another.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 64, 0);
        hosts.run(Duration.ofSeconds(1).toNanos());
        assertOneSuccess();
    }

    @Test
    void aLeapOfAnIdleConnectionIsNothing() {
        write();
        hosts.run();
        assertOneSuccess();

        hosts.now += HOUR;
        write();
        hosts.run();

        assertOneSuccess();
        assertThat(hosts.here.events).doesNotContain("silent");
    }

    /** No clock of a JVM does; should one do so all the same, nothing is told wrong, and nothing waits for ever. */
    @Test
    void aStepBackLosesNothing() {
        write();
        hosts.run();
        assertOneSuccess();

        hosts.now -= HOUR;
        write();
        hosts.run();

        assertOneSuccess();
        hosts.here.isLost = _ -> true;
        write();
        hosts.run(Duration.ofSeconds(1).toNanos());
        hosts.here.isLost = _ -> false;
        hosts.now -= HOUR;
        hosts.run(2 * HOUR);
        assertOneSuccess();
    }
}
