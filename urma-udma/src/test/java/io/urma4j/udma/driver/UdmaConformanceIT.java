package io.urma4j.udma.driver;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.Conformance;

/** The contracts on the network device between two processes. */
@AcrossProcesses(sampled = true)
class UdmaConformanceIT extends Conformance {
    UdmaConformanceIT() {
        super("udma0");
    }
}
