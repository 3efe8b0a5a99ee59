package io.urma4j.cuda.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs of the CUDA client that the driver in memory must show. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(12);
    }
}
