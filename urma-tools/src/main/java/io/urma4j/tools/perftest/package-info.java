/**
 * {@code urma perftest}: latency and bandwidth between two processes, with the options and columns of URMA's own tool.
 *
 * <p>In reading order: {@link io.urma4j.tools.perftest.PerftestCommand} is what a user starts; {@link
 * io.urma4j.tools.perftest.Settings} are the options, {@link io.urma4j.tools.perftest.Clashes} what does not go together;
 * {@link io.urma4j.tools.perftest.Client} and {@link io.urma4j.tools.perftest.Server} talk by {@link
 * io.urma4j.tools.perftest.Control}; each has a {@link io.urma4j.tools.perftest.Side} with its {@link
 * io.urma4j.tools.perftest.Endpoint}; {@link io.urma4j.tools.perftest.Turns} and {@link
 * io.urma4j.tools.perftest.Stream} are the loops that are measured, and {@link io.urma4j.tools.perftest.Operations} what
 * they post. Operations go through the public API alone.
 */
@NullMarked
package io.urma4j.tools.perftest;

import org.jspecify.annotations.NullMarked;
