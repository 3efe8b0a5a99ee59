package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two builds of the same sources make jars of the same bytes. They take a minute, so the test waits for {@code -Pfull}. */
class ReproducibleJarsIT {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final List<String> MODULES = List.of("urma-native");

    /** Differs from the second copy in its path, the times and permissions of its files, the time zone and the language. */
    @Test
    void twoBuildsMakeTheSameBytes(@TempDir Path folder) throws Exception {
        assumeTrue(Boolean.getBoolean("urma.full"), "two whole builds take a minute; -Pfull runs them");
        Path first = copy(folder.resolve("a"), "2001-02-03T04:05:06Z", "rw-r--r--");
        Path second = copy(folder.resolve("another/and/deeper"), "2020-12-31T23:59:59Z", "rw-rw-rw-");

        Process building = build(first, "UTC", "C");
        Process buildingToo = build(second, "Asia/Kathmandu", "tr_TR.UTF-8");
        try {
            awaitSuccess(building, first);
            awaitSuccess(buildingToo, second);
        } finally {
            building.destroyForcibly();
            buildingToo.destroyForcibly();
        }

        Map<String, String> sums = sums(first);
        assertThat(sums).hasSizeGreaterThanOrEqualTo(2 * MODULES.size()); // each with its sources
        assertThat(sums(second)).isEqualTo(sums);
    }

    private static Path copy(Path target, String modified, String permissions) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(ReproducibleJarsIT::isSource).toList()) {
                Path copied = target.resolve(ROOT.relativize(file).toString());
                Files.createDirectories(copied.getParent());
                Files.copy(file, copied);
                if (!Files.isExecutable(file)) {
                    Files.setPosixFilePermissions(copied, PosixFilePermissions.fromString(permissions));
                }
                Files.setLastModifiedTime(copied, FileTime.from(Instant.parse(modified)));
            }
        }
        return target;
    }

    /** Whether it is one of the poms, of the files that start Maven, or of the sources of the modules. */
    private static boolean isSource(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        Path path = ROOT.relativize(file);
        String top = path.getName(0).toString();
        return switch (path.getNameCount()) {
            case 1 -> List.of("pom.xml", "build", "mvnw", "LICENSE", "NOTICE").contains(top);
            case 2 -> path.endsWith("pom.xml") || top.equals("etc") || top.equals(".mvn");
            default -> top.equals(".mvn") || path.startsWith(Path.of(top, "src", "main")) && MODULES.contains(top);
        };
    }

    private static Process build(Path copy, String zone, String language) throws IOException {
        var builder = new ProcessBuilder(
                        copy.resolve("build").toString(),
                        "-B",
                        "-ntp",
                        "-T1",
                        "-Prelease",
                        "-DskipTests",
                        "-Dspotless.check.skip=true",
                        "--projects=" + String.join(",", MODULES),
                        "package")
                .redirectErrorStream(true)
                .redirectOutput(copy.resolve("build.log").toFile());
        builder.environment().put("URMA_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("TZ", zone);
        builder.environment().put("LC_ALL", language);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static void awaitSuccess(Process building, Path copy) throws IOException, InterruptedException {
        assertThat(building.waitFor(10, TimeUnit.MINUTES)).isTrue();
        assertThat(building.exitValue())
                .as(Files.readString(copy.resolve("build.log")))
                .isZero();
    }

    /** SHA-256 of each jar, by its name. */
    private static Map<String, String> sums(Path copy) throws Exception {
        Map<String, String> sums = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.list(copy.resolve(module).resolve("target"))) {
                for (Path jar :
                        files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                    byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
                    sums.put(jar.getFileName().toString(), HexFormat.of().formatHex(sum));
                }
            }
        }
        return sums;
    }
}
