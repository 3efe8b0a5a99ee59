package io.urma4j.shm.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The list is in order: every planted bug finds its place in today's source, and names a test that exists. */
class PlantedBugsTest {
    @Test
    void thereAreAtLeastTwelve() throws Exception {
        assertThat(PlantedBug.all()).hasSizeGreaterThanOrEqualTo(12);
    }

    @TestFactory
    Stream<DynamicTest> eachStillApplies() throws Exception {
        return PlantedBug.all().stream().map(bug -> DynamicTest.dynamicTest(bug.name(), () -> applies(bug)));
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
