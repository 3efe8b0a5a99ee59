package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.UserIds;
import io.urma4j.shm.control.RuntimeDirectory.ContextLock;
import io.urma4j.spi.support.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeDirectoryTest {
    private static final PeerId ONE = new PeerId("0".repeat(31) + "1", 1);
    private static final PeerId TWO = new PeerId("0".repeat(31) + "2", 2);

    @TempDir
    Path temporary;

    private Path path;

    @BeforeEach
    void place() {
        path = temporary.resolve("urma4j");
    }

    private static Set<String> files(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return new HashSet<>(
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }

    private static void refused(Path path, String why) {
        assertThatThrownBy(() -> RuntimeDirectory.open(path))
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM))
                .hasMessageContaining(path.toString())
                .hasMessageContaining(why)
                .hasMessageContaining("URMA_RUNTIME_DIR");
    }

    @Test
    void isMadeForItsOwnerAlone() throws Exception {
        RuntimeDirectory.open(path).close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
        RuntimeDirectory.open(path).close();
    }

    /** S13.3. */
    @Test
    void aSymbolicLinkIsRefused() throws Exception {
        Path real = Files.createDirectory(
                temporary.resolve("real"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createSymbolicLink(path, real);

        refused(path, "symbolic link");
    }

    @Test
    void aFileIsRefused() throws Exception {
        Files.createFile(path);

        refused(path, "no directory");
    }

    @Test
    void aDirectoryThatOthersReachIsRefused() throws Exception {
        for (String mode : List.of("rwxr-xr-x", "rwx--x---", "rwxrwxrwx")) {
            Path open = temporary.resolve(mode);
            Files.createDirectory(open);
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(mode));
            refused(open, "0700");
        }
    }

    @Test
    void aDirectoryOfAnotherUserIsRefused() throws Exception {
        assumeTrue(UserIds.effective() == 0, "only root can make one");
        RuntimeDirectory.open(path).close();
        Files.setAttribute(path, "unix:uid", 12345);

        refused(path, "belongs to uid 12345");
    }

    @Test
    void itsPlaceIsNamedByOptionsThenEnvironment() {
        var both = Map.of("URMA_RUNTIME_DIR", "/own", "XDG_RUNTIME_DIR", "/run/user/7");
        var user = Map.of("URMA_RUNTIME_DIR", "", "XDG_RUNTIME_DIR", "/run/user/7");

        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT.withRuntimeDirectory(path), both::get, 7))
                .isEqualTo(path);
        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT, both::get, 7)).isEqualTo(Path.of("/own"));
        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT, user::get, 7)).isEqualTo(Path.of("/run/user/7/urma4j"));
        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT, name -> null, 7)).isEqualTo(Path.of("/tmp/urma4j-7"));
    }

    @Test
    void noTwoContextsHaveTheSameUasid() {
        try (var directory = RuntimeDirectory.open(path);
                var again = RuntimeDirectory.open(path)) {
            ContextLock first = directory.takeUasid(ONE, new Random(1));
            ContextLock second = again.takeUasid(TWO, new Random(1)); // wants the same

            assertThat(first.uasid()).isBetween(1, 0xFF_FFFF);
            assertThat(second.uasid()).isNotEqualTo(first.uasid());
            first.file().remove();
            ContextLock third = again.takeUasid(ONE, new Random(1));
            assertThat(third.uasid()).isEqualTo(first.uasid());
        }
    }

    @Test
    void whatADeadContextLeftIsRemovedAndNothingOfALivingOne() throws Exception {
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock living = directory.takeUasid(ONE, new Random(1));
            Files.createFile(path.resolve(ONE.address()));
            var name = directory.takeName("living").orElseThrow();
            name.write(new NameRecord(ONE, 5).toLine());
            Files.writeString(path.resolve("0000aa.lock"), new ContextRecord(TWO.address(), 2).toLine() + "\n");
            Files.createFile(path.resolve(TWO.address()));
            Files.createFile(path.resolve("f".repeat(32)));
            Files.writeString(path.resolve("names/dead"), new NameRecord(TWO, 6).toLine() + "\n");
            Files.writeString(path.resolve("not-ours"), "kept");

            directory.sweep();

            String lock = String.format("%06x.lock", living.uasid());
            assertThat(files(path)).containsExactlyInAnyOrder("names", lock, ONE.address(), "not-ours");
            assertThat(files(path.resolve("names"))).containsExactly("living");
            assertThat(directory.readName("living")).contains(new NameRecord(ONE, 5));
        }
    }

    @Test
    void aLockTellsWhetherItsContextIsGone() {
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock lock = directory.takeUasid(ONE, new Random(1));

            assertThat(directory.isGone(lock.uasid(), ONE.address())).isFalse();
            assertThat(directory.isGone(lock.uasid(), TWO.address())).isTrue(); // somebody has it after that one
            lock.file().remove();
            assertThat(directory.isGone(lock.uasid(), ONE.address())).isTrue();
        }
    }

    @Test
    void namesThatLeadOutAreRefused() {
        try (var directory = RuntimeDirectory.open(path)) {
            for (String name : List.of("", ".", "..", "a/b", "/etc/passwd")) {
                assertThatThrownBy(() -> directory.takeName(name)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void halfWrittenRecordsAreNone() {
        assertThat(NameRecord.parse("")).isEmpty();
        assertThat(NameRecord.parse("urma4j 1 " + ONE.address() + " 1")).isEmpty();
        assertThat(NameRecord.parse("urma4j 2 " + ONE.address() + " 1 5")).isEmpty();
        assertThat(ContextRecord.parse("urma4j 1 ../../x 1")).isEmpty();
    }
}
