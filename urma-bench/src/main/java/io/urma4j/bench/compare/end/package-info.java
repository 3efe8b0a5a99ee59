/**
 * The code of the two processes of a JVM peer: {@link io.urma4j.bench.compare.end.EndMain} reads the commands, a
 * {@link io.urma4j.bench.compare.end.Participant} executes them. A participant that exchanges messages only implements
 * {@link io.urma4j.bench.compare.end.Link}; all share {@link io.urma4j.bench.compare.end.MessageLoops}.
 */
@NullMarked
package io.urma4j.bench.compare.end;

import org.jspecify.annotations.NullMarked;
