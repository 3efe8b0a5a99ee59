package io.urma4j;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The walls between the packages of the core, and what no library module may do; its compiler keeps the providers out. */
class WallsTest {
    /** Of code that a program runs: a class of the JDK's inside, a native library, a native method. */
    private static final Pattern BACK_DOOR = Pattern.compile(
            "sun\\.misc|jdk\\.internal|jdk\\.unsupported|System\\.load|\\bnative [\\w<>]+ \\w+\\(|Instrumentation");

    private final JavaClasses core = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.urma4j");

    @Test
    void noLibraryUsesUnsafeJniOrAnAgent() throws IOException {
        List<Path> sources = Checkout.files(
                name -> name.matches("urma-(core|native|shm|udma|simulation|npu|cuda|tools)/src/main/java/.*\\.java"));

        assertThat(sources).hasSizeGreaterThan(400);
        assertThat(sources)
                .filteredOn(file -> BACK_DOOR.matcher(Checkout.text(file)).find())
                .isEmpty();
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
                .check(core);
    }
}
