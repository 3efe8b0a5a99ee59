/**
 * Whole cards under a virtual clock and a hostile network: the proof of the transport, as {@code urma simulate} and the
 * tests run it. Everything is drawn from one seed, and the same seed is the same run to the last packet.
 *
 * <p>Start with {@link io.urma4j.simulation.Simulation}. {@link io.urma4j.simulation.Scenario} says what a seed
 * is about, {@link io.urma4j.simulation.Network} does harm to packets, a {@link
 * io.urma4j.simulation.Machine} has a card and plays its driver, {@link io.urma4j.simulation.Workload} posts,
 * and whoever sees something that must not be throws a {@link io.urma4j.simulation.Violation}.
 *
 * <p>The cards are those of production, with all below them; there is no fault in them for the purpose of tests.
 */
@NullMarked
package io.urma4j.simulation;

import org.jspecify.annotations.NullMarked;
