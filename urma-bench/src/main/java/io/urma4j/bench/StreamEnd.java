package io.urma4j.bench;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;

/** Many operations on another process's memory: one after the other, or as many at once as pays. */
final class StreamEnd {
    private static final int OUTSTANDING = 16;
    private static final int SMALL_OUTSTANDING = 256;
    private static final int SMALL_BYTES = 64;

    private final Jfs jfs;
    private final Jfc jfc;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final LocalSegment local;
    private final RemoteSegment remote;

    StreamEnd(RallyEnd end, RemoteSegment remote) {
        this.jfs = end.jfs;
        this.jfc = end.jfc;
        this.local = end.local;
        this.remote = remote;
    }

    /** READs of eight bytes, each awaited. */
    long reads(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(jfs.read(remote, 0, local, 0, Long.BYTES, i));
            sum += Records.one(jfc, batch);
        }
        return sum;
    }

    /** The same of FADDs. */
    long adds(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Records.accepted(jfs.fetchAndAdd(remote, 0, local, 0, 1, i));
            sum += Records.one(jfc, batch);
        }
        return sum;
    }

    /** WRITEs, 16 of them in flight; more when they are small. */
    long writes(int bytes, int operations) {
        int outstanding = bytes <= SMALL_BYTES ? SMALL_OUTSTANDING : OUTSTANDING;
        long sum = 0;
        int posted = 0;
        int done = 0;
        while (done < operations) {
            while (posted < operations
                    && posted - done < outstanding
                    && jfs.write(remote, 0, local, 0, bytes, posted)) {
                posted++;
            }
            int count = jfc.poll(batch);
            sum += Records.sum(batch, count);
            done += count;
        }
        return sum;
    }

    /** READs, 16 of them in flight. */
    long reads(int bytes, int operations) {
        long sum = 0;
        int posted = 0;
        int done = 0;
        while (done < operations) {
            while (posted < operations && posted - done < OUTSTANDING && jfs.read(remote, 0, local, 0, bytes, posted)) {
                posted++;
            }
            int count = jfc.poll(batch);
            sum += Records.sum(batch, count);
            done += count;
        }
        return sum;
    }
}
