/**
 * The cost of the hot path, compared with the plain Java operation that does the same without protection.
 *
 * <p>{@link io.urma4j.bench.Numbers} measures all figures in one run: read it first, then
 * {@link io.urma4j.bench.Alternation}, which measures times, and the suites: {@link io.urma4j.bench.OneSidedSuite},
 * {@link io.urma4j.bench.PingPongSuite}, {@link io.urma4j.bench.AllocationSuite},
 * {@link io.urma4j.bench.WaitingSuite}. The classes named {@code …Benchmark} are JMH benchmarks of single operations. Other
 * libraries are in {@link io.urma4j.bench.compare}.
 */
@NullMarked
package io.urma4j.bench;

import org.jspecify.annotations.NullMarked;
