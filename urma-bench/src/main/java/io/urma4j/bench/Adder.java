package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;

/** What one thread needs to add to a counter of another process: a queue of its own, and a place for the old value. */
final class Adder {
    private final RemoteSegment counter;
    private final LocalSegment old;
    private final Jfc jfc;
    private final Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(1);

    Adder(UrmaContext context, RemoteSegment counter) {
        this.counter = counter;
        this.old = context.register(context.allocate(4096), Access.LOCAL_ONLY);
        this.jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
        this.jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
    }

    /** Adds one as often as that, one after the other; returns what the last record says. */
    long add(int additions) {
        long told = 0;
        for (int i = 0; i < additions; i++) {
            jfs.fetchAndAdd(counter, 0, old, 0, 1, i);
            while (jfc.poll(batch) == 0) {
                Thread.onSpinWait();
            }
            if (!batch.isSuccess(0)) {
                throw new IllegalStateException(batch.toString());
            }
            told = batch.userContext(0);
        }
        return told;
    }
}
