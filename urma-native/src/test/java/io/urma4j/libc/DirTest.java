package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirTest {
    @TempDir
    Path folder;

    private Dir directory;

    @BeforeEach
    void open() {
        directory = Dir.open(folder);
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void madeDirectoryIsOursAlone() {
        assertThat(directory.makeDirectory("private")).isTrue();
        assertThat(directory.makeDirectory("private")).isFalse();

        try (Dir made = directory.openDirectory("private")) {
            FileStatus status = made.status();
            assertThat(status.isDirectory()).isTrue();
            assertThat(status.permissions()).isEqualTo(0700);
            assertThat(status.ownerUid()).isEqualTo(UserIds.effective());
            assertThat(made.path()).isEqualTo(folder.resolve("private"));
        }
    }

    @Test
    void symbolicLinkIsNotFollowed() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real"));
        Files.createSymbolicLink(folder.resolve("link"), real);

        assertThat(directory.status("link").isSymbolicLink()).isTrue();
        assertThat(openErrno(folder.resolve("link"))).isIn(Errno.ENOTDIR, Errno.ELOOP);
        var refusal = catchThrowableOfType(LibcException.class, () -> directory.openFile("link"));
        assertThat(refusal.errno()).isEqualTo(Errno.ELOOP);
    }

    @Test
    void fileIsNoDirectory() throws Exception {
        Files.createFile(folder.resolve("file"));

        assertThat(openErrno(folder.resolve("file"))).isEqualTo(Errno.ENOTDIR);
        assertThat(openErrno(folder.resolve("missing"))).isEqualTo(Errno.ENOENT);
    }

    @Test
    void createdFileIsOursAloneAndMadeOnce() {
        try (Fd file = directory.createFile("lock")) {
            assertThat(FileStatus.of(file).isRegularFile()).isTrue();
            assertThat(FileStatus.of(file).permissions()).isEqualTo(0600);
            assertThat(FileStatus.of(file).isSameFile(directory.status("lock"))).isTrue();

            var refusal = catchThrowableOfType(LibcException.class, () -> directory.createFile("lock"));
            assertThat(refusal.errno()).isEqualTo(Errno.EEXIST);
        }
    }

    @Test
    void removedFileHasNoLinkLeft() {
        try (Fd file = directory.openOrCreateFile("lock")) {
            assertThat(directory.unlink("lock")).isTrue();
            assertThat(directory.unlink("lock")).isFalse();

            assertThat(FileStatus.of(file).links()).isZero();
        }
    }

    @Test
    void directoryIsRemovedWhenEmpty() {
        directory.makeDirectory("empty");
        try (Dir inner = directory.openDirectory("empty")) {
            inner.createFile("file").close();
            var refusal = catchThrowableOfType(LibcException.class, () -> directory.removeDirectory("empty"));
            assertThat(refusal.errno()).isEqualTo(Errno.ENOTEMPTY);

            inner.unlink("file");
        }
        assertThat(directory.removeDirectory("empty")).isTrue();
        assertThat(directory.removeDirectory("empty")).isFalse();
    }

    @Test
    void renamedDirectoryStaysOpen() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("before"));
        try (Dir open = Dir.open(inner)) {
            Files.move(inner, folder.resolve("after"));
            open.createFile("late").close();

            assertThat(open.procPath().resolve("late")).exists();
            assertThat(folder.resolve("after/late")).exists();
        }
    }

    @Test
    void nameOfAnotherPlaceIsRefused() {
        for (String name : new String[] {"", ".", "..", "a/b", "/etc", "nul\0"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> directory.openFile(name))
                    .withMessageContaining("is not the name of a file");
        }
    }

    @Test
    void lockExcludesASecondOpen() {
        try (Fd first = directory.openOrCreateFile("lock");
                Fd second = directory.openOrCreateFile("lock")) {
            assertThat(Flock.tryLock(first)).isTrue();
            assertThat(Flock.tryLock(second)).isFalse();

            Flock.unlock(first);

            assertThat(Flock.tryLock(second)).isTrue();
        }
    }

    @Test
    void closedFileGivesUpItsLock() {
        try (Fd second = directory.openOrCreateFile("lock")) {
            Fd first = directory.openOrCreateFile("lock");
            Flock.tryLock(first);

            first.close();

            assertThat(Flock.tryLock(second)).isTrue();
        }
    }

    private static int openErrno(Path path) {
        return catchThrowableOfType(LibcException.class, () -> Dir.open(path)).errno();
    }
}
