package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.examples.blockstore.InProcessServer;
import io.urma4j.examples.blockstore.load.Counts.Count;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that says nothing any more: the server has its buffers back, and serves the others meanwhile. */
@ParameterizedClass
@ValueSource(strings = {"shm0", "udma0"})
class StoppedClientIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Parameter
    String device;

    @TempDir
    Path folder;

    private InProcessServer server;
    private Child client;
    private Counts counts;

    @BeforeEach
    void letOneClientWork() throws Exception {
        server = new InProcessServer(folder, device);
        client = new Child(
                "client",
                folder,
                Map.of("URMA_RUNTIME_DIR", server.runtimeDirectory().toString(), "URMA_UDMA_ADDRESSES", "127.0.0.1"),
                LoadClient.class,
                "--device",
                device,
                "--folder",
                folder.toString(),
                "--number",
                "1");
        counts = Counts.open(folder.resolve("client-1.counts"));
        awaitMoreOperations();
    }

    @AfterEach
    void end() throws Exception {
        client.close();
        counts.close();
        server.end();
    }

    private void awaitMoreOperations() {
        long before = counts.get(Count.WRITES);
        await().atMost(PATIENCE).until(() -> counts.get(Count.WRITES) > before + 3);
    }

    private void awaitBuffers() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.leases()).isZero());
    }

    @Test
    void theBuffersOfAStoppedClientComeBackAndItGoesOn() throws Exception {
        client.stop();
        awaitBuffers();
        server.assertServes();
        awaitBuffers();

        client.goOn();
        awaitMoreOperations();
        client.end();

        assertThat(client.exitCode(PATIENCE)).as(client.output()).isZero();
        assertThat(counts.get(Count.LOST) + counts.get(Count.CORRUPT) + counts.get(Count.FAILED))
                .as(client.output())
                .isZero();
    }

    @Test
    void theBuffersAndTheSessionOfAKilledClientComeBack() throws Exception {
        client.kill();
        awaitBuffers();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.sessions()).isZero());

        server.assertServes();
    }
}
