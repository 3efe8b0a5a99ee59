package io.urma4j.shm.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.shm.crash.Victim.Doors;
import io.urma4j.tck.DriverProcess;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Rule;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes in containers of their own: other namespaces of users, processes, mounts and System V IPC, another
 * {@code /dev/shm} and another {@code /proc}. They share the runtime directory, and nothing else that we would need.
 */
@Timeout(120)
class ContainerIT {
    private static final List<String> CONTAINER = List.of(
            "unshare",
            "--user",
            "--map-root-user",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount",
            "--ipc",
            "--mount-proc");

    @TempDir
    Path temporary;

    @BeforeEach
    void containersArePermitted() throws Exception {
        Process attempt = new ProcessBuilder(inside("true", "true"))
                .redirectErrorStream(true)
                .start();
        String said = new String(attempt.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(
                attempt.waitFor(20, TimeUnit.SECONDS) && attempt.exitValue() == 0,
                "skipped: this machine does not let us make namespaces: " + said);
    }

    /**
     * A command in a container, after {@code before} was executed there. The JVM is process 1 in each container, so all
     * would use the same file for their counters, and print a warning where the test expects answers.
     */
    private static List<String> inside(String before, String... command) {
        return Stream.of(
                        CONTAINER.stream(),
                        Stream.of(
                                "sh",
                                "-c",
                                "mount -t tmpfs none /dev/shm && " + before
                                        + " && exec \"$0\" -XX:-UsePerfData \"$@\""),
                        Stream.of(command))
                .flatMap(part -> part)
                .toList();
    }

    private static DriverProcess container(String before) {
        return DriverProcess.start(VictimProcess.class, inside(before), System.getProperty("java.class.path"));
    }

    /** S13.2: import, bind, messages, one-sided operations, revocation, and an end in order. */
    @Rule("S13.2")
    @Test
    void containersThatShareTheDirectoryAloneWorkTogether() {
        Path runtime = temporary.resolve("runtime");
        try (var one = container("true");
                var other = container("true")) {
            Victim home = one.root(Victim.class);
            Victim initiator = other.root(Victim.class);
            home.open(runtime.toString());
            initiator.open(runtime.toString());
            Doors doors = home.beHome("table", 5_000);
            initiator.troubleHome("table", doors);

            Patience.await("work", () -> home.done() > 50 && initiator.done() > 50);

            assertThat(initiator.end()).isEmpty();
            assertThat(home.end()).isEmpty();
        }
    }

    /** S12.4: outside its container, a process has another pid; the lock in the directory proves its death. */
    @Rule({"S12.4", "S13.2"})
    @Test
    void deathInAnotherContainerIsProven() {
        Path runtime = temporary.resolve("runtime");
        try (var one = container("true");
                var other = container("true")) {
            Victim home = one.root(Victim.class);
            Victim initiator = other.root(Victim.class);
            home.open(runtime.toString());
            initiator.open(runtime.toString());
            Doors doors = home.beHome("table", 2_000);
            initiator.troubleHome("table", doors);
            Patience.await("work", () -> home.done() > 10);

            other.kill();

            assertThat(home.end())
                    .as("revocations that were not quick and complete")
                    .isEmpty();
        }
    }

    /** A usual mistake with containers. A context that was there before may have left files or not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void directoryMountedReadOnlyIsNamed(boolean used) throws Exception {
        Path runtime = temporary.resolve("runtime");
        Files.createDirectory(
                runtime, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        if (used) {
            Files.createDirectory(
                    runtime.resolve("names"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.createFile(runtime.resolve("0".repeat(31) + "1"));
        }
        String mount = "mount --bind " + runtime + " " + runtime + " && mount -o remount,ro,bind " + runtime;
        try (var container = container(mount)) {
            assertThat(container.root(Victim.class).openAnother(runtime.toString()))
                    .contains("ENOPERM")
                    .contains("runtime directory " + runtime + ": is mounted read-only")
                    .contains("URMA_RUNTIME_DIR");
        }
    }

    /** What is wrong, where, and how much there is of it. */
    @Test
    void directoryWithoutRoomIsNamedWithItsMount() throws Exception {
        Path small = Files.createDirectory(temporary.resolve("small"));
        List<String> said = new ArrayList<>();
        for (String size : List.of("size=4k,nr_inodes=3", "size=4k,nr_inodes=4", "size=4k,nr_inodes=5")) {
            String mount = "mount -t tmpfs -o " + size + " none " + small + " && mkdir -m 700 " + small + "/r";
            try (var container = container(mount)) {
                said.add(container
                        .root(Victim.class)
                        .openAnother(small.resolve("r").toString()));
            }
        }
        assertThat(said.getFirst())
                .contains("ENOMEM")
                .contains("runtime directory " + small)
                .contains("mount " + small)
                .contains("of type tmpfs")
                .contains("of 4 KiB are free")
                .contains("needs 4 KiB, a file and a socket")
                .contains("URMA_RUNTIME_DIR");
        assertThat(said).allMatch(what -> what.contains("ENOMEM") || what.startsWith("opened"));
    }

    @Test
    void directoryThatIsNotThereIsNamedWithItsMount() {
        try (var container = container("true")) {
            String said = container.root(Victim.class).openAnother("/nowhere/at/all");

            assertThat(said).contains("/nowhere/at").contains("mount /").contains("URMA_RUNTIME_DIR");
        }
    }

    /** The same name, another directory: the home's descriptor leads nowhere. */
    @Test
    void directoryThatIsNotSharedIsNamedWithItsMount() throws Exception {
        Path place = Files.createDirectory(temporary.resolve("place"));
        String ownMount = "mount -t tmpfs none " + place;
        try (var one = container("true");
                var other = container(ownMount)) {
            Victim home = one.root(Victim.class);
            Victim initiator = other.root(Victim.class);
            home.open(place.resolve("r").toString());
            initiator.open(place.resolve("r").toString());
            Doors doors = home.beHome("table", 600_000_000);

            assertThat(initiator.importOnce(doors))
                    .contains("ETIMEOUT")
                    .contains("its namespace has another directory under that name")
                    .contains("mount " + place);
            home.end();
        }
    }

    /** A directory that containers see in different places: nothing that peers say names its path. */
    @Test
    void directoryThatIsBoundElsewhereIsTheSame() throws Exception {
        Path runtime = Files.createDirectory(
                temporary.resolve("runtime"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        try (var one = container("true");
                var other = container("mount --bind " + runtime + " " + elsewhere)) {
            Victim home = one.root(Victim.class);
            Victim initiator = other.root(Victim.class);
            home.open(runtime.toString());
            initiator.open(elsewhere.toString());
            Doors doors = home.beHome("table", 5_000);
            initiator.troubleHome("table", doors);

            Patience.await("work", () -> home.done() > 20 && initiator.done() > 20);

            assertThat(initiator.end()).isEmpty();
            assertThat(home.end()).isEmpty();
        }
    }

    /** As the root of a container often is: what lies below is another's, and read-only. */
    @Test
    void directoryOnAnOverlayWorks() throws Exception {
        Path above = Files.createDirectory(temporary.resolve("above"));
        String mount = overlay(above);
        assumeTrue(isPossible(mount), "skipped: this machine does not let containers mount an overlay");
        try (var container = container(mount)) {
            Victim victim = container.root(Victim.class);
            victim.open(above.resolve("r").toString());
            Doors doors = victim.beHome("table", 600_000_000);

            assertThat(victim.importOnce(doors)).startsWith("imported");
            assertThat(victim.end()).isEmpty();
        }
    }

    /** What is full is the file system that the overlay writes to, and that is what is said. */
    @Test
    void directoryOnAFullOverlayIsNamedWithItsMount() throws Exception {
        Path above = Files.createDirectory(temporary.resolve("above"));
        String mount = overlay(above) + " && mkdir -m 700 " + above + "/r" + " && (dd if=/dev/zero of=" + above
                + "/full bs=4k || true) 2> /dev/null";
        assumeTrue(isPossible(mount), "skipped: this machine does not let containers mount an overlay");
        try (var container = container(mount)) {
            String said =
                    container.root(Victim.class).openAnother(above.resolve("r").toString());

            assertThat(said)
                    .contains("ENOMEM")
                    .contains("runtime directory " + above)
                    .contains("of type overlay")
                    .contains("URMA_RUNTIME_DIR");
        }
    }

    /** Over a small tmpfs: an overlay of another file system than the machine's own can be mounted by everybody. */
    private String overlay(Path above) throws Exception {
        Path place = Files.createDirectory(temporary.resolve("layers"));
        return "mount -t tmpfs -o size=64k none " + place + " && mkdir " + place + "/lower " + place + "/upper " + place
                + "/work && mount -t overlay -o userxattr,lowerdir=" + place + "/lower,upperdir=" + place
                + "/upper,workdir=" + place + "/work none " + above;
    }

    private static boolean isPossible(String before) throws Exception {
        Process attempt = new ProcessBuilder(inside(before, "true"))
                .redirectErrorStream(true)
                .start();
        attempt.getInputStream().readAllBytes();
        return attempt.waitFor(20, TimeUnit.SECONDS) && attempt.exitValue() == 0;
    }
}
