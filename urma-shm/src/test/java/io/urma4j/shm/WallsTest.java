package io.urma4j.shm;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The walls between the packages of shared memory, as docs/architecture.md draws them. */
class WallsTest {
    private static final String QUEUES = "io.urma4j.shm";
    private static final String BOUNCE = QUEUES + ".bounce";
    private static final String CONTROL = QUEUES + ".control";
    private static final String MEMORY = QUEUES + ".memory";
    private static final String RING = QUEUES + ".ring";

    private static final Map<String, Set<String>> MAY_USE = Map.of(
            QUEUES, Set.of(BOUNCE, CONTROL, MEMORY, RING),
            BOUNCE, Set.of(MEMORY),
            CONTROL, Set.of(BOUNCE, MEMORY),
            MEMORY, Set.of(),
            RING, Set.of());

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(QUEUES);

    @Test
    void everyPackageHasItsRule() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet()))
                .isEqualTo(MAY_USE.keySet());
    }

    @TestFactory
    Stream<DynamicTest> packagesUseOthersOnlyAsDrawn() {
        return MAY_USE.entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> checkUse(rule.getKey(), rule.getValue())));
    }

    private static void checkUse(String name, Set<String> others) {
        String[] allowed = Stream.concat(Stream.of(name), others.stream()).toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat(resideOutsideOfPackage(QUEUES + "..").or(resideInAnyPackage(allowed)))
                .because("docs/architecture.md draws these walls")
                .check(CLASSES);
    }
}
