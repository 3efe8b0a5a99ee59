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

    /** A sample across processes has one in this number of contracts. */
    private static final int CONTRACTS_TO_ONE_ACROSS = 5;

    private static final List<Topology> IN_ONE_PROCESS = Arrays.stream(Topology.values())
            .filter(topology -> topology != Topology.TWO_PROCESSES)
            .toList();

    /** For JUnit. */
    public TopologiesOfSuite() {}

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        boolean across = isMarked(context, AcrossProcesses.class);
        if (across == isMarked(context, InOneProcess.class)) {
            throw new IllegalStateException(context.getRequiredTestClass().getName()
                    + ": neither it nor its suite has exactly one of @InOneProcess and @AcrossProcesses");
        }
        return (across ? acrossProcesses(context) : inOneProcess(context))
                .stream().map(Arguments::of);
    }

    private static List<Topology> acrossProcesses(ExtensionContext context) {
        boolean sampled = !WHOLE && marks(context, AcrossProcesses.class).anyMatch(AcrossProcesses::sampled);
        return sampled && drawn(context, CONTRACTS_TO_ONE_ACROSS) > 0 ? List.of() : List.of(Topology.TWO_PROCESSES);
    }

    private static List<Topology> inOneProcess(ExtensionContext context) {
        boolean sampled = !WHOLE && marks(context, InOneProcess.class).anyMatch(InOneProcess::sampled);
        return sampled ? List.of(IN_ONE_PROCESS.get(drawn(context, IN_ONE_PROCESS.size()))) : IN_ONE_PROCESS;
    }

    /** A number below the bound, by the seed of the run, the contract and its suite. */
    private static int drawn(ExtensionContext context, int bound) {
        String purpose = context.getEnclosingTestClasses()
                + context.getRequiredTestClass().getName();
        return Seed.randomFor(purpose).nextInt(bound);
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
