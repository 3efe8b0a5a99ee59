/**
 * The {@code urma} command: look, try, measure; on the public API alone.
 *
 * <p>In reading order: {@link io.urma4j.tools.Main} names the commands, {@link io.urma4j.tools.FailureReport} turns
 * what goes wrong into one line and an exit code, {@link io.urma4j.tools.OrderlyEnd} turns Ctrl-C into an interrupt.
 * Each command is a class that is named after it; {@link io.urma4j.tools.Source} is whose memory it works on. What has
 * many parts has a package of its own: {@code demo} and {@code doctor}.
 *
 * <p>No logic of the library may live here: what a command can do, a program can do with the same few calls.
 */
@NullMarked
package io.urma4j.tools;

import org.jspecify.annotations.NullMarked;
