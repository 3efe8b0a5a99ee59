package io.urma4j.tck.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks the list: every planted bug matches the current source, compiles, and names a test that exists. */
public abstract class PlantedBugsApply {
    private final int atLeast;

    /** The planted bugs whose tests are in this module; at least {@code atLeast} of them. */
    protected PlantedBugsApply(int atLeast) {
        this.atLeast = atLeast;
    }

    @Test
    protected final void thereAreEnough() throws Exception {
        assertThat(PlantedBug.testedHere()).hasSizeGreaterThanOrEqualTo(atLeast);
    }

    /** Otherwise no module would run it. */
    @Test
    protected final void eachNamesATestOfOneModule() throws Exception {
        List<Path> modules;
        try (Stream<Path> folders = Files.list(PlantedBug.root())) {
            modules = folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .toList();
        }
        assertThat(PlantedBug.all())
                .allSatisfy(bug -> assertThat(modules.stream().filter(bug::isTestedIn))
                        .as("modules with the test of %s, %s", bug, bug.test())
                        .hasSize(1));
    }

    @TestFactory
    protected final Stream<DynamicTest> eachStillApplies() throws Exception {
        List<PlantedBug> bugs = PlantedBug.testedHere();
        var compiler = new PlantedCompiler();
        return bugs.stream()
                .map(bug -> DynamicTest.dynamicTest(bug.name(), () -> applies(bug, compiler)))
                .onClose(compiler::close);
    }

    private static void applies(PlantedBug bug, PlantedCompiler compiler) throws Exception {
        PlantedBug.Planted planted = bug.planted();
        assertThat(planted.source()).isNotEqualTo(planted.before());
        String[] test = bug.test().split("#", 2);
        assertThat(NamedTest.methodsOf(NamedTest.classOf(test[0])).map(Method::getName))
                .as("methods of " + test[0])
                .contains(test[1]);
        Path classes = Files.createTempDirectory("urma-planted-");
        try {
            compiler.compile(bug, planted, classes);
        } finally {
            deleteAll(classes);
        }
    }

    private static void deleteAll(Path folder) throws Exception {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
