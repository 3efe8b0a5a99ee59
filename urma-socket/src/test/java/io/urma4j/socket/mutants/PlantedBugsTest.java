package io.urma4j.socket.mutants;

import io.urma4j.tck.mutants.PlantedBugsApply;

/** The bugs of channels and selectors. */
class PlantedBugsTest extends PlantedBugsApply {
    PlantedBugsTest() {
        super(78);
    }
}
