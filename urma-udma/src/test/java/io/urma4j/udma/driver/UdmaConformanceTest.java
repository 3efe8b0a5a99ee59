package io.urma4j.udma.driver;

import io.urma4j.tck.Conformance;
import io.urma4j.tck.InOneProcess;

/** The contracts on the network device: within one context, between contexts, between libraries of one process. */
@InOneProcess(sampled = true)
class UdmaConformanceTest extends Conformance {
    UdmaConformanceTest() {
        super("udma0");
    }
}
