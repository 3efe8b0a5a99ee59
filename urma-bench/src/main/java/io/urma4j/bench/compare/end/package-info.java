/**
 * What runs in the two processes of a JVM: {@link io.urma4j.bench.compare.end.EndMain} hears the lines, a
 * {@link io.urma4j.bench.compare.end.Participant} obeys them. Whoever exchanges messages has but to be a
 * {@link io.urma4j.bench.compare.end.Link}; {@link io.urma4j.bench.compare.end.MessageLoops} are the same for all.
 */
@NullMarked
package io.urma4j.bench.compare.end;

import org.jspecify.annotations.NullMarked;
