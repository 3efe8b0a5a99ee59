package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
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
    void oneOwnerAtATime() throws Exception {
        LockFile mine = LockFile.take(directory, "lock").orElseThrow();
        mine.write("one");

        assertThat(LockFile.take(directory, "lock")).isEmpty();
        assertThat(LockFile.takeExisting(directory, "lock")).isEmpty();
        assertThat(LockFile.isDead(directory, "lock")).isFalse();
        assertThat(LockFile.read(directory, "lock")).isEqualTo("one").isEqualTo(mine.read());
        mine.remove();
        mine.remove();
        assertThat(folder).isEmptyDirectory();
        assertThat(LockFile.isDead(directory, "lock")).isTrue();
    }

    @Test
    void aDeadOwnersFileIsTakenOverWithItsContent() throws Exception {
        Files.writeString(folder.resolve("lock"), "old\n");

        assertThat(LockFile.isDead(directory, "lock")).isTrue();
        LockFile taken = LockFile.takeExisting(directory, "lock").orElseThrow();
        assertThat(taken.read()).isEqualTo("old");
        taken.write("new");
        assertThat(folder.resolve("lock")).hasContent("new\n");
        taken.remove();
    }

    @Test
    void anIncompleteOrMissingFileIsEmpty() throws Exception {
        Files.writeString(folder.resolve("half"), "urma4j 1");

        assertThat(LockFile.read(directory, "half")).isEmpty();
        assertThat(LockFile.read(directory, "missing")).isEmpty();
        assertThat(LockFile.takeExisting(directory, "missing")).isEmpty();
    }

    /** Another process of the user may make any file in the directory, and an engine reads it. */
    @Test
    void whatNoContextCanHaveWrittenIsNotRead() throws Exception {
        Files.writeString(folder.resolve("long"), "x".repeat(5000) + "\n");
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(LockFile.read(directory, "long")).isEmpty();
        assertThat(LockFile.read(directory, "pipe")).isEmpty();
    }

    /** Its owner may be alive. */
    @Test
    void aFileThatCannotBeReadIsNoMissingOne() throws Exception {
        Files.createDirectory(folder.resolve("unreadable"));
        Files.writeString(folder.resolve("lock"), "one\n");
        assertThat(failureOf("unreadable")).hasMessageContaining("EISDIR"); // loads all classes of a failure
        IOException failure;
        var before = ResourceLimit.NOFILE.bounds();
        ResourceLimit.NOFILE.set(new ResourceLimit.Bounds(3, before.hard()));
        try {
            failure = failureOf("lock");
        } finally {
            ResourceLimit.NOFILE.set(before);
        }

        assertThat(failure).hasMessageContaining("EMFILE");
        assertThat(LockFile.readIfPossible(directory, "unreadable")).isEmpty();
        assertThat(LockFile.readIfPossible(directory, "lock")).isEqualTo("one");
    }

    private IOException failureOf(String name) {
        try {
            throw new AssertionError("read: " + LockFile.read(directory, name));
        } catch (IOException e) {
            return e;
        }
    }

    @Test
    void aReleasedFileStays() throws Exception {
        LockFile mine = LockFile.take(directory, "lock").orElseThrow();
        mine.write("one");

        mine.release();
        mine.release();

        assertThat(LockFile.isDead(directory, "lock")).isTrue();
        assertThat(LockFile.read(directory, "lock")).isEqualTo("one");
    }

    @Test
    void aNameThatLeadsOutIsRefused() {
        assertThatThrownBy(() -> LockFile.take(directory, "../lock")).isInstanceOf(IllegalArgumentException.class);
    }
}
