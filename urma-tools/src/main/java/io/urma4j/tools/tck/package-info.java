/**
 * {@code urma tck}: the conformance suite from the command line. {@link io.urma4j.tools.tck.TckCommand} starts a JVM with
 * {@code urma-tck.jar} beside {@code urma.jar}, so that nobody who uses {@code urma.jar} meets the test libraries; there
 * {@link io.urma4j.tools.tck.SuiteSession} runs the tests and prints.
 */
@NullMarked
package io.urma4j.tools.tck;

import org.jspecify.annotations.NullMarked;
