package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Memory may be unmapped while a thread accesses it. HotSpot then sets the thread's interrupt flag, which no application
 * may see. So each place that survives such an access calls {@code Placement.forgetFence}, or hands the exception to a
 * method that does.
 */
class FencedAccessTest {
    private static final Pattern CAUGHT = Pattern.compile("catch \\((IllegalState|Runtime)Exception.*");
    private static final Pattern FORGETS = Pattern.compile("forgetFence\\(|statusOf\\(e|failed\\(e");

    /** The length of a handler, from its first line on, within which it forgets the fence. */
    private static final int LINES = 6;

    @Test
    void eachSurvivedAccessForgetsTheFence() throws IOException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        try (var files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.filter(FencedAccessTest::accessesMemory).toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    if (CAUGHT.matcher(lines.get(i)).find()) {
                        found++;
                        String handler = String.join("\n", lines.subList(i, Math.min(i + LINES, lines.size())));
                        if (!FORGETS.matcher(handler).find()) {
                            missing.add(name(file) + ":" + (i + 1) + "\n" + handler);
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(10);
    }

    /** Queues and paths, and windows: the context and other classes map memory and access none. */
    private static boolean accessesMemory(Path file) {
        boolean isOfQueues = file.endsWith(Path.of("shm", name(file)));
        return isOfQueues && name(file).endsWith(".java") && !name(file).equals("ShmContext.java")
                || name(file).equals("GrantBoard.java")
                || name(file).equals("ShmWindow.java");
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }
}
