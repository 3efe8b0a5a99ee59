/**
 * What things cost when there are many of them: segments, Jetties, peers. Each curve is a row for each number of things,
 * until it is done or the machine is, and says which.
 *
 * <p>{@link io.urma4j.bench.scale.Scale} is the program, and a {@link io.urma4j.bench.scale.Curve} what it prints. {@link
 * io.urma4j.bench.scale.SegmentsCurve}, {@link io.urma4j.bench.scale.JettiesCurve} and {@link
 * io.urma4j.bench.scale.PeersCurve} measure real devices; {@link io.urma4j.bench.scale.SimulatedCurve} has cards of udma
 * back to back without sockets, and {@link io.urma4j.bench.scale.OnPaper} says what follows for numbers that nobody has
 * at hand.
 */
@NullMarked
package io.urma4j.bench.scale;

import org.jspecify.annotations.NullMarked;
