/**
 * Runs the contracts outside of a build: {@code urma tck}. {@link io.urma4j.tck.run.Selection} selects the tests,
 * {@link io.urma4j.tck.run.SuiteRun} runs them on a device, {@link io.urma4j.tck.run.TestResult} holds the result of each,
 * {@link io.urma4j.tck.run.ConformancePage} writes the page of all rules.
 */
@NullMarked
package io.urma4j.tck.run;

import org.jspecify.annotations.NullMarked;
