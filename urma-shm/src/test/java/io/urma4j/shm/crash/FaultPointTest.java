package io.urma4j.shm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each step at which a process is hit is a method of today's classes; after a rename this test fails within a second. */
class FaultPointTest {
    @Test
    void eachFaultPointIsAMethodThatExists(@TempDir Path directory) throws Exception {
        FaultPoint.writeClasses(directory);

        for (FaultPoint point : FaultPoint.values()) {
            assertThat(directory.resolve(point.internalClass + ".class"))
                    .as("the instrumented class of %s", point)
                    .isNotEmptyFile();
        }
    }
}
