/**
 * The conformance tests of all providers: each class covers a section of docs/semantics.md, and each test names the id of its
 * rule. {@link io.urma4j.tck.Conformance} is the suite of all of them, which a provider's module subclasses in a few lines.
 *
 * <p>In reading order: {@link io.urma4j.tck.Contract}, what every test begins with; {@link io.urma4j.tck.Pair}, a home and
 * an initiator; {@link io.urma4j.tck.Home} and {@link io.urma4j.tck.Initiator}, what a test does at either end; then the
 * contracts. {@link io.urma4j.tck.Topology} says where the two live. When the home is a process of its own,
 * {@link io.urma4j.tck.DriverProcess} starts it, {@link io.urma4j.tck.TckDriver} is what runs there, and
 * {@code Wire} is how they talk. {@link io.urma4j.tck.RuleIndex} lists which test proves which rule.
 *
 * <p>All random choices come from {@link io.urma4j.tck.Seed}; each wait has a deadline, by {@link io.urma4j.tck.Patience}. The
 * suite must not name a provider.
 */
@NullMarked
package io.urma4j.tck;

import org.jspecify.annotations.NullMarked;
