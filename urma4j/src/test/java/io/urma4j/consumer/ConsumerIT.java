package io.urma4j.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a user's project uses the one artifact: on the class path, the module path, by jlink, in a native image. */
class ConsumerIT {
    private static final String MAIN = "com.example.hello/com.example.hello.Hello";
    private static final String BOTH_DEVICES = "shm0 42\nudma0 42\n";

    private Consumer project;

    @BeforeEach
    void writeProgram(@TempDir Path folder) throws IOException {
        project = new Consumer(folder);
        project.write("com/example/hello/Hello.java", """
                package com.example.hello;

                import io.urma4j.Access;
                import io.urma4j.LocalSegment;
                import io.urma4j.RemoteMemory;
                import io.urma4j.Urma;
                import io.urma4j.UrmaContext;
                import io.urma4j.UrmaException;

                public final class Hello {
                    private Hello() {}

                    public static void main(String[] arguments) {
                        for (String device : new String[] {"shm0", "udma0"}) {
                            try (Urma urma = Urma.open(); UrmaContext context = urma.device(device).openContext()) {
                                LocalSegment home = context.register(context.allocate(4096), Access.READ_WRITE_ATOMIC);
                                try (RemoteMemory memory = context.importMemory(home.share())) {
                                    memory.fetchAndAdd(8, 41);
                                    System.out.println(device + " " + (memory.fetchAndAdd(8, 1) + 1));
                                }
                            } catch (UrmaException e) {
                                System.out.println(e.getMessage());
                            }
                        }
                    }
                }
                """);
    }

    @Test
    void oneArtifactIsEnoughOnTheClassPath() throws Exception {
        project.compile("--class-path", project.libraries().resolve("*").toString());

        var ended = project.tool(
                "java",
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                project.classPath(),
                "com.example.hello.Hello");

        assertThat(ended.well()).isEqualTo(BOTH_DEVICES);
    }

    @Test
    void oneRequiresIsEnoughOnTheModulePath() throws Exception {
        compileModule("io.urma4j");

        var ended = project.tool(
                "java",
                "--enable-native-access=io.urma4j.libc",
                "--module-path",
                project.modulePath(),
                "--module",
                MAIN);

        assertThat(ended.well()).isEqualTo(BOTH_DEVICES);
    }

    /** B1: {@code error: module not found: org.jspecify}. */
    @Test
    void aModuleThatRequiresTheCoreAloneCompiles() throws Exception {
        compileModule("io.urma4j.core");
    }

    @Test
    void anImageByJlinkRuns(@TempDir Path folder) throws Exception {
        Path home = Path.of(System.getProperty("java.home"));
        assumeTrue(Files.isExecutable(home.resolve("bin/jlink")), "this JDK has no jlink");
        assumeTrue(
                Files.isDirectory(home.resolve("jmods"))
                        || project.tool("jlink", "--help").output().contains("run-time image enabled"),
                "this JDK has no modules to link");
        compileModule("io.urma4j");
        Path image = folder.resolve("image");

        project.tool(
                        "jlink",
                        "--module-path=" + project.modulePath(),
                        "--add-modules=com.example.hello",
                        "--add-options=--enable-native-access=io.urma4j.libc",
                        "--launcher=hello=" + MAIN,
                        "--output=" + image)
                .well();

        assertThat(project.run(image.resolve("bin/hello")).well()).isEqualTo(BOTH_DEVICES);
    }

    @Test
    void theCoreAloneTellsWhichArtifactBringsProviders() throws Exception {
        compileModule("io.urma4j.core");

        var ended = project.tool(
                "java", "--module-path", project.modulePath(), "--limit-modules", "io.urma4j.core", "--module", MAIN);

        assertThat(ended.well().lines())
                .hasSize(2)
                .allMatch(line -> line.contains("no provider is on the class path or module path"))
                .allMatch(line -> line.contains("io.urma4j:urma4j"));
    }

    @Test
    void aNativeImageRuns(@TempDir Path folder) throws Exception {
        Optional<Path> nativeImage = nativeImage();
        assumeTrue(nativeImage.isPresent(), "there is no native-image in $GRAALVM_HOME/bin or in the PATH");
        project.compile("--class-path", project.libraries().resolve("*").toString());
        Path image = folder.resolve("hello");

        project.run(
                        Duration.ofMinutes(10),
                        nativeImage.get(),
                        "--no-fallback",
                        "--enable-native-access=ALL-UNNAMED",
                        "--class-path",
                        project.classPath(),
                        "-o",
                        image.toString(),
                        "com.example.hello.Hello")
                .well();

        assertThat(project.run(image).well()).isEqualTo(BOTH_DEVICES);
    }

    /** What JDKs after 25 do by default. */
    @Test
    void deniedNativeAccessNamesTheOptionOnTheClassPath() throws Exception {
        project.compile("--class-path", project.libraries().resolve("*").toString());

        var ended = project.tool(
                "java", "--illegal-native-access=deny", "--class-path", project.classPath(), "com.example.hello.Hello");

        assertThat(ended.well().lines())
                .hasSize(2)
                .allMatch(line -> line.contains("no device named"))
                .allMatch(line -> line.contains("provider shm does not work here"))
                .allMatch(line -> line.contains("provider udma does not work here"))
                .allMatch(line -> line.contains("start it with --enable-native-access=ALL-UNNAMED"));
    }

    @Test
    void deniedNativeAccessNamesTheModuleOnTheModulePath() throws Exception {
        compileModule("io.urma4j");

        var ended = project.tool(
                "java", "--illegal-native-access=deny", "--module-path", project.modulePath(), "--module", MAIN);

        assertThat(ended.well().lines())
                .hasSize(2)
                .allMatch(line -> line.contains("start it with --enable-native-access=io.urma4j.libc"));
    }

    private static Optional<Path> nativeImage() {
        Stream<Path> home =
                Optional.ofNullable(System.getenv("GRAALVM_HOME")).stream().map(graalVm -> Path.of(graalVm, "bin"));
        Stream<Path> path = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(Path::of);
        return Stream.concat(home, path)
                .map(folder -> folder.resolve("native-image"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private void compileModule(String required) throws IOException, InterruptedException {
        project.write("module-info.java", "module com.example.hello {\n    requires " + required + ";\n}\n");
        project.compile("--module-path", project.libraries().toString());
    }
}
