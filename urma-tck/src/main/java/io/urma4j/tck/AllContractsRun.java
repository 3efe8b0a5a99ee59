package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * That a provider's test module runs every contract there is, in one process and across: its classes have one nested class
 * for each. They are written out, for a build finds a test by the name of its class alone; the list is
 * {@link RuleIndex#CONTRACTS}, and nobody can forget to add to the others.
 */
public abstract class AllContractsRun {
    private final List<Class<?>> inOneProcess;
    private final List<Class<?>> acrossProcesses;

    /** Which classes hold the contracts of the module. */
    protected AllContractsRun(List<Class<?>> inOneProcess, List<Class<?>> acrossProcesses) {
        this.inOneProcess = inOneProcess;
        this.acrossProcesses = acrossProcesses;
    }

    @Test
    void everyContractRunsOnceInOneProcess() {
        assertThat(contracts(inOneProcess, InOneProcess.class))
                .containsExactlyInAnyOrderElementsOf(RuleIndex.CONTRACTS);
    }

    @Test
    void everyContractRunsOnceAcrossProcesses() {
        assertThat(contracts(acrossProcesses, AcrossProcesses.class))
                .containsExactlyInAnyOrderElementsOf(RuleIndex.CONTRACTS);
    }

    private static List<Class<?>> contracts(List<Class<?>> holders, Class<? extends Annotation> place) {
        Stream<Class<?>> nested = holders.stream().flatMap(holder -> Arrays.stream(holder.getDeclaredClasses()));
        return nested.filter(type -> type.isAnnotationPresent(place))
                .<Class<?>>map(Class::getSuperclass)
                .toList();
    }
}
