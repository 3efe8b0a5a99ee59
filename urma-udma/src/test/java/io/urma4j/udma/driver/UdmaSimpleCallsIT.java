package io.urma4j.udma.driver;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.MessageChannelContract;
import io.urma4j.tck.PipeEndsContract;
import io.urma4j.tck.PipesContract;
import io.urma4j.tck.RemoteMemoryContract;
import io.urma4j.tck.SleepingPipesContract;
import org.junit.jupiter.api.Nested;

/** The comfortable level over the network device, between two processes. */
class UdmaSimpleCallsIT {
    private static final String DEVICE = "udma0";

    @Nested
    @AcrossProcesses
    class Memory extends RemoteMemoryContract {
        Memory() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Messages extends MessageChannelContract {
        Messages() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Pipes extends PipesContract {
        Pipes() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class SleepingPipes extends SleepingPipesContract {
        SleepingPipes() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class PipeEnds extends PipeEndsContract {
        PipeEnds() {
            super(DEVICE);
        }
    }
}
