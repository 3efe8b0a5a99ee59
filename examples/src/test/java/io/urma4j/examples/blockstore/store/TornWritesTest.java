package io.urma4j.examples.blockstore.store;

import static io.urma4j.examples.blockstore.store.BlockStoreTest.bytes;
import static io.urma4j.examples.blockstore.store.BlockStoreTest.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A crash in the middle of a write leaves any part of it on the disk: here, any of its sectors. Whichever these are, each block
 * has its acknowledged content, or the whole new one.
 */
class TornWritesTest {
    private static final long ROOM = 64 << 20;
    private static final int BLOCKS = 6;
    private static final int SECTOR = 512;
    private static final int ROUNDS = Boolean.getBoolean("urma.full") ? 2000 : 150;

    @TempDir
    Path folder;

    @Test
    void anySectorsOfAnUnacknowledgedWriteLeaveWholeBlocks() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        Path before = folder.resolve("before");
        Path after = folder.resolve("after");
        Path torn = folder.resolve("torn");
        Map<Long, Long> acknowledged = new HashMap<>();
        int tornSlots = 0;
        for (int round = 0; round < ROUNDS; round++) {
            write(before, 3, random, acknowledged);
            copy(before, after);
            Map<Long, Long> attempted = new HashMap<>(acknowledged);
            write(after, 1, random, attempted); // the next would begin after the force of this one

            tear(before, after, torn, random);

            tornSlots += check(torn, acknowledged, attempted, "-Dseed=" + seed + " round " + round);
        }
        assertThat(tornSlots).as("slots that recovery found torn; seed " + seed).isGreaterThan(ROUNDS / 10);
    }

    /** Overwrites some blocks by their next revisions, each of a length of its own. */
    private static void write(Path store, int count, Random random, Map<Long, Long> revisions) throws IOException {
        try (BlockStore opened = BlockStore.open(store, ROOM)) {
            for (int i = 0; i < count; i++) {
                long block = random.nextInt(BLOCKS);
                long revision = revisions.merge(block, 1L, Long::sum);
                BlockStoreTest.write(opened, block, revision, content(block, revision));
            }
        }
    }

    private static byte[] content(long block, long revision) {
        long seed = block * 1_000_003 + revision;
        return bytes(seed, 256 + new Random(seed).nextInt(6000));
    }

    private static int check(Path store, Map<Long, Long> acknowledged, Map<Long, Long> attempted, String replay)
            throws IOException {
        try (BlockStore opened = BlockStore.open(store, ROOM)) {
            for (long block = 0; block < BLOCKS; block++) {
                long least = acknowledged.getOrDefault(block, 0L);
                long found = opened.find(block).map(Stored::revision).orElse(0L);
                assertThat(found)
                        .as("revision of block " + block + ", " + replay)
                        .isBetween(least, attempted.getOrDefault(block, 0L));
                if (found > 0) {
                    assertThat(read(opened, block))
                            .as("block " + block + ", " + replay)
                            .isEqualTo(content(block, found));
                }
            }
            return opened.torn();
        }
    }

    // ---- files

    private static List<Path> files(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            return files.toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (Path file : files(from)) {
            Files.write(to.resolve(file.getFileName()), Files.readAllBytes(file));
        }
    }

    /** Each sector is the old or the new one, and new sectors at the end may be missing. */
    private static void tear(Path before, Path after, Path torn, Random random) throws IOException {
        Files.createDirectories(torn);
        double newShare = random.nextDouble();
        for (Path file : files(after)) {
            byte[] newBytes = Files.readAllBytes(file);
            byte[] oldBytes = Files.readAllBytes(before.resolve(file.getFileName()));
            int grown = newBytes.length - oldBytes.length;
            byte[] bytes = Arrays.copyOf(oldBytes, oldBytes.length + (grown > 0 ? random.nextInt(grown + 1) : 0));
            for (int at = 0; at < bytes.length; at += SECTOR) {
                if (random.nextDouble() < newShare) {
                    System.arraycopy(newBytes, at, bytes, at, Math.min(SECTOR, bytes.length - at));
                }
            }
            Files.write(torn.resolve(file.getFileName()), bytes);
        }
    }
}
