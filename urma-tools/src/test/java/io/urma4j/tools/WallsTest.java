package io.urma4j.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The walls between modules, where the compiler does not hold them. */
class WallsTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.urma4j");

    @Test
    void theSimulatorIsUsedByItsCommandAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.urma4j.simulation..", "io.urma4j.tools.simulate..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.urma4j.simulation..")
                .because("what runs in production knows nothing of how it is tried")
                .check(CLASSES);
    }

    @Test
    void theSuiteIsUsedByItsCommandAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.urma4j.tck..", "io.urma4j.tools.tck..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.urma4j.tck..")
                .because("urma.jar has no suite in it")
                .check(CLASSES);
    }
}
