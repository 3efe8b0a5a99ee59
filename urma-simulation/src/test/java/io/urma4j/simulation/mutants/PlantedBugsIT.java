package io.urma4j.simulation.mutants;

import io.urma4j.tck.mutants.PlantedBugsAreFound;

/** The bugs of the network device that the simulated network must show. */
class PlantedBugsIT extends PlantedBugsAreFound {}
