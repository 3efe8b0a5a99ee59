package io.urma4j.examples.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that polls and clients that poll. */
@Timeout(60)
class PolledReadsTest {
    private static final int BLOCKS = 20;
    private static final int LENGTH = 5000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"shm0, true", "shm0, false", "udma0, true", "udma0, false"})
    void eachReadHasTheBytesOfItsBlock(String device, boolean serverPolls) throws Exception {
        InProcessServer server = new InProcessServer(folder, device, serverPolls);
        write(server, device);
        try (BlockClient client = open(server, device)) {
            Deque<CompletableFuture<Optional<ReadBlock>>> begun = new ArrayDeque<>();
            int reads = 500;
            for (int i = 0; i < reads + 12; i++) { // more at once than the server grants
                if (i < reads) {
                    begun.addLast(client.readAsync(i % BLOCKS, LENGTH));
                }
                if (i >= 12) {
                    try (ReadBlock read = await(client, begun.removeFirst()).orElseThrow()) {
                        assertThat(read.bytes().toArray(ValueLayout.JAVA_BYTE))
                                .hasSize(LENGTH)
                                .containsOnly((byte) ((i - 12) % BLOCKS));
                    }
                }
            }
            assertThat(await(client, client.readAsync(BLOCKS, LENGTH))).isEmpty();
            assertThatThrownBy(() -> await(client, client.readAsync(0, LENGTH - 1)))
                    .cause()
                    .isInstanceOf(BlockException.class)
                    .hasMessageContaining("5000 bytes");
            assertThat(client.poolStats().leases()).isZero();
        }
        awaitLeases(server);
        server.end();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm0", "udma0"})
    void aReadGoesOnWithTheNextServer(String device) throws Exception {
        InProcessServer first = new InProcessServer(folder, device, true);
        write(first, device);
        try (BlockClient client = open(first, device)) {
            try (ReadBlock read = await(client, client.readAsync(1, LENGTH)).orElseThrow()) {
                assertThat(read.revision()).isEqualTo(1);
            }
            first.endServer();
            CompletableFuture<Optional<ReadBlock>> begun = client.readAsync(2, LENGTH);
            assertThat(begun).isNotDone();
            first.startServer();
            try (ReadBlock read = await(client, begun).orElseThrow()) {
                assertThat(read.bytes().get(ValueLayout.JAVA_BYTE, 17)).isEqualTo((byte) 2);
            }
        }
        first.end();
    }

    @ParameterizedTest
    @ValueSource(strings = "shm0")
    void aReadWithoutServerFailsAfterThePatience(String device) throws Exception {
        InProcessServer server = new InProcessServer(folder, device, true);
        server.endServer();
        Duration patience = Duration.ofMillis(300);
        try (BlockClient client = BlockClient.openPolled(server.urma(), device, InProcessServer.NAME, patience)) {
            assertThatThrownBy(() -> await(client, client.readAsync(0, LENGTH)))
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(UrmaException.class)
                    .hasMessageContaining("not served within");
        }
        server.startServer();
        server.end();
    }

    private static void write(InProcessServer server, String device) {
        try (BlockClient writer =
                BlockClient.open(server.urma(), device, InProcessServer.NAME, InProcessServer.PATIENCE)) {
            for (int block = 0; block < BLOCKS; block++) {
                byte each = (byte) block;
                writer.write(block, 1, LENGTH, bytes -> bytes.fill(each));
            }
        }
    }

    private static BlockClient open(InProcessServer server, String device) {
        return BlockClient.openPolled(server.urma(), device, InProcessServer.NAME, InProcessServer.PATIENCE);
    }

    private static Optional<ReadBlock> await(BlockClient client, CompletableFuture<Optional<ReadBlock>> begun) {
        while (!begun.isDone()) {
            client.poll();
        }
        return begun.join();
    }

    private static void awaitLeases(InProcessServer server) throws InterruptedException {
        while (server.leases() > 0) { // until the time-out of the class
            Thread.sleep(10);
        }
    }
}
