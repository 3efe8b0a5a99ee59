package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.shm.bounce.BounceRequest;
import io.urma4j.shm.ring.SlotFlags;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An importer of device memory whose requests no honest one sends. */
@Timeout(60)
class HostileBounceTest {
    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;

    private Urma urma;
    private DeviceMemory memory;
    private LocalSegment segment;
    private RingVictim victim;
    private HostileRing hostile;

    @BeforeEach
    void meet(@TempDir Path temporary) throws Exception {
        Path directory = temporary.resolve("runtime");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory).withSetting("urma.npu", "1"));
        memory = urma.peerMemory().allocate("npu", 0, 4096);
        UrmaContext context = urma.device("shm0").openContext();
        segment = context.register(memory, SegmentConfig.of(Access.READ_WRITE));
        victim = new RingVictim(context);
        hostile = new HostileRing(directory, context);
        hostile.importDevice(segment);
    }

    @AfterEach
    void part() throws Exception {
        hostile.close();
        segment.close();
        victim.close();
        urma.close();
    }

    /** Fields of a request are aligned in a short slot, and would not be there: no other path may pay for that. */
    @Test
    void requestAtAnOddPlaceEndsThePathOfItsSenderAlone() {
        hostile.toVictim.publish(
                BounceRequest.SLOT_OPCODE,
                WHOLE | SlotFlags.IN_DATA,
                5,
                victim.jfr.id(),
                BounceRequest.BYTES,
                0,
                BounceRequest.BYTES,
                1);
        hostile.wakeVictim();

        assertThat(victim.awaitLoss()).contains("impossible").contains("opcode 0xf0");
    }
}
