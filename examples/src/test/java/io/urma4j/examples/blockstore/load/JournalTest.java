package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir
    Path folder;

    private static final class Replayed implements Journal.Reader {
        private final List<String> lines = new ArrayList<>();

        @Override
        public void attempted(long block, long revision, int lengthBytes) {
            lines.add("attempted " + block + " " + revision + " " + lengthBytes);
        }

        @Override
        public void acknowledged(long block, long revision) {
            lines.add("acknowledged " + block + " " + revision);
        }
    }

    private List<String> replay(Path file) throws IOException {
        Replayed replayed = new Replayed();
        Journal.open(file, replayed).close();
        return replayed.lines;
    }

    @Test
    void whatWasNotedIsReplayedUpToATornRecord() throws IOException {
        Path file = folder.resolve("journal");
        try (Journal journal = Journal.open(file, new Replayed())) {
            journal.attempted(7, 1, 300);
            journal.acknowledged(7, 1);
        }
        List<String> both = List.of("attempted 7 1 300", "acknowledged 7 1");
        byte[] bytes = Files.readAllBytes(file);
        for (int cut = 0; cut < bytes.length; cut++) {
            Path torn = folder.resolve("torn-" + cut);
            Files.write(torn, Arrays.copyOf(bytes, cut));

            assertThat(replay(torn)).isEqualTo(both.subList(0, cut / 32));
        }
        assertThat(replay(file)).isEqualTo(both);
    }

    @Test
    void aJournalGoesOnBehindTheLastWholeRecord() throws IOException {
        Path file = folder.resolve("journal");
        try (Journal journal = Journal.open(file, new Replayed())) {
            journal.attempted(7, 1, 300);
            journal.attempted(7, 2, 400);
        }
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 40));

        try (Journal journal = Journal.open(file, new Replayed())) {
            assertThat(journal.recovered()).isOne();
            journal.acknowledged(7, 1);
        }

        assertThat(replay(file)).containsExactly("attempted 7 1 300", "acknowledged 7 1");
    }
}
