package io.urma4j.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Runs the contracts of a suite, or one contract, in every {@link Topology} of one process, or in a sample of them. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface InOneProcess {
    /**
     * Whether each contract runs in one of them, by the seed of the run. {@code -Durma.full=true} and
     * {@code -Durma.tck.topologies=all} ask for all.
     */
    boolean sampled() default false;
}
