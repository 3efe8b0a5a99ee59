package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.tools.interop.OneSided;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Real Linux: its Soft-RoCE in a virtual machine. Its own programs play pingpong with {@code urma pingpong}, and one of ours
 * there plays everything else with {@link OneSided}: writes, reads, atomics, immediates. Over both families, in both
 * directions, with small and large packets, and with some of them lost. Skipped, with the reason, where such a machine
 * cannot be had.
 */
class InteropIT {
    private static final Path SCRIPT = Path.of("../etc/interop/interop.sh");
    private static final Path LOGS = Path.of("target/interop");
    private static final int LIMIT_SECONDS = 600;
    private static final String WITHOUT_OUR_PROGRAM = "verbs_onesided: skipped";

    @Test
    void linuxPlaysWithUs() throws Exception {
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
        int rows = table.contains(WITHOUT_OUR_PROGRAM) ? 8 : 18;
        assertThat(table).contains(rows + " passed, 0 failed", "counters: clean");
        assumeTrue(rows == 18, "messages passed; the rest needs a C compiler: gcc and libc6-dev");
    }

    private static int run(Path log) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jar = System.getProperty("urma.jar");
        Process process = new ProcessBuilder(
                        SCRIPT.toString(),
                        "-t",
                        String.valueOf(LIMIT_SECONDS - 60),
                        "-o",
                        LOGS.toString(),
                        "-j",
                        oneSided(java, jar),
                        java,
                        "--enable-native-access=ALL-UNNAMED",
                        "-jar",
                        jar)
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

    private static String oneSided(String java, String jar) {
        String tests = Path.of("target/test-classes").toAbsolutePath().toString();
        return String.join(
                " ",
                quoted(java),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1", // each of its lives is short
                "-cp",
                quoted(tests + File.pathSeparator + jar),
                OneSided.class.getName());
    }

    /** As one word of a shell. */
    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static String whoAmI() {
        return System.getProperty("user.name");
    }

    private static boolean isInstalled(String tool) {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }
}
