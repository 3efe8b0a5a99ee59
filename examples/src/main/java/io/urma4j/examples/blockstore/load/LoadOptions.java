package io.urma4j.examples.blockstore.load;

import io.urma4j.examples.blockstore.Options;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Options of the load.
 *
 * @param serverWaits how the server waits for messages: sleep or poll
 * @param folder in which the load makes a folder of its own
 */
record LoadOptions(
        String device,
        String serverWaits,
        Duration duration,
        int kills,
        int clients,
        int workers,
        int blocks,
        long seed,
        Path folder) {
    static final String HELP = """
            Usage: run [--device D] [--wait W] [--minutes M] [--kills K] [--clients C] [--workers W] [--blocks B]
                       [--seed S] [--folder F]

            Starts a block store and its clients as processes, lets the clients read and write at random, and kills
            and stops processes meanwhile. At the end, each client reads all of its blocks.

              --device D    shm0 or udma0 (shm0)
              --wait W      sleep or poll: how the server waits for messages (sleep)
              --minutes M   how long, with a fraction (1)
              --kills K     SIGKILLs of clients, SIGKILLs of the server, SIGSTOPs of clients, in all (10)
              --clients C   processes, 1…32 (3)
              --workers W   threads of each client, 1…8 (4)
              --blocks B    of each thread, 1…4096 (16)
              --seed S      of the kills, operations and contents (random)
              --folder F    for files and sockets; what the load puts there is deleted at its end (the temporary folder)

            Exit code 0: no acknowledged write was lost, no read was corrupt, no request failed, all processes ended
            well, and all buffers came back. 1: otherwise. 2: an option is wrong.
            """;

    /** Parses a command line. */
    static LoadOptions parse(String... line) {
        Options options = Options.parse(
                line,
                "--device",
                "--wait",
                "--minutes",
                "--kills",
                "--clients",
                "--workers",
                "--blocks",
                "--seed",
                "--folder");
        long randomSeed = ThreadLocalRandom.current().nextLong(1, 1_000_000);
        LoadOptions parsed = new LoadOptions(
                options.text("--device", "shm0"),
                options.choice("--wait", "sleep", "poll"),
                Duration.ofMillis((long) (options.fraction("--minutes", 1, 24 * 60) * 60_000)),
                (int) options.number("--kills", 10, 0, 100_000),
                (int) options.number("--clients", 3, 1, 32),
                (int) options.number("--workers", 4, 1, 8),
                (int) options.number("--blocks", 16, 1, 4096),
                options.number("--seed", randomSeed, Long.MIN_VALUE, Long.MAX_VALUE),
                Path.of(options.text("--folder", System.getProperty("java.io.tmpdir"))));
        parsed.check();
        return parsed;
    }

    private void check() {
        if (!device.matches("[a-z]+[0-9]+")) {
            throw new Options.UsageException("--device is '" + device + "', must be a device such as shm0 or udma0");
        }
        if (!folder.toFile().isDirectory()) {
            throw new Options.UsageException("--folder is '" + folder + "', must be a folder");
        }
        if (kills > duration.toSeconds()) {
            throw new Options.UsageException("--kills is " + kills + ", must be at most one for each of the "
                    + duration.toSeconds() + " seconds of --minutes");
        }
    }
}
