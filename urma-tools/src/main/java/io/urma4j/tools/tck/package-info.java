/**
 * {@code urma tck}: the conformance suite from the command line. {@link io.urma4j.tools.tck.TckCommand} starts a JVM with
 * {@code urma-tck.jar} and {@code urma.jar}, so that {@code urma.jar} does not contain the test libraries. In that JVM, {@link
 * io.urma4j.tools.tck.SuiteSession} runs the tests and prints the results.
 */
@NullMarked
package io.urma4j.tools.tck;

import org.jspecify.annotations.NullMarked;
