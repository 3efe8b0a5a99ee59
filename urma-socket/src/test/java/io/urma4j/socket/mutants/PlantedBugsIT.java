package io.urma4j.socket.mutants;

import io.urma4j.tck.mutants.PlantedBugsAreFound;

/** The bugs of channels and selectors. */
class PlantedBugsIT extends PlantedBugsAreFound {}
