package io.urma4j.shm;

import io.urma4j.tck.AllContractsRun;
import java.util.List;

/** No contract is left out. */
class ShmContractsTest extends AllContractsRun {
    ShmContractsTest() {
        super(
                List.of(ShmConformanceTest.class, ShmSimpleCallsTest.class),
                List.of(ShmConformanceIT.class, ShmSimpleCallsIT.class));
    }
}
