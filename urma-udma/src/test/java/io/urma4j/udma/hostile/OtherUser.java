package io.urma4j.udma.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.UserIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts attackers, as another user where that can be done: only root can, with setpriv. */
public final class OtherUser {
    static final int NOBODY = 65534;
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    private OtherUser() {}

    public static boolean canStart() {
        return UserIds.effective() == 0 && Files.isExecutable(SETPRIV);
    }

    /** The user that attackers are started as. */
    public static int uid() {
        return canStart() ? NOBODY : UserIds.effective();
    }

    /**
     * Starts the first of some classes, which need nothing but the JDK: another user may not read ours.
     *
     * @param folder for copies of them
     */
    public static Process start(Path folder, List<Class<?>> classes, List<String> arguments) throws IOException {
        Path copies = Files.createDirectories(folder.resolve("classes"));
        for (Class<?> part : classes) {
            copy(part, copies, folder);
        }
        List<String> line = new ArrayList<>();
        if (canStart()) {
            line.addAll(Arrays.asList(SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        line.addAll(List.of(
                java, "-Xmx256m", "-cp", copies.toString(), classes.getFirst().getName()));
        line.addAll(arguments);
        return new ProcessBuilder(line)
                .redirectErrorStream(true)
                .directory(folder.toFile())
                .start();
    }

    private static void copy(Class<?> part, Path copies, Path folder) throws IOException {
        String file = part.getName().replace('.', '/') + ".class";
        Path copy = copies.resolve(file);
        Files.createDirectories(copy.getParent());
        if (Files.notExists(copy)) { // else another attacker may just be loading it
            try (var bytes = part.getResourceAsStream("/" + file)) {
                assertThat(bytes).isNotNull();
                Files.copy(bytes, copy);
            }
        }
        for (Path path = copy.getParent(); !path.equals(folder); path = path.getParent()) {
            open(path);
        }
        open(folder);
    }

    private static void open(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
