/**
 * {@code urma demo}: demonstrates and verifies remote memory between real processes.
 *
 * <p>In reading order: {@link io.urma4j.tools.demo.DemoCommand} is the command; {@link io.urma4j.tools.demo.Demo} leads the
 * processes through the steps; {@link io.urma4j.tools.demo.ChildProcess} represents a process in the leader, {@link
 * io.urma4j.tools.demo.Leader} the leader in a process, and {@link io.urma4j.tools.Line} is their protocol on stdin and
 * stdout; {@link io.urma4j.tools.demo.Home} and {@link io.urma4j.tools.demo.Initiator} do the work. Operations use only the
 * public API.
 */
@NullMarked
package io.urma4j.tools.demo;

import org.jspecify.annotations.NullMarked;
