package io.urma4j.examples.blockstore.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockStoreTest {
    private static final long ROOM = 64 << 20;

    @TempDir
    Path folder;

    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static WriteResult write(BlockStore store, long block, long revision, byte[] bytes) {
        ByteBuffer payload = ByteBuffer.wrap(bytes);
        return store.write(block, revision, Checksum.of(payload), payload).join();
    }

    static byte[] read(BlockStore store, long block) throws IOException {
        Stored stored = store.find(block).orElseThrow();
        ByteBuffer into = ByteBuffer.allocate(stored.lengthBytes());
        assertThat(store.read(block, stored, into)).isTrue();
        assertThat(Checksum.of(into)).isEqualTo(stored.payloadCrc());
        return into.array();
    }

    @Test
    void blocksOfAllLengthsAreThereAfterAReopen() throws IOException {
        int[] lengths = {256, 257, 511, 512, 513, 65_536, 65_537, BlockStore.MOST_BYTES};
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            for (int length : lengths) {
                assertThat(write(store, length, 1, bytes(length, length)))
                        .isEqualTo(new WriteResult(WriteResult.Outcome.STORED, 1));
            }
        }

        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            assertThat(store.size()).isEqualTo(lengths.length);
            for (int length : lengths) {
                assertThat(read(store, length)).isEqualTo(bytes(length, length));
            }
        }
    }

    @Test
    void theLastRevisionIsThereAfterAReopen() throws IOException {
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            for (int revision = 1; revision <= 20; revision++) {
                write(store, 7, revision, bytes(revision, 300 * revision));
            }
        }

        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            assertThat(store.find(7).orElseThrow().revision()).isEqualTo(20);
            assertThat(read(store, 7)).isEqualTo(bytes(20, 6000));
        }
    }

    @Test
    void aRepeatedWriteIsAcknowledgedAndAnOldOneRefused() throws IOException {
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            write(store, 7, 5, bytes(5, 1000));

            assertThat(write(store, 7, 5, bytes(5, 1000))).isEqualTo(new WriteResult(WriteResult.Outcome.STORED, 5));
            assertThat(write(store, 7, 4, bytes(4, 1000))).isEqualTo(new WriteResult(WriteResult.Outcome.STALE, 5));
            assertThat(write(store, 7, 5, bytes(6, 1000))).isEqualTo(new WriteResult(WriteResult.Outcome.STALE, 5));
            assertThat(read(store, 7)).isEqualTo(bytes(5, 1000));
        }
    }

    @Test
    void rewrittenBlocksTakeNoMoreRoom() throws IOException {
        long room = 16 * (SlotHeader.BYTES + 4096);
        try (BlockStore store = BlockStore.open(folder, room)) {
            for (int revision = 1; revision <= 500; revision++) {
                for (int block = 0; block < 8; block++) {
                    assertThat(write(store, block, revision, bytes(revision, 4096))
                                    .outcome())
                            .isEqualTo(WriteResult.Outcome.STORED);
                }
            }
        }
    }

    @Test
    void aWriteBeyondTheRoomIsRefusedAndTheOldContentStays() throws IOException {
        try (BlockStore store = BlockStore.open(folder, 2 * (SlotHeader.BYTES + 256))) {
            write(store, 1, 1, bytes(1, 256));
            write(store, 2, 1, bytes(2, 256));

            assertThat(write(store, 1, 2, bytes(3, 256))).isEqualTo(new WriteResult(WriteResult.Outcome.FULL, 1));
            assertThat(read(store, 1)).isEqualTo(bytes(1, 256));
        }
    }

    @Test
    void aReadIsRefusedOnceAWriteHasReplacedTheBlock() throws IOException {
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            write(store, 1, 1, bytes(1, 256));
            Stored old = store.find(1).orElseThrow();

            write(store, 1, 2, bytes(2, 256));

            assertThat(store.read(1, old, ByteBuffer.allocate(256))).isFalse();
        }
    }

    @Test
    void oneForceServesTheWritesThatWait() throws IOException {
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            List<CompletableFuture<WriteResult>> writes = new ArrayList<>();
            for (int block = 0; block < 1000; block++) {
                ByteBuffer payload = ByteBuffer.wrap(bytes(block, 256));
                writes.add(store.write(block, 1, Checksum.of(payload), payload));
            }
            writes.forEach(CompletableFuture::join);

            assertThat(store.forcedWrites()).isEqualTo(1000);
            assertThat(store.forces()).isBetween(1000L / 64, 500L);
        }
    }

    @Test
    void aClosedStoreFailsItsWrites() throws IOException {
        BlockStore store = BlockStore.open(folder, ROOM);
        store.close();

        assertThatThrownBy(() -> write(store, 1, 1, bytes(1, 256))).hasRootCauseMessage("the store is closed");
    }

    @Test
    void lengthsOutsideOfTheLimitsAreRefused() throws IOException {
        try (BlockStore store = BlockStore.open(folder, ROOM)) {
            assertThatThrownBy(() -> write(store, 1, 1, new byte[255]))
                    .hasMessage("length 255 must lie in 256…4194304");
            assertThatThrownBy(() -> write(store, 1, 1, new byte[BlockStore.MOST_BYTES + 1]))
                    .hasMessage("length 4194305 must lie in 256…4194304");
        }
    }
}
