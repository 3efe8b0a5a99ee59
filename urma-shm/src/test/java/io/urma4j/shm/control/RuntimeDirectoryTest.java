package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.LockFile;
import io.urma4j.libc.UserIds;
import io.urma4j.shm.control.RuntimeDirectory.ContextLock;
import io.urma4j.spi.support.Setting;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
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
        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT, user::get, 7))
                .isEqualTo(Path.of("/run/user/7/urma4j"));
        assertThat(Setting.runtimeDirectory(UrmaOptions.DEFAULT, name -> null, 7))
                .isEqualTo(Path.of("/tmp/urma4j-7"));
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
            Files.writeString(path.resolve("0000aa.lock"), TWO.toLine() + "\n");
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
            assertThat(directory.isGone(lock.uasid(), TWO.address())).isTrue(); // the UASID has a new owner
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
        assertThat(PeerId.parse("urma4j 1 ../../x 1")).isEmpty();
    }

    private static LibcException failure(int errno) throws Exception {
        Constructor<LibcException> maker =
                LibcException.class.getDeclaredConstructor(String.class, String.class, int.class);
        maker.setAccessible(true);
        return maker.newInstance("open", "test", errno);
    }

    @Test
    void aFullDirectoryAndAReadOnlyOneAreDistinguishedFromOtherFailures() throws Exception {
        try (Dir place = Dir.open(temporary)) {
            for (int errno : new int[] {Errno.ENOSPC, Errno.EDQUOT}) {
                UrmaException full = RuntimeDirectory.noRoom(place, failure(errno));
                assertThat(full.status()).isEqualTo(UrmaStatus.ENOMEM);
                assertThat(full).hasMessageContaining("is full");
            }
            UrmaException readOnly = RuntimeDirectory.noRoom(place, failure(Errno.EROFS));
            assertThat(readOnly.status()).isEqualTo(UrmaStatus.ENOPERM);
            assertThat(readOnly).hasMessageContaining("read-only");
            assertThat(RuntimeDirectory.noRoom(place, failure(Errno.EMFILE)))
                    .hasMessageContaining("a file cannot be made");
            assertThat(RuntimeDirectory.noRoom(place, new IOException("No space left on device")))
                    .hasMessageContaining("is full");
        }
    }

    @Test
    void theRootIsNoRuntimeDirectory() {
        refused(Path.of("/"), "no path of a directory");
    }

    @Test
    void theMountOfAMissingPathIsThatOfTheNearestDirectoryAboveIt() {
        assertThat(RuntimeDirectory.mountOf(temporary.resolve("missing/deeper")))
                .startsWith(temporary.toAbsolutePath() + " is on the mount")
                .doesNotContain("read-only");
    }

    @Test
    void aThousandUasidsInARowAreTriedAndNoMore() {
        List<LockFile> taken = new ArrayList<>();
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock first = directory.takeUasid(ONE, new Random(1));
            taken.add(first.file());
            for (int i = 1; i < 1000; i++) {
                taken.add(lockOf(directory, first.uasid() + i));
            }
            assertThatThrownBy(() -> directory.takeUasid(TWO, new Random(1)))
                    .isInstanceOfSatisfying(
                            UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOMEM));

            taken.removeLast().remove();

            ContextLock last = directory.takeUasid(TWO, new Random(1));
            taken.add(last.file());
            assertThat(last.uasid()).isEqualTo(first.uasid() + 999);
            taken.forEach(LockFile::remove);
        }
    }

    private static LockFile lockOf(RuntimeDirectory directory, int uasid) {
        return LockFile.take(directory.sockets(), "%06x.lock".formatted(uasid)).orElseThrow();
    }

    /** The last UASID is followed by the first: 0 is none. */
    @Test
    void afterTheLastUasidComesTheFirst() {
        try (var directory = RuntimeDirectory.open(path)) {
            LockFile last = lockOf(directory, 0xFF_FFFF);

            ContextLock first = directory.takeUasid(ONE, new Random() {
                @Override
                public int nextInt(int origin, int bound) {
                    return bound - 1;
                }
            });

            assertThat(first.uasid()).isEqualTo(1);
            first.file().remove();
            last.remove();
        }
    }

    @Test
    void filesThatNoContextHasFinishedAreNoResidents() throws Exception {
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock living = directory.takeUasid(ONE, new Random(1));
            Files.writeString(path.resolve("0000aa.lock"), TWO.toLine());
            Files.writeString(path.resolve("0000ab.lock"), "\n");
            Files.writeString(path.resolve("zz.lock"), TWO.toLine() + "\n");

            assertThat(directory.residents()).containsExactly(new RuntimeDirectory.Resident(living.uasid(), ONE));
            assertThat(directory.isGone(0xaa, TWO.address()))
                    .as("its first line is incomplete")
                    .isTrue();
            living.file().remove();
        }
    }

    /** A process without free descriptors takes no living peer for dead: it would free memory that the peer maps. */
    @Test
    void whoCannotReadALockTakesNobodyForDead() throws Exception {
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock living = directory.takeUasid(ONE, new Random(1));
            Files.createDirectory(path.resolve("0000aa.lock"));
            directory.isGone(0xaa, ONE.address()); // loads the classes of a failure
            boolean isGone;
            try (var _ = new NoDescriptors()) {
                isGone = directory.isGone(living.uasid(), ONE.address());
            }

            assertThat(isGone).isFalse();
            assertThat(directory.isGone(living.uasid(), TWO.address()))
                    .as("its UASID has another owner")
                    .isTrue();
            living.file().remove();
            assertThat(directory.isGone(living.uasid(), ONE.address())).isTrue();
        }
    }

    /** One of them may be the lock of a context whose socket is here. */
    @Test
    void noSocketIsRemovedWhileALockCannotBeRead() throws Exception {
        try (var directory = RuntimeDirectory.open(path)) {
            Files.createDirectory(path.resolve("0000aa.lock"));
            Files.createFile(path.resolve(TWO.address()));

            assertThatThrownBy(directory::sweep).isInstanceOf(IOException.class);
            assertThat(path.resolve(TWO.address())).exists();

            Files.delete(path.resolve("0000aa.lock"));
            directory.sweep();
            assertThat(path.resolve(TWO.address())).doesNotExist();
        }
    }

    @Test
    void theSocketOfADeadContextGoesWithItsUasid() throws Exception {
        try (var directory = RuntimeDirectory.open(path)) {
            ContextLock probe = directory.takeUasid(ONE, new Random(1));
            probe.file().remove();
            Files.writeString(path.resolve("%06x.lock".formatted(probe.uasid())), TWO.toLine() + "\n");
            Files.createFile(path.resolve(TWO.address()));

            ContextLock taken = directory.takeUasid(ONE, new Random(1));

            assertThat(taken.uasid()).isEqualTo(probe.uasid());
            assertThat(path.resolve(TWO.address())).doesNotExist();
            taken.file().remove();
        }
    }

    @Test
    void aNameIsTakenWhileItsOwnerHoldsIt() {
        try (var directory = RuntimeDirectory.open(path);
                var other = RuntimeDirectory.open(path)) {
            LockFile held = directory.takeName("orders").orElseThrow();

            assertThat(other.takeName("orders")).isEmpty();

            held.remove();
            other.takeName("orders").orElseThrow().remove();
            assertThat(directory.readName("orders")).isEmpty();
        }
    }
}
