package io.urma4j.examples.blockstore.load;

import io.urma4j.Urma;
import io.urma4j.examples.blockstore.BlockClient;
import io.urma4j.examples.blockstore.Options;
import io.urma4j.examples.blockstore.ServerProcess;
import io.urma4j.examples.blockstore.load.Counts.Count;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client of the load, as a process. It works until its standard input ends, reads each of its blocks once more, and checks that
 * all of its buffers are back.
 */
public final class LoadClient {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration BUFFERS_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration TURN = Duration.ofMillis(100);

    private final BlockClient client;
    private final Counts counts;
    private final List<LoadWorker> workers = new ArrayList<>();
    private volatile boolean ending;
    private volatile boolean failed;
    private long retries;
    private long reconnects;

    private LoadClient(BlockClient client, Counts counts) {
        this.client = client;
        this.counts = counts;
    }

    /** Options: {@code --device --folder --name --number --seed --workers --blocks}. */
    public static void main(String[] line) throws Exception {
        System.exit(run(
                Options.parse(line, "--device", "--folder", "--name", "--number", "--seed", "--workers", "--blocks")));
    }

    private static int run(Options options) throws IOException, InterruptedException {
        long number = options.number("--number", 0, 0, 1000);
        int workers = (int) options.number("--workers", 4, 1, 64);
        int blocks = (int) options.number("--blocks", 16, 1, 1 << 20);
        long seed = options.number("--seed", 1, Long.MIN_VALUE, Long.MAX_VALUE);
        Path folder = Path.of(options.text("--folder"));
        long firstBlock = number * workers * blocks;
        BlockModel[] models = new BlockModel[workers * blocks];
        for (int i = 0; i < models.length; i++) {
            models[i] = new BlockModel();
        }
        try (Counts counts = Counts.open(folder.resolve("client-" + number + ".counts"));
                Journal journal =
                        Journal.open(folder.resolve("client-" + number + ".journal"), replayTo(models, firstBlock));
                Urma urma = Urma.open();
                BlockClient client = BlockClient.open(
                        urma, options.text("--device", "shm0"), options.text("--name", "blockstore"), PATIENCE)) {
            LoadClient load = new LoadClient(client, counts);
            SplittableRandom random = new SplittableRandom(seed + number * 1_000_003 + journal.recovered());
            for (int i = 0; i < workers; i++) {
                BlockModel[] own = Arrays.copyOfRange(models, i * blocks, (i + 1) * blocks);
                load.workers.add(new LoadWorker(
                        client,
                        firstBlock + (long) i * blocks,
                        own,
                        new Content(seed),
                        journal,
                        counts,
                        random.split()));
            }
            return load.work();
        }
    }

    private static Journal.Reader replayTo(BlockModel[] models, long firstBlock) {
        return new Journal.Reader() {
            @Override
            public void attempted(long block, long revision, int lengthBytes) {
                models[(int) (block - firstBlock)].attempted(revision, lengthBytes);
            }

            @Override
            public void acknowledged(long block, long revision) {
                models[(int) (block - firstBlock)].acknowledged(revision);
            }
        };
    }

    private int work() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(workers.size());
        Thread.ofPlatform().name("stdin").daemon().start(this::awaitEndOfInput);
        for (LoadWorker worker : workers) {
            Thread.ofPlatform().name("worker").daemon().start(() -> work(worker, working));
        }
        while (!working.await(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
            publishCounts();
        }
        publishCounts();
        boolean returned = awaitBuffers();
        return returned && !failed ? 0 : 1;
    }

    /** Runs a worker to its end. Whatever it throws, its thread prints, and the process fails. */
    private void work(LoadWorker worker, CountDownLatch working) {
        boolean complete = false;
        try {
            worker.run(() -> ending);
            worker.verify();
            complete = true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (!complete) {
                failed = true;
            }
            working.countDown();
        }
    }

    private void awaitEndOfInput() {
        try {
            var _ = System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.out.println("standard input failed: " + e);
        } finally {
            ending = true;
        }
    }

    /** The client counts for one life, the file for all. */
    private void publishCounts() {
        long nowRetries = client.retries();
        long nowReconnects = client.reconnects();
        counts.add(Count.RETRIES, nowRetries - retries);
        counts.add(Count.RECONNECTS, nowReconnects - reconnects);
        retries = nowRetries;
        reconnects = nowReconnects;
    }

    private boolean awaitBuffers() throws InterruptedException {
        long deadlineNanos = System.nanoTime() + BUFFERS_TIMEOUT.toNanos();
        while (!ServerProcess.isEmpty(client.poolStats()) && System.nanoTime() - deadlineNanos < 0) {
            Thread.sleep(TURN);
        }
        return ServerProcess.reportPool(client.poolStats());
    }
}
