package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds the branches of the data path that are first taken late. The compiler leaves out a branch that it has never seen
 * taken; the first execution is a trap that discards the compiled code around it. The test prints all late traps, and
 * fails for those that were removed. A sample by default; with {@code -Durma.full=true} ten million messages.
 */
class LateTrapsIT {
    private static final boolean FULL = Boolean.getBoolean("urma.full");
    private static final long MESSAGES = FULL ? 10_000_000 : 100_000;
    private static final int MESSAGES_PER_LINE = 50_000;
    private static final int LINES_OF_WARM_UP = FULL ? 20 : 1;
    private static final List<String> WITHOUT_RARE_BRANCHES =
            List.of("io.urma4j.libc.Fd.acquire", "io.urma4j.udma.ring.CqRing.owner");

    /** As in {@code [12.345s] cid=1 level=4 a.b.C.method(I)V trap_bci=6 unstable_if reinterpret}. */
    private static final Pattern TRAP = Pattern.compile("\\[(\\d+)\\.(\\d+)s\\].* level=4 (\\S+)\\(.* trap_bci=.*");

    @TempDir
    private Path directory;

    @Test
    void hotMethodsOfThePollHaveNoLateTrap() throws Exception {
        Path log = directory.resolve("traps");
        List<Long> uptimes = exchangeMessages(log);
        long warmMillis = uptimes.get(LINES_OF_WARM_UP - 1);

        List<String> late = lateTraps(log, warmMillis);

        late.forEach(System.out::println);
        assertThat(late).noneMatch(line -> WITHOUT_RARE_BRANCHES.stream().anyMatch(line::contains));
    }

    private List<Long> exchangeMessages(Path log) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xlog:deoptimization=debug:file=" + log + ":uptime",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MessageLoop.class.getName(),
                        directory.toString(),
                        Long.toString(MESSAGES),
                        Integer.toString(MESSAGES_PER_LINE))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            List<Long> uptimes =
                    process.inputReader().lines().map(Long::parseLong).toList();
            assertThat(process.waitFor()).isZero();
            return uptimes;
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> lateTraps(Path log, long afterMillis) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> {
                    Matcher trap = TRAP.matcher(line);
                    return trap.matches()
                            && Long.parseLong(trap.group(1)) * 1000 + Long.parseLong(trap.group(2)) > afterMillis;
                })
                .toList();
    }
}
