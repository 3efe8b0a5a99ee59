package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputFileTest {
    @TempDir
    Path folder;

    @Test
    void appearsWhenItIsCommitted() throws Exception {
        Path path = folder.resolve("out");

        try (var file = OutputFile.create(path)) {
            file.channel().write(bytes("new"));
            assertThat(path).doesNotExist();
            file.commit();
        }

        assertThat(path).hasContent("new");
        assertThat(names()).containsExactly("out");
    }

    @Test
    void withoutACommitThereIsNothingAndTheOldFileStays() throws Exception {
        Path path = Files.writeString(folder.resolve("out"), "old");

        try (var file = OutputFile.create(path)) {
            file.channel().write(bytes("new"));
        }

        assertThat(path).hasContent("old");
        assertThat(names()).containsExactly("out");
    }

    @Test
    void aLinkStaysALink() throws Exception {
        Path path = Files.writeString(folder.resolve("out"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), path);

        try (var file = OutputFile.create(link)) {
            file.channel().write(bytes("new"));
            file.commit();
        }

        assertThat(link).isSymbolicLink();
        assertThat(path).hasContent("new");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-rw-rw-"})
    void aFileThatIsReplacedKeepsItsPermissions(String permissions) throws Exception {
        Path path = Files.writeString(folder.resolve("out"), "old");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));

        try (var file = OutputFile.create(path)) {
            file.write("new");
            file.commit();
        }

        assertThat(path).hasContent("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo(permissions);
    }

    /** As a closed standard output interrupts the command. */
    @Test
    void isWrittenInSpiteOfAnInterruptWhichStaysSet() throws Exception {
        Path path = folder.resolve("out");

        try (var file = OutputFile.create(path)) {
            Thread.currentThread().interrupt();
            file.write("new");
            assertThat(Thread.interrupted()).isTrue();
            file.commit();
        }

        assertThat(path).hasContent("new");
    }

    @Test
    void refusesAFolderAndAFileInAFolderThatIsNotThere() {
        assertThatThrownBy(() -> OutputFile.create(folder))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("is a directory");
        assertThatThrownBy(() -> OutputFile.create(folder.resolve("no/out")))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("output '" + folder.resolve("no/out") + "': there is no directory '" + folder.resolve("no")
                        + "'");
    }

    private List<String> names() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
