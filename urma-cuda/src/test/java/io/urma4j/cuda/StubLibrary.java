package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Compiles a library that looks like the driver's; skips the test where there is no C compiler. */
final class StubLibrary {
    private static final long LIMIT_SECONDS = 60;

    private StubLibrary() {}

    /** Compiles it into {@code folder}, with some macros defined. */
    static Path compile(Path folder, String... macros) throws IOException, InterruptedException {
        Path source = folder.resolve("stub.c");
        try (InputStream stub = StubLibrary.class.getResourceAsStream("stub.c")) {
            assertThat(stub).isNotNull();
            Files.write(source, stub.readAllBytes());
        }
        Path library = folder.resolve("libcuda.so.1");
        List<String> command = new ArrayList<>(
                List.of("cc", "-std=gnu11", "-Wall", "-Werror", "-O1", "-fPIC", "-shared", "-o", library.toString()));
        for (String macro : macros) {
            command.add("-D" + macro);
        }
        command.add(source.toString());
        Process compiler;
        try {
            compiler = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("cc.log").toFile())
                    .start();
        } catch (IOException e) {
            return Assumptions.abort("no C compiler: " + e.getMessage());
        }
        assertThat(compiler.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(compiler.exitValue())
                .as(Files.readString(folder.resolve("cc.log"), StandardCharsets.UTF_8))
                .isZero();
        return library;
    }
}
