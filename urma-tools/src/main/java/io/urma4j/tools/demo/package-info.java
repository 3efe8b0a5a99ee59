/**
 * {@code urma demo}: remote memory between real processes, shown and checked.
 *
 * <p>In reading order: {@link io.urma4j.tools.demo.DemoCommand} is what a user starts; {@link
 * io.urma4j.tools.demo.Demo} leads the processes through the steps; {@link io.urma4j.tools.demo.ChildProcess} is a
 * process as the leader sees it, {@link io.urma4j.tools.demo.Leader} the leader as a process sees it, and {@link
 * io.urma4j.tools.Line} what they say to each other on stdin and stdout; {@link io.urma4j.tools.demo.Home} and
 * {@link io.urma4j.tools.demo.Initiator} do the work. Operations go through the public API alone.
 */
@NullMarked
package io.urma4j.tools.demo;

import org.jspecify.annotations.NullMarked;
