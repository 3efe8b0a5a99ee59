package io.urma4j.udma.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs that are planted into the network device. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(15);
    }
}
