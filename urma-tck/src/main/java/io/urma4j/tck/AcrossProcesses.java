package io.urma4j.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Runs the contracts of a suite, or one contract, with the home in a process of its own. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface AcrossProcesses {
    /**
     * Whether a fifth of the contracts run, by the seed of the run. {@code -Durma.full=true} and
     * {@code -Durma.tck.topologies=all} ask for all.
     */
    boolean sampled() default false;
}
