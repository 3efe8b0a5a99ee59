/**
 * Bugs that are planted on purpose, each with the test that must find it: {@link io.urma4j.shm.mutants.PlantedBug} is one
 * file of {@code etc/mutants}, {@link io.urma4j.shm.mutants.PlantedBugsIT} runs them.
 */
package io.urma4j.shm.mutants;
