package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

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

    private static Path jar(String module) throws IOException {
        List<Path> jars;
        try (var files = Files.list(ROOT.resolve(module).resolve("target"))) {
            jars = files.filter(file -> file.getFileName().toString().matches(module + "-[0-9].*\\.jar"))
                    .toList();
        }
        assertThat(jars).as("jars of " + module).hasSize(1);
        return jars.getFirst();
    }
}
