package io.urma4j.bench;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

/** Blocks in a random order by prepared transfers, beside lists of work requests and plain copies; memory of the host. */
final class BlockSuite {
    private static final int BLOCKS = 4096;
    private static final int LIST = 64;
    private static final int SHORT = 64;
    private static final int LONG = 16 << 10;

    private final Numbers.Run run;
    private final int[] here;
    private final int[] there;

    BlockSuite(Numbers.Run run) {
        this.run = run;
        SplittableRandom random = new SplittableRandom(1);
        this.here = shuffled(random);
        this.there = shuffled(random);
    }

    private static int[] shuffled(SplittableRandom random) {
        int[] numbers = new int[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
            int other = random.nextInt(i + 1);
            numbers[i] = numbers[other];
            numbers[other] = i;
        }
        return numbers;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("peer-blocks-")) {
            return;
        }
        try (LocalPair pair = new LocalPair("shm0", true, (long) BLOCKS * LONG)) {
            Pinned.run(0, () -> measure(pair));
        }
    }

    private void measure(LocalPair pair) {
        run.speed(
                "peer-blocks-64",
                "prepared READ of 4,096 × 64 B, speed beside lists of 64, unsignalled",
                run.alternation(),
                Timed.of(transfers(pair, SHORT), 4),
                Timed.of(lists(pair, SHORT), 4),
                2);
        run.speed(
                "peer-blocks-16k",
                "prepared READ of 4,096 × 16 KiB, speed beside copies of the mapping",
                run.alternation().forLongChunks(20),
                Timed.of(transfers(pair, LONG), 1),
                Timed.of(copies(pair, LONG), 1),
                0.9);
    }

    private Loop transfers(LocalPair pair, int blockBytes) {
        PreparedTransfer blocks = PreparedTransfer.of(pair.jfs, List.of(pair.remote), pair.local, blockBytes, BLOCKS);
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                Records.accepted(blocks.post(Opcode.READ, here, there, i));
                sum += pair.one();
            }
            return sum;
        };
    }

    private Loop lists(LocalPair pair, int blockBytes) {
        WorkRequestList list = new WorkRequestList(LIST, 1);
        Jfs jfs = pair.jfs;
        Jfc jfc = pair.jfc;
        RemoteSegment remote = pair.remote;
        LocalSegment local = pair.local;
        CompletionBatch records = pair.batch;
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations * BLOCKS; i += LIST) {
                list.clear();
                for (int j = 0; j < LIST; j++) {
                    int block = (i + j) % BLOCKS;
                    list.read(remote, (long) there[block] * blockBytes, j)
                            .into(local, (long) here[block] * blockBytes, blockBytes)
                            .flags(j == LIST - 1 ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
                }
                Records.accepted(jfs.post(list) == LIST);
                sum += Records.one(jfc, records);
            }
            return sum;
        };
    }

    private Loop copies(LocalPair pair, int blockBytes) {
        MemorySegment mapping = pair.remote.map();
        MemorySegment local = pair.local.memory();
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                for (int block = 0; block < BLOCKS; block++) {
                    MemorySegment.copy(
                            mapping,
                            (long) there[block] * blockBytes,
                            local,
                            (long) here[block] * blockBytes,
                            blockBytes);
                }
                sum += local.get(ValueLayout.JAVA_BYTE, 0);
            }
            return sum;
        };
    }
}
