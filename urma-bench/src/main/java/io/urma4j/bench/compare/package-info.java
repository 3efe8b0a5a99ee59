/**
 * urma4j beside everything that somebody would take in its place: the same work, in alternating runs, on the same two
 * CPUs.
 *
 * <p>{@link io.urma4j.bench.compare.Compare} is the program. {@link io.urma4j.bench.compare.Rows} is the list of what is
 * compared, {@link io.urma4j.bench.compare.RoundRobin} lets the peers take turns, and each
 * {@link io.urma4j.bench.compare.Peer} is one file in {@code peer}: how to get it, what it can do, how to ask it. Peers
 * that are JVMs have their own program, of which both processes speak the lines of
 * {@link io.urma4j.bench.compare.ProcessPair}; {@link io.urma4j.bench.compare.end} is what such programs share.
 */
@NullMarked
package io.urma4j.bench.compare;

import org.jspecify.annotations.NullMarked;
