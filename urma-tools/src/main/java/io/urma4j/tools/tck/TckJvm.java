package io.urma4j.tools.tck;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Main;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JVM that has the suite on its class path. */
final class TckJvm {
    private static final String SUITE_JAR = "urma-tck.jar";
    private static final String CLASS_OF_SUITE = "io.urma4j.tck.run.SuiteRun";
    private static final long TIME_TO_END_SECONDS = 10;

    private TckJvm() {}

    /** Whether this JVM has the suite. */
    static boolean hasSuite() {
        try {
            Class.forName(CLASS_OF_SUITE, false, TckJvm.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /**
     * Starts it with the same arguments on the same streams; returns its exit code.
     *
     * @param classPath more to put on its class path
     */
    static int run(List<String> arguments, @Nullable String classPath) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command(arguments, classPath)).inheritIO().start();
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy(); // as Ctrl-C does by itself
            if (!process.waitFor(TIME_TO_END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            throw e;
        }
    }

    private static List<String> command(List<String> arguments, @Nullable String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (option.startsWith("-Xm") || option.startsWith("-D")) {
                command.add(option);
            }
        }
        // assertions on: they state what must hold inside
        command.addAll(List.of("-ea", "-XX:+UseSerialGC", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED"));
        Path jar = ownJar();
        Path suite = jar.resolveSibling(SUITE_JAR);
        if (!Files.exists(suite)) {
            throw new CommandFailure("the conformance suite is not here: '" + suite
                    + "' does not exist; in a source tree " + "'./build -Dmaven.test.skip=true package' makes it");
        }
        String provider = classPath == null ? "" : File.pathSeparator + classPath;
        command.addAll(List.of("--class-path", jar + File.pathSeparator + suite + provider, Main.class.getName()));
        command.addAll(arguments);
        return command;
    }

    private static Path ownJar() {
        try {
            return Path.of(TckJvm.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the location of this command is unknown", e);
        }
    }
}
