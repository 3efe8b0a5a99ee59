package io.urma4j.examples.blockstore;

import io.urma4j.Urma;
import io.urma4j.buffer.PoolStats;
import io.urma4j.examples.blockstore.store.BlockStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * The server as a process. It ends with its standard input, so it does not outlive the process that started it. It first waits
 * until all buffers are back, without help by closing sessions, and says what it found.
 */
public final class ServerProcess {
    private static final Duration BUFFERS_TIMEOUT = Duration.ofSeconds(15);
    private static final int DEFAULT_TRANSFERS = 16;
    private static final long DEFAULT_FILE_MEBIBYTES = 4096;

    private ServerProcess() {}

    /** Options: {@code --device --folder --name --transfers --mebibytes --wait}. */
    public static void main(String[] line) throws Exception {
        try {
            System.exit(serve(
                    Options.parse(line, "--device", "--folder", "--name", "--transfers", "--mebibytes", "--wait")));
        } catch (Options.UsageException e) {
            System.err.println("server: " + e.getMessage());
            System.exit(2);
        }
    }

    /** Serves until the input ends; 0 if all buffers came back. */
    private static int serve(Options options) throws IOException {
        int transfers = (int) options.number("--transfers", DEFAULT_TRANSFERS, 1, 1024);
        long fileBytes = options.number("--mebibytes", DEFAULT_FILE_MEBIBYTES, 1, 1 << 20) << 20;
        String device = options.text("--device", "shm0");
        boolean polls = options.choice("--wait", "sleep", "poll").equals("poll");
        long firstSession = new SecureRandom().nextLong() >>> 1;
        long begunNanos = System.nanoTime();
        try (BlockStore store = BlockStore.open(Path.of(options.text("--folder")), fileBytes);
                Urma urma = Urma.open();
                BlockServer server = BlockServer.open(urma, device, store, transfers, firstSession, polls)) {
            System.out.println("open: " + store.size() + " blocks recovered in "
                    + Duration.ofNanos(System.nanoTime() - begunNanos).toMillis() + " ms, " + store.torn()
                    + " torn slots");
            Thread.ofPlatform().name("stdin").daemon().start(() -> awaitEndOfInput(server));
            server.run(options.text("--name", "blockstore"));
            System.out.println("end: " + server.sessions() + " sessions, " + server.refused() + " messages refused, "
                    + store.forcedWrites() + " writes by " + store.forces() + " forces");
            return reportPool(server.poolStats()) ? 0 : 1;
        }
    }

    private static void awaitEndOfInput(BlockServer server) {
        try {
            var _ = System.in.transferTo(OutputStream.nullOutputStream());
            long deadlineNanos = System.nanoTime() + BUFFERS_TIMEOUT.toNanos();
            while (!isEmpty(server.poolStats()) && System.nanoTime() - deadlineNanos < 0) {
                Thread.sleep(Duration.ofMillis(20));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("end: standard input failed: " + e);
        } finally {
            server.end();
        }
    }

    /** Whether all buffers of a pool are back, and no request waits for one. */
    public static boolean isEmpty(PoolStats pool) {
        return pool.leases() == 0 && pool.quarantined() == 0 && pool.waiters() == 0;
    }

    /** Prints the line that the load looks for, and returns whether all buffers are back. */
    public static boolean reportPool(PoolStats pool) {
        System.out.println("pool: " + pool.leases() + " leases, " + pool.quarantined() + " quarantined");
        return isEmpty(pool);
    }
}
