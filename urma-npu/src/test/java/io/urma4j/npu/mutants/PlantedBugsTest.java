package io.urma4j.npu.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs of the registry of peer memory that simulated NPUs must show. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(14);
    }
}
