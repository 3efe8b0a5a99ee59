package io.urma4j.examples.blockstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.examples.blockstore.store.BlockStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;

/** A server in the JVM of a test, with files and runtime directory in a folder. */
public final class InProcessServer {
    public static final String NAME = "blockstore";
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int LENGTH = 4096;

    private final Path runtimeDirectory;
    private final String device;
    private final Urma urma;
    private final BlockStore store;
    private final BlockServer server;
    private final Thread serving;

    public InProcessServer(Path folder, String device) throws IOException {
        this.runtimeDirectory = folder.resolve("runtime");
        this.device = device;
        this.urma = Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(runtimeDirectory)
                .withSetting("urma.udma.addresses", "127.0.0.1"));
        this.store = BlockStore.open(folder.resolve("blocks"), 1L << 30);
        this.server = BlockServer.open(urma, device, store, 4, 1000);
        this.serving = Thread.ofPlatform().name("server").start(() -> server.run(NAME));
    }

    public Path runtimeDirectory() {
        return runtimeDirectory;
    }

    public Urma urma() {
        return urma;
    }

    public BlockStore store() {
        return store;
    }

    public long leases() {
        return server.poolStats().leases();
    }

    public int sessions() {
        return server.sessions();
    }

    public long refused() {
        return server.refused();
    }

    /** A new client writes and reads a block. */
    public void assertServes() {
        try (BlockClient other = BlockClient.open(urma, device, NAME, PATIENCE)) {
            long revision = System.nanoTime();
            other.write(1_000_000, revision, LENGTH, bytes -> bytes.fill((byte) 77));
            try (ReadBlock read = other.read(1_000_000, LENGTH).orElseThrow()) {
                assertThat(read.revision()).isEqualTo(revision);
                assertThat(read.bytes().byteSize()).isEqualTo(LENGTH);
                assertThat(read.bytes().get(ValueLayout.JAVA_BYTE, LENGTH - 1)).isEqualTo((byte) 77);
            }
        }
    }

    public void end() throws IOException, InterruptedException {
        server.end();
        serving.join();
        server.close();
        store.close();
        urma.close();
    }
}
