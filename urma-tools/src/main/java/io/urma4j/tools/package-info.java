/**
 * The {@code urma} command: inspect, try and measure remote memory, using only the public API.
 *
 * <p>In reading order: {@link io.urma4j.tools.Main} lists the commands, {@link io.urma4j.tools.FailureReport} turns a failure
 * into one line and an exit code, {@link io.urma4j.tools.OrderlyEnd} turns Ctrl-C into an interrupt. Each command is a class
 * of its name; {@link io.urma4j.tools.Source} selects the memory that it works on. Large commands have their own package.
 *
 * <p>No logic of the library belongs here: a program can do what a command does with the same few calls.
 */
@NullMarked
package io.urma4j.tools;

import org.jspecify.annotations.NullMarked;
