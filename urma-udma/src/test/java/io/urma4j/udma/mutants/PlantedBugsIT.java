package io.urma4j.udma.mutants;

import io.urma4j.tck.mutants.PlantedBugsAreFound;

/** The bugs that are planted into the network device. */
class PlantedBugsIT extends PlantedBugsAreFound {}
