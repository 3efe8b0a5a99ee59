package io.urma4j.bench.gpu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.cuda.CudaDeviceInfo;
import io.urma4j.cuda.CudaDriver;
import io.urma4j.cuda.FfmCudaDriver;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One run of a part.
 *
 * @param report where its results go
 * @param library the driver's library; empty to search where drivers are
 * @param jars the folder of the jars
 */
record PartRun(Report report, Optional<String> library, Path jars) {
    /** The device of all parts. */
    static final int ORDINAL = 0;

    /** How long the longest step of a part may take: a part has less than five minutes. */
    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Names the library to look for the driver in. */
    static final String LIBRARY_SETTING = "urma.cuda.library";

    /**
     * The driver, with at least one device, which it reports.
     *
     * @throws SkippedException if there is none
     */
    CudaDriver driver() throws SkippedException {
        try {
            CudaDriver driver = FfmCudaDriver.open(library);
            if (driver.deviceCount() <= ORDINAL) {
                throw new SkippedException(driver + " has no device");
            }
            report.line(describe(driver));
            return driver;
        } catch (UrmaException e) {
            throw new SkippedException("no CUDA driver: " + e.reason());
        }
    }

    private static String describe(CudaDriver driver) {
        CudaDeviceInfo device = driver.device(ORDINAL);
        return "%s for CUDA %d.%d, %d devices; device %d is %s, %d MiB, at %s"
                .formatted(
                        driver,
                        driver.version() / 1000,
                        driver.version() % 1000 / 10,
                        driver.deviceCount(),
                        device.ordinal(),
                        device.name(),
                        device.lengthBytes() >> 20,
                        device.pciAddress());
    }

    /** Options by which the library finds the same driver. */
    UrmaOptions options() {
        return library.map(path -> UrmaOptions.DEFAULT.withSetting(LIBRARY_SETTING, path))
                .orElse(UrmaOptions.DEFAULT);
    }

    /**
     * A command that runs a program of {@code urma.jar} in a JVM of its own, such as this one.
     *
     * @throws SkippedException if the jar is not there
     */
    List<String> urma(String... arguments) throws SkippedException {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of("-jar", jar("urma")));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * A command that runs a class of {@code gpu.jar}, with the same driver, in a JVM of its own.
     *
     * @throws SkippedException if the jar is not there
     */
    List<String> program(String mainClass, String... arguments) throws SkippedException {
        List<String> command = new ArrayList<>(java());
        library.ifPresent(path -> command.add("-D" + LIBRARY_SETTING + "=" + path));
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED", "-cp", jar("gpu") + File.pathSeparator + jar("urma"), mainClass));
        command.addAll(List.of(arguments));
        return command;
    }

    private static List<String> java() {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:-UsePerfData");
    }

    private String jar(String name) throws SkippedException {
        Path jar = Path.of(jars + "/" + name + ".jar");
        if (!Files.exists(jar)) {
            throw new SkippedException("the jars are not here: '" + jar + "' does not exist");
        }
        return jar.toString();
    }
}
