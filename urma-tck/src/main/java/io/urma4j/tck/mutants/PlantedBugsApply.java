package io.urma4j.tck.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The list is in order: every planted bug finds its place in today's source, and names a test that exists. */
public abstract class PlantedBugsApply {
    private final int atLeast;
    private final Set<String> modules;

    /** Those of some modules, of which there are so many at least. */
    protected PlantedBugsApply(int atLeast, String... modules) {
        this.atLeast = atLeast;
        this.modules = Set.of(modules);
    }

    @Test
    protected final void thereAreEnough() throws Exception {
        assertThat(PlantedBug.of(modules)).hasSizeGreaterThanOrEqualTo(atLeast);
    }

    @TestFactory
    protected final Stream<DynamicTest> eachStillApplies() throws Exception {
        return PlantedBug.of(modules).stream().map(bug -> DynamicTest.dynamicTest(bug.name(), () -> applies(bug)));
    }

    private static void applies(PlantedBug bug) throws Exception {
        PlantedBug.Planted planted = bug.planted();
        assertThat(planted.source()).isNotEqualTo(planted.before());
        String[] test = bug.test().split("#", 2);
        assertThat(NamedTest.methodsOf(Class.forName(test[0])).map(Method::getName))
                .as("methods of " + test[0])
                .contains(test[1]);
    }
}
