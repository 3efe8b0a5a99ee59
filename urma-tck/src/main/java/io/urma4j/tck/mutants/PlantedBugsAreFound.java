package io.urma4j.tck.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Seed;
import io.urma4j.tck.TopologiesOfSuite;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Plants bugs whose tests are in this module, each in a copy of a source, and checks that the test named by the bug
 * fails. A run plants two of them, by its seed; all with {@code -Durma.full=true}, those named with {@code
 * -Durma.mutant=NAME,NAME}.
 */
public abstract class PlantedBugsAreFound {
    private static final int SAMPLE = 2;

    /** Most tests use one processor. */
    private static final int AT_ONCE = 2;

    /** The tests have their own timeouts; a bug that exceeds this one, too, counts as not found. */
    private static final long LIMIT_SECONDS = 150;

    /** The bugs of the module that runs it. */
    protected PlantedBugsAreFound() {}

    @TestFactory
    protected final Stream<DynamicTest> eachIsFoundByTheTestThatItNames() throws Exception {
        List<PlantedBug> bugs = chosen();
        System.out.println(getClass().getSimpleName() + ": " + bugs + "; seed " + Seed.OF_RUN);
        ExecutorService runners = Executors.newFixedThreadPool(AT_ONCE);
        List<DynamicTest> tests = bugs.stream()
                .map(bug -> test(bug, runners.submit(asserted(bug))))
                .toList();
        runners.shutdown(); // once all have run
        return tests.stream();
    }

    private static Callable<PlantedBug> asserted(PlantedBug bug) {
        return () -> {
            assertFound(bug);
            return bug;
        };
    }

    private static DynamicTest test(PlantedBug bug, Future<PlantedBug> found) {
        return DynamicTest.dynamicTest(bug.name(), () -> {
            try {
                assertThat(found.get()).isEqualTo(bug);
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        });
    }

    private List<PlantedBug> chosen() throws Exception {
        List<PlantedBug> all = new ArrayList<>(PlantedBug.testedHere());
        String named = System.getProperty("urma.mutant", "");
        if (!named.isEmpty()) {
            Set<String> names = Set.of(named.split(","));
            return all.stream().filter(bug -> names.contains(bug.name())).toList();
        }
        if (Boolean.getBoolean("urma.full")) {
            return all;
        }
        Collections.shuffle(all, new Random(Seed.OF_RUN));
        return all.subList(0, Math.min(SAMPLE, all.size()));
    }

    private static void assertFound(PlantedBug bug) throws Exception {
        Path classes = Path.of("target/mutants", bug.name()).toAbsolutePath();
        Files.createDirectories(classes);
        try (var compiler = new PlantedCompiler()) {
            compiler.compile(bug, bug.planted(), classes);
        }
        Path temporary =
                Files.createDirectories(classes.resolveSibling(bug.name() + ".tmp")); // failing tests leave files here
        Path log = classes.resolveSibling(bug.name() + ".log");
        Process test = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-D" + TopologiesOfSuite.PROPERTY + "=all", // the one where the bug shows may be any
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        NamedTest.class.getName(),
                        bug.test())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = test.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            test.destroyForcibly().waitFor();
        }
        assertThat(ended).as("%s: %s ends; see %s", bug, bug.test(), log).isTrue();
        assertThat(test.exitValue())
                .as(
                        "%s (%s) must make %s fail; it ended with %d where 0 means passed and 11 not found; see %s",
                        bug, bug.what(), bug.test(), test.exitValue(), log)
                .isEqualTo(NamedTest.FAILED);
    }
}
