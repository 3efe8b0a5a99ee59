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
    private final boolean polls;
    private BlockServer server;
    private Thread serving;

    public InProcessServer(Path folder, String device) throws IOException {
        this(folder, device, false);
    }

    /** With a server that polls, or one that sleeps. */
    public InProcessServer(Path folder, String device, boolean polls) throws IOException {
        this.runtimeDirectory = folder.resolve("runtime");
        this.device = device;
        this.urma = Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(runtimeDirectory)
                .withSetting("urma.udma.addresses", "127.0.0.1"));
        this.store = BlockStore.open(folder.resolve("blocks"), 1L << 30);
        this.polls = polls;
        startServer();
    }

    /** Starts the server on the same files, at first and after {@link #endServer}. */
    public void startServer() {
        BlockServer started = BlockServer.open(urma, device, store, 4, 1000, polls);
        server = started;
        serving = Thread.ofPlatform().name("server").start(() -> started.run(NAME));
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

    /** Ends the server; its files stay open. */
    public void endServer() throws InterruptedException {
        server.end();
        serving.join();
        server.close();
    }

    public void end() throws IOException, InterruptedException {
        endServer();
        store.close();
        urma.close();
    }
}
