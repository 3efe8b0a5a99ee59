package io.urma4j.udma.driver;

import io.urma4j.tck.AllContractsRun;
import java.util.List;

/** No contract is left out. */
class UdmaContractsTest extends AllContractsRun {
    UdmaContractsTest() {
        super(
                List.of(UdmaConformanceTest.class, UdmaSimpleCallsTest.class),
                List.of(UdmaConformanceIT.class, UdmaSimpleCallsIT.class));
    }
}
