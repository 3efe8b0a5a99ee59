package io.urma4j.shm.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs that are planted into shared memory, and into what it needs of the core. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(12);
    }
}
