/**
 * Planted bugs, each with the test that must find it: {@link io.urma4j.tck.mutants.PlantedBug} is one file of
 * {@code etc/mutants}. A module's test {@link io.urma4j.tck.mutants.PlantedBugsApply} checks that they still apply to its
 * sources, and its {@link io.urma4j.tck.mutants.PlantedBugsAreFound} runs them.
 */
@NullMarked
package io.urma4j.tck.mutants;

import org.jspecify.annotations.NullMarked;
