package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jars as modules. All other tests run on the class path. */
class ModulesIT {
    private static final Path ROOT =
            Path.of(System.getProperty("urma.jar")).resolve("../../..").normalize();

    @Test
    void coreAndProvidersNeedTheJdkAlone() throws Exception {
        var modules = ModuleFinder.of(jar("urma-core"), jar("urma-native"), jar("urma-shm"), jar("urma-udma"));

        assertThat(modules.findAll())
                .extracting(module -> module.descriptor().name())
                .containsExactlyInAnyOrder("io.urma4j.core", "io.urma4j.libc", "io.urma4j.shm", "io.urma4j.udma");
        assertThat(modules.findAll())
                .extracting(ModuleReference::descriptor)
                .flatMap(ModuleDescriptor::requires)
                .filteredOn(required -> !required.modifiers().contains(Requires.Modifier.STATIC))
                .extracting(Requires::name)
                .allMatch(name -> name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("io.urma4j."));
    }

    @Test
    void modulesResolveTogether() throws Exception {
        var modules = ModuleFinder.of(jar("urma-core"), jar("urma-native"), jar("urma-shm"));

        var resolved = ModuleLayer.boot()
                .configuration()
                .resolveAndBind(modules, ModuleFinder.of(), Set.of("io.urma4j.shm"))
                .modules();

        assertThat(resolved).hasSize(3);
    }

    /** Given here as one file, which is a module without a name that reads them: each jar is a module of its own. */
    @Test
    void aProgramRunsOnTheModulePathWithoutAWarning(@TempDir Path folder) throws Exception {
        Path program = Files.writeString(folder.resolve("Loop.java"), """
                import io.urma4j.*;

                void main() {
                    for (String device : new String[] {"shm0", "udma0"}) {
                        try (var urma = Urma.open(); var context = urma.device(device).openContext()) {
                            var home = context.register(context.allocate(4096), Access.READ_WRITE_ATOMIC);
                            try (var memory = context.importMemory(home.share())) {
                                memory.fetchAndAdd(8, 41);
                                IO.println(device + " " + (memory.fetchAndAdd(8, 1) + 1));
                            }
                        }
                    }
                    IO.println(Urma.class.getModule());
                }
                """);
        String path = Stream.of("urma-core", "urma-native", "urma-shm", "urma-udma")
                .map(ModulesIT::jarOf)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Durma.runtime.directory=" + folder.resolve("runtime"),
                "-Durma.udma.addresses=127.0.0.1",
                "--enable-native-access=io.urma4j.libc",
                "--module-path=" + path,
                "--add-modules=io.urma4j.shm,io.urma4j.udma",
                program.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(output).isEqualTo("shm0 42\nudma0 42\nmodule io.urma4j.core\n");
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String jarOf(String module) {
        try {
            return jar(module).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path jar(String module) throws IOException {
        List<Path> jars;
        try (var files = Files.list(ROOT.resolve(module).resolve("target"))) {
            jars = files.filter(file -> file.getFileName().toString().matches(module + "-[0-9].*\\.jar"))
                    .filter(file -> !file.getFileName().toString().matches(".*-(sources|javadoc)\\.jar"))
                    .toList();
        }
        assertThat(jars).as("jars of " + module).hasSize(1);
        return jars.getFirst();
    }
}
