/**
 * {@code urma perftest}: latency and bandwidth between two processes, with the options and columns of URMA's own tool.
 *
 * <p>In reading order: {@link io.urma4j.tools.perftest.PerftestCommand} is the command; {@link
 * io.urma4j.tools.perftest.Settings} holds the options, {@link io.urma4j.tools.perftest.Clashes} the conflicts between them;
 * {@link io.urma4j.tools.perftest.Client} and {@link io.urma4j.tools.perftest.Server} communicate by {@link
 * io.urma4j.tools.perftest.Control}; each has a {@link io.urma4j.tools.perftest.Side} with its {@link
 * io.urma4j.tools.perftest.Endpoint}; {@link io.urma4j.tools.perftest.Turns} and {@link io.urma4j.tools.perftest.Stream} are
 * the measured loops, and {@link io.urma4j.tools.perftest.Operations} are the operations that they post. Operations use only
 * the public API.
 */
@NullMarked
package io.urma4j.tools.perftest;

import org.jspecify.annotations.NullMarked;
