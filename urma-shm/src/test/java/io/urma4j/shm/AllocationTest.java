package io.urma4j.shm;

import io.urma4j.tck.AllocationContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is allocated for an operation on shared memory. */
@ParameterizedClass(name = "lockFree={0}")
@ValueSource(booleans = {true, false})
class AllocationTest extends AllocationContract {
    AllocationTest() {
        super("shm0", 30_000, 200, 250);
    }
}
