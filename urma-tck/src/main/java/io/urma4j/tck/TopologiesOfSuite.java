package io.urma4j.tck;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The topologies that a contract runs in: {@link InOneProcess} or {@link AcrossProcesses} at the contract or its suite. */
public final class TopologiesOfSuite implements ArgumentsProvider {
    /** For JUnit. */
    public TopologiesOfSuite() {}

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        boolean across = isMarked(context, AcrossProcesses.class);
        if (across == isMarked(context, InOneProcess.class)) {
            throw new IllegalStateException(context.getRequiredTestClass().getName()
                    + ": neither it nor its suite has exactly one of @InOneProcess and @AcrossProcesses");
        }
        return Arrays.stream(Topology.values())
                .filter(topology -> across == (topology == Topology.TWO_PROCESSES))
                .map(Arguments::of);
    }

    private static boolean isMarked(ExtensionContext context, Class<? extends Annotation> place) {
        return Stream.concat(context.getEnclosingTestClasses().stream(), Stream.of(context.getRequiredTestClass()))
                .anyMatch(type -> type.isAnnotationPresent(place));
    }
}
