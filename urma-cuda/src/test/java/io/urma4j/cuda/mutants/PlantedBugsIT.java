package io.urma4j.cuda.mutants;

import io.urma4j.tck.mutants.PlantedBugsAreFound;

/** The bugs of the CUDA client that the driver in memory must show. */
class PlantedBugsIT extends PlantedBugsAreFound {}
