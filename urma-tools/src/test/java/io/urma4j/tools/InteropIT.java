package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Real Linux: its Soft-RoCE in a virtual machine, and its own programs, play pingpong with {@code urma pingpong}. By every
 * program, over both families, in both directions. Skipped, with the reason, where such a machine cannot be had.
 */
class InteropIT {
    private static final Path SCRIPT = Path.of("../etc/interop/interop.sh");
    private static final Path LOGS = Path.of("target/interop");
    private static final int LIMIT_SECONDS = 420;

    @Test
    void linuxPlaysPingpongWithUs() throws Exception {
        String skip = System.getenv("URMA_INTEROP_SKIP");
        assumeTrue(skip == null, skip);
        assumeTrue(whoAmI().equals("root"), "needs root: for a network namespace and tap devices");
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        for (String tool : List.of("qemu-system-x86_64", "ip", "tcpdump", "cpio", "zstd", "apt-get", "dpkg-deb")) {
            assumeTrue(isInstalled(tool), "needs " + tool + ", see etc/interop/README.md");
        }
        Files.createDirectories(LOGS);
        Path log = LOGS.resolve("table");

        int code = run(log);

        String table = Files.readString(log, StandardCharsets.UTF_8);
        System.out.println(table);
        assumeTrue(!table.contains("cannot download") && !table.contains("apt knows no"), "no packages for the guest");
        assertThat(code).as(table).isZero();
        assertThat(table).contains("8 passed, 0 failed", "counters: clean");
    }

    private static int run(Path log) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        SCRIPT.toString(),
                        "-t",
                        String.valueOf(LIMIT_SECONDS - 60),
                        "-o",
                        LOGS.toString(),
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-jar",
                        System.getProperty("urma.jar"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("ended within %d s", LIMIT_SECONDS)
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroy();
        }
    }

    private static String whoAmI() {
        return System.getProperty("user.name");
    }

    private static boolean isInstalled(String tool) {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }
}
