package io.urma4j;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The walls between the packages of the core: docs/architecture.md. */
class WallsTest {
    private final JavaClasses core = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.urma4j");

    @Test
    void nothingUsesUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("sun.misc.Unsafe")
                .because("it is on its way out of the JDK, and the FFM API does what it did")
                .allowEmptyShould(true)
                .check(core);
    }

    @Test
    void theCoreKnowsNoProvider() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.urma4j.libc..", "io.urma4j.shm..", "io.urma4j.udma..")
                .because("a provider is found through the SPI")
                .allowEmptyShould(true)
                .check(core);
    }

    @Test
    void theSharedPartsOfProvidersDoNotKnowTheInternals() {
        noClasses()
                .that()
                .resideInAPackage("io.urma4j.spi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.urma4j.internal..")
                .because("a provider sees the SPI alone")
                .allowEmptyShould(true)
                .check(core);
    }
}
