package io.urma4j.shm;

import io.urma4j.tck.Conformance;
import io.urma4j.tck.InOneProcess;

/** The contracts on shared memory: within one context, between contexts, between libraries of one process. */
@InOneProcess(sampled = true)
class ShmConformanceTest extends Conformance {
    ShmConformanceTest() {
        super("shm0");
    }
}
