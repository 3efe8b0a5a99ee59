package io.urma4j.tck;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The topologies that a contract runs in: {@link InOneProcess} or {@link AcrossProcesses} at the contract or its suite. */
public final class TopologiesOfSuite implements ArgumentsProvider {
    /** Value {@code all}: no suite takes a sample. */
    public static final String PROPERTY = "urma.tck.topologies";

    private static final boolean WHOLE =
            Boolean.getBoolean("urma.full") || System.getProperty(PROPERTY, "").equals("all");

    /** For JUnit. */
    public TopologiesOfSuite() {}

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        boolean across = isMarked(context, AcrossProcesses.class);
        Class<?> contract = context.getRequiredTestClass();
        if (across == isMarked(context, InOneProcess.class)) {
            throw new IllegalStateException(contract.getName()
                    + ": neither it nor its suite has exactly one of @InOneProcess and @AcrossProcesses");
        }
        List<Topology> topologies = Arrays.stream(Topology.values())
                .filter(topology -> across == (topology == Topology.TWO_PROCESSES))
                .toList();
        return (isSampled(context) ? List.of(sampleOf(topologies, contract)) : topologies)
                .stream().map(Arguments::of);
    }

    private static boolean isSampled(ExtensionContext context) {
        return !WHOLE && marks(context, InOneProcess.class).anyMatch(InOneProcess::sampled);
    }

    private static Topology sampleOf(List<Topology> topologies, Class<?> contract) {
        return topologies.get(Seed.randomFor(contract.getName()).nextInt(topologies.size()));
    }

    private static boolean isMarked(ExtensionContext context, Class<? extends Annotation> place) {
        return marks(context, place).findAny().isPresent();
    }

    private static <A extends Annotation> Stream<A> marks(ExtensionContext context, Class<A> place) {
        return Stream.concat(context.getEnclosingTestClasses().stream(), Stream.of(context.getRequiredTestClass()))
                .map(type -> type.getAnnotation(place))
                .filter(Objects::nonNull);
    }
}
