package io.urma4j.simulation.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs of the network device that the simulated network must show. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(25);
    }
}
