package io.urma4j.udma;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardListener;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The walls between the packages of the network card, as docs/architecture.md draws them. */
class WallsTest {
    private static final String MODULE = "io.urma4j.udma";
    private static final String COMMAND = MODULE + ".command";

    /** What each package may name of the others; the public one has no name here. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("", Set.of()),
            Map.entry("capture", Set.of("wire")),
            Map.entry("command", Set.of()),
            Map.entry("control", Set.of("wire")),
            Map.entry("device", Set.of("command", "ring", "transport", "wire")),
            Map.entry("driver", Set.of("", "capture", "command", "control", "engine", "ring", "staging", "udp")),
            Map.entry("engine", Set.of("command", "device", "ring", "staging", "transport", "udp", "wire")),
            Map.entry("ping", Set.of("capture", "control", "transport", "udp", "wire")),
            Map.entry("ring", Set.of()),
            Map.entry("staging", Set.of("device", "ring", "transport")),
            Map.entry("transport", Set.of("ring", "wire")),
            Map.entry("udp", Set.of("capture", "transport", "wire")),
            Map.entry("wire", Set.of()));

    /** The card: all of it runs under a virtual clock and a simulated network. */
    private static final String[] CARD = Stream.of("command", "device", "ring", "transport", "wire")
            .map(WallsTest::packageOf)
            .toArray(String[]::new);

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(MODULE);

    private static String packageOf(String name) {
        return name.isEmpty() ? MODULE : MODULE + "." + name;
    }

    @Test
    void everyPackageHasItsRule() {
        Set<String> packages = CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

        assertThat(MAY_USE.keySet().stream().map(WallsTest::packageOf)).containsExactlyInAnyOrderElementsOf(packages);
    }

    @TestFactory
    Stream<DynamicTest> packagesUseOthersOnlyAsDrawn() {
        return MAY_USE.entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(
                        packageOf(rule.getKey()), () -> checkUse(rule.getKey(), rule.getValue())));
    }

    private static void checkUse(String name, Set<String> others) {
        String[] allowed = Stream.concat(Stream.of(name), others.stream())
                .map(WallsTest::packageOf)
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(packageOf(name))
                .should()
                .onlyDependOnClassesThat(resideOutsideOfPackage(MODULE + "..").or(resideInAnyPackage(allowed)))
                .because("docs/architecture.md draws these walls")
                .check(CLASSES);
    }

    @Test
    void noSocketThreadOrClockIsInTheCard() {
        noClasses()
                .that()
                .resideInAnyPackage(CARD)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.net..", "java.nio.channels..", "java.util.concurrent..", "io.urma4j.libc..")
                        .and(not(equivalentTo(NativeMemory.class)))) // makes no system call
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Thread.class)
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .because("packets and the time are handed in, also by a simulated network")
                .check(CLASSES);
    }

    @Test
    void noTypeOfTheApiButTheStateOfAQueueIsInTheCard() {
        noClasses()
                .that()
                .resideInAnyPackage(CARD)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.urma4j", "io.urma4j.buffer..", "io.urma4j.peer..", "io.urma4j.spi")
                                .and(not(equivalentTo(QueueState.class))))
                .because("the driver turns what the API asks for into commands and elements of rings")
                .check(CLASSES);
    }

    /** Otherwise the card could not live in another process. */
    @Test
    void commandsAndEventsCarryNumbersTextRecordsAndMemoryAlone() {
        for (Class<?> side : List.of(CardCommands.class, CardListener.class)) {
            Set<JavaMethod> methods = CLASSES.get(side).getMethods();
            assertThat(methods).as("methods of " + side).isNotEmpty().allSatisfy(WallsTest::assertCarriesData);
        }
        Set<JavaField> components = CLASSES.stream()
                .filter(one -> one.getPackageName().equals(COMMAND) && one.isRecord())
                .flatMap(one -> one.getFields().stream())
                .collect(Collectors.toSet());
        assertThat(components).isNotEmpty().allSatisfy(component -> assertIsData(component, component.getRawType()));
    }

    private static void assertCarriesData(JavaMethod method) {
        method.getRawParameterTypes().forEach(type -> assertIsData(method, type));
        assertIsData(method, method.getRawReturnType());
    }

    private static void assertIsData(Object place, JavaClass type) {
        boolean isNumbers = type.getBaseComponentType().isPrimitive();
        boolean isText = type.isEquivalentTo(String.class);
        boolean isBytes = type.isEquivalentTo(MemorySegment.class)
                || type.isEquivalentTo(NativeMemory.class)
                || type.isEquivalentTo(ByteBuffer.class);
        boolean isList = type.isEquivalentTo(List.class); // its elements are a record of the package
        boolean isOurs = type.getPackageName().equals(COMMAND) && (type.isRecord() || type.isEnum());
        boolean isState = type.isEquivalentTo(QueueState.class);
        assertThat(isNumbers || isText || isBytes || isList || isOurs || isState)
                .as("%s has a %s, which no other process could be sent", place, type.getName())
                .isTrue();
    }
}
