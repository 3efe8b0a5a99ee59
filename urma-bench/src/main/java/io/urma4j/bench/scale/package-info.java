/**
 * The cost of many segments, Jetties and peers. Each curve has a row for each number, up to its end or a limit of the machine,
 * which it names.
 *
 * <p>{@link io.urma4j.bench.scale.Scale} is the program, and a {@link io.urma4j.bench.scale.Curve} what it prints. {@link
 * io.urma4j.bench.scale.SegmentsCurve}, {@link io.urma4j.bench.scale.JettiesCurve} and {@link
 * io.urma4j.bench.scale.PeersCurve} measure real devices; {@link io.urma4j.bench.scale.SimulatedCurve} has cards of udma
 * back to back without sockets, and {@link io.urma4j.bench.scale.OnPaper} extrapolates to larger numbers.
 */
@NullMarked
package io.urma4j.bench.scale;

import org.jspecify.annotations.NullMarked;
