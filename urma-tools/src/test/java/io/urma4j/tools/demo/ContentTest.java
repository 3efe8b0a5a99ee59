package io.urma4j.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.InputFile;
import io.urma4j.tools.Line;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentTest {
    @TempDir
    Path folder;

    @Test
    void generatedBytesDependOnTheirPlaceAlone() {
        var content = new Content.Generated(1003);
        byte[] whole = bytes(content, 0, 1003);

        assertThat(bytes(content, 0, 64)).isEqualTo(Arrays.copyOf(whole, 64));
        assertThat(bytes(content, 512, 491)).isEqualTo(Arrays.copyOfRange(whole, 512, 1003));
    }

    @Test
    void generatedWordsAllDiffer() {
        byte[] bytes = bytes(new Content.Generated(80_000), 0, 80_000);
        Set<String> words = new HashSet<>();
        for (int i = 0; i < bytes.length; i += 8) {
            words.add(Arrays.toString(Arrays.copyOfRange(bytes, i, i + 8)));
        }

        assertThat(words).hasSize(10_000);
    }

    @Test
    void aFileAndItsDescriptionGiveTheSameBytes() throws Exception {
        Path path = Files.write(folder.resolve("a b"), bytes(new Content.Generated(3_000_001), 0, 3_000_001));
        String generated = new Content.Generated(3_000_001).sha256(done -> {});

        try (var file = Content.OfFile.open(InputFile.of(path));
                var again = Content.of(file.describe(Line.of("write")))) {
            assertThat(file.sha256(done -> {})).isEqualTo(generated);
            assertThat(again.sha256(done -> {})).isEqualTo(generated);
        }
    }

    @Test
    void aFileThatBecameShorterIsNamed() throws Exception {
        Path path = Files.write(folder.resolve("file"), new byte[100]);

        try (var file = Content.OfFile.open(new InputFile(path, 101))) {
            assertThatThrownBy(() -> file.sha256(done -> {}))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("became shorter");
        }
    }

    private static byte[] bytes(Content content, long offset, int length) {
        byte[] bytes = new byte[length];
        try {
            content.fill(offset, MemorySegment.ofArray(bytes));
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
        return bytes;
    }
}
