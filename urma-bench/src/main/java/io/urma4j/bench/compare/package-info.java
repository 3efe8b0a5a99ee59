/**
 * Comparison of urma4j with alternative libraries: the same work, in alternating runs, on the same two CPUs.
 *
 * <p>{@link io.urma4j.bench.compare.Compare} is the program. {@link io.urma4j.bench.compare.Rows} lists the compared work,
 * {@link io.urma4j.bench.compare.RoundRobin} runs the peers in turn, and each {@link io.urma4j.bench.compare.Peer} is one
 * file in {@code peer}: its installation, its abilities, and how to run it. Peers that are JVMs have their own program, whose
 * two processes speak the protocol of {@link io.urma4j.bench.compare.ProcessPair}; such programs share {@link
 * io.urma4j.bench.compare.end}.
 */
@NullMarked
package io.urma4j.bench.compare;

import org.jspecify.annotations.NullMarked;
