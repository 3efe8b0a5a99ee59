package io.urma4j.bench;

import io.urma4j.Urma;
import io.urma4j.examples.blockstore.BlockClient;
import io.urma4j.examples.blockstore.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A block store in another process with blocks of zeros, and a client that polls. */
final class RunningStore implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final AtomicInteger STARTED = new AtomicInteger();

    private final Process server;
    private final Urma urma;
    private final BlockClient client;

    private RunningStore(Process server, Urma urma, BlockClient client) {
        this.server = server;
        this.urma = urma;
        this.client = client;
    }

    /**
     * Starts it.
     *
     * @param folder for its files
     */
    static RunningStore start(String device, Path folder) throws IOException {
        String name = "bench-" + ProcessHandle.current().pid() + "-" + STARTED.getAndIncrement();
        Process server = startServer(device, folder, name);
        Urma urma = Urma.open();
        try (BlockClient writer = BlockClient.open(urma, device, name, PATIENCE)) {
            for (int block = 0; block < StoreSuite.BLOCKS; block++) {
                writer.write(block, 1, StoreSuite.BLOCK_BYTES, bytes -> bytes.fill((byte) 0));
            }
        } catch (RuntimeException e) {
            urma.close();
            server.destroyForcibly();
            throw e;
        }
        return new RunningStore(server, urma, BlockClient.openPolled(urma, device, name, PATIENCE));
    }

    private static Process startServer(String device, Path folder, String name) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-UsePerfData",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                ServerProcess.class.getName(),
                "--device",
                device,
                "--folder",
                folder.toString(),
                "--name",
                name,
                "--wait",
                "poll");
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    BlockClient client() {
        return client;
    }

    @Override
    public void close() throws IOException {
        client.close();
        urma.close();
        server.getOutputStream().close(); // it ends with its input
        server.onExit().join();
    }
}
