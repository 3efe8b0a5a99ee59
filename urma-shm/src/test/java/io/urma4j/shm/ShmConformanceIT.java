package io.urma4j.shm;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.Conformance;

/** The contracts on shared memory between two processes. */
@AcrossProcesses(sampled = true)
class ShmConformanceIT extends Conformance {
    ShmConformanceIT() {
        super("shm0");
    }
}
