/**
 * What the hot path costs, beside the plain Java operation that does the same without protection.
 *
 * <p>{@link io.urma4j.bench.Numbers} measures everything that the foundation promises, in one run: read it first, then
 * {@link io.urma4j.bench.Alternation}, which takes the time, and the suites: {@link io.urma4j.bench.OneSidedSuite},
 * {@link io.urma4j.bench.PingPongSuite}, {@link io.urma4j.bench.AllocationSuite},
 * {@link io.urma4j.bench.WaitingSuite}. The classes named {@code …Benchmark} are JMH's, to look closer at one
 * operation. What others do of the same is in {@link io.urma4j.bench.compare}.
 */
@NullMarked
package io.urma4j.bench;

import org.jspecify.annotations.NullMarked;
