/**
 * Whole cards under a virtual clock and a hostile network: the test of the transport that {@code urma simulate} and the unit
 * tests run. All random choices come from one seed, and the same seed gives the same run to the last packet.
 *
 * <p>Start with {@link io.urma4j.simulation.Simulation}. {@link io.urma4j.simulation.Scenario} holds the choices of
 * a seed, {@link io.urma4j.simulation.Network} injects faults into packets, a {@link io.urma4j.simulation.Machine}
 * has a card and acts as its driver, {@link io.urma4j.simulation.Workload} posts. Each checker throws a {@link
 * io.urma4j.simulation.Violation} if an invariant is broken.
 *
 * <p>The cards and all layers below them are the production code, without any hook for faults.
 */
@NullMarked
package io.urma4j.simulation;

import org.jspecify.annotations.NullMarked;
