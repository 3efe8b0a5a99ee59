package io.urma4j.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs a contract in every {@link Topology} of one process. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@EnumSource(value = Topology.class, names = "TWO_PROCESSES", mode = EnumSource.Mode.EXCLUDE)
public @interface InOneProcess {}
