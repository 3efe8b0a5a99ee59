package io.urma4j.npu.mutants;

import io.urma4j.tck.mutants.PlantedBugsAreFound;

/** The bugs of the registry of peer memory that simulated NPUs must show. */
class PlantedBugsIT extends PlantedBugsAreFound {}
