package io.urma4j.shm;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.MessageChannelContract;
import io.urma4j.tck.PipeEndsContract;
import io.urma4j.tck.PipesContract;
import io.urma4j.tck.RemoteMemoryContract;
import io.urma4j.tck.SleepingPipesContract;
import org.junit.jupiter.api.Nested;

/** The comfortable level over shared memory, between two processes. */
class ShmSimpleCallsIT {
    private static final String DEVICE = "shm0";

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
