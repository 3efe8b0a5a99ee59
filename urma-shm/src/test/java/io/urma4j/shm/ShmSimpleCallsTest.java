package io.urma4j.shm;

import io.urma4j.tck.InOneProcess;
import io.urma4j.tck.MessageChannelContract;
import io.urma4j.tck.PipeEndsContract;
import io.urma4j.tck.PipesContract;
import io.urma4j.tck.RemoteMemoryContract;
import io.urma4j.tck.SleepingPipesContract;
import org.junit.jupiter.api.Nested;

/** The comfortable level over shared memory, within one process. */
class ShmSimpleCallsTest {
    private static final String DEVICE = "shm0";

    @Nested
    @InOneProcess
    class Memory extends RemoteMemoryContract {
        Memory() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Messages extends MessageChannelContract {
        Messages() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Pipes extends PipesContract {
        Pipes() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class PipeEnds extends PipeEndsContract {
        PipeEnds() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class SleepingPipes extends SleepingPipesContract {
        SleepingPipes() {
            super(DEVICE);
        }
    }
}
