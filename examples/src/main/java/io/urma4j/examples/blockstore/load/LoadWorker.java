package io.urma4j.examples.blockstore.load;

import io.urma4j.UrmaException;
import io.urma4j.examples.blockstore.BlockClient;
import io.urma4j.examples.blockstore.BlockException;
import io.urma4j.examples.blockstore.ReadBlock;
import io.urma4j.examples.blockstore.load.BlockModel.Verdict;
import io.urma4j.examples.blockstore.load.Counts.Count;
import io.urma4j.examples.blockstore.store.BlockStore;
import java.io.IOException;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A thread of a client, with blocks that no other thread writes: it reads and writes them at random, and judges each read by their
 * models.
 */
final class LoadWorker {
    private static final double LENGTH_OCTAVES = Math.log((double) BlockStore.MOST_BYTES / BlockStore.LEAST_BYTES);

    private final BlockClient client;
    private final long firstBlock;
    private final BlockModel[] models;
    private final Content content;
    private final Journal journal;
    private final Counts counts;
    private final SplittableRandom random;

    /**
     * A worker.
     *
     * @param firstBlock number of the block of the first model
     */
    LoadWorker(
            BlockClient client,
            long firstBlock,
            BlockModel[] models,
            Content content,
            Journal journal,
            Counts counts,
            SplittableRandom random) {
        this.client = client;
        this.firstBlock = firstBlock;
        this.models = models;
        this.content = content;
        this.journal = journal;
        this.counts = counts;
        this.random = random;
    }

    /** Reads and writes until {@code isOver}. */
    void run(BooleanSupplier isOver) throws IOException {
        while (!isOver.getAsBoolean()) {
            int place = random.nextInt(models.length);
            if (random.nextBoolean()) {
                guarded(place, () -> write(place));
            } else {
                guarded(place, () -> read(place));
            }
        }
    }

    /** Reads each block once. */
    void verify() throws IOException {
        for (int place = 0; place < models.length; place++) {
            int each = place;
            guarded(place, () -> read(each));
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void guarded(int place, Step step) throws IOException {
        try {
            step.run();
        } catch (BlockException e) {
            report(e.isCorrupt() ? Count.CORRUPT : Count.FAILED, place, e.toString());
        } catch (UrmaException e) {
            report(Count.FAILED, place, e.toString());
        }
    }

    private void report(Count count, int place, String what) {
        counts.add(count, 1);
        System.out.println(count + ": " + what + "; block " + (firstBlock + place) + ": " + models[place]);
    }

    private void write(int place) throws IOException {
        long block = firstBlock + place;
        BlockModel model = models[place];
        long revision = model.nextRevision();
        int lengthBytes = (int) (BlockStore.LEAST_BYTES * Math.exp(random.nextDouble() * LENGTH_OCTAVES));
        journal.attempted(block, revision, lengthBytes);
        model.attempted(revision, lengthBytes);

        client.write(block, revision, lengthBytes, bytes -> content.fill(bytes, block, revision));

        journal.acknowledged(block, revision);
        model.acknowledged(revision);
        counts.add(Count.WRITES, 1);
        counts.add(Count.BYTES, lengthBytes);
    }

    private void read(int place) throws IOException {
        BlockModel model = models[place];
        Optional<ReadBlock> found = client.read(firstBlock + place, model.mostBytes());
        if (found.isEmpty()) {
            judge(place, model.checkMissing(), "nothing");
            return;
        }
        try (ReadBlock read = found.get()) {
            long lengthBytes = read.bytes().byteSize();
            String what = "revision " + read.revision() + " of " + lengthBytes + " bytes";
            Verdict verdict = model.check(read.revision(), lengthBytes);
            judge(place, verdict, what);
            if (verdict == Verdict.FINE) {
                verifyBytes(place, read, what);
            }
            counts.add(Count.BYTES, lengthBytes);
        }
    }

    private void verifyBytes(int place, ReadBlock read, String what) throws IOException {
        long wrongAt = content.mismatch(read.bytes(), firstBlock + place, read.revision());
        if (wrongAt >= 0) {
            report(Count.CORRUPT, place, "read " + what + ", wrong from byte " + wrongAt);
        } else if (!models[place].isAcknowledged(read.revision())) {
            journal.acknowledged(firstBlock + place, read.revision());
            models[place].acknowledged(read.revision());
        }
    }

    private void judge(int place, Verdict verdict, String what) {
        counts.add(Count.READS, 1);
        switch (verdict) {
            case FINE -> {}
            case LOST -> report(Count.LOST, place, "read " + what);
            case UNKNOWN -> report(Count.CORRUPT, place, "read " + what);
        }
    }
}
