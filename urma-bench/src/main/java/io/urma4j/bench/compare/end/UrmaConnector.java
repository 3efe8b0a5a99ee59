package io.urma4j.bench.compare.end;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import org.HdrHistogram.Histogram;

/** Connects to the home again and again, each time with a new context, to which the home is unknown. */
final class UrmaConnector {
    private static final int TIMES = 20;
    private static final int BYTES = 64;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final CompletionBatch batch = new CompletionBatch(4);

    /**
     * From the home's address to the record that says that it has the first message; the context and its queues are there
     * before, as the event loop of others is.
     */
    Tally connect(Urma urma, String device, String jetty) {
        Histogram times = new Histogram(60_000_000_000L, 3);
        for (int i = 0; i < TIMES; i++) {
            try (UrmaContext context = urma.device(device).openContext()) {
                LocalSegment local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
                Jfc jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
                Jfs jfs = context.createJfs(
                        jfc, JfsConfig.builder().lockFree(true).build());
                long start = System.nanoTime();
                TargetJetty home = context.importJetty(SharedJetty.parse(jetty));
                if (!jfs.send(home, local, 0, BYTES, i)) {
                    throw new IllegalStateException("the queue is full");
                }
                while (jfc.poll(batch) == 0) {
                    if (System.nanoTime() - start > PATIENCE_NANOS) {
                        throw new IllegalStateException("the first message did not arrive");
                    }
                }
                times.recordValue(System.nanoTime() - start);
                if (!batch.isSuccess(0)) {
                    throw new IllegalStateException(batch.toString());
                }
            }
        }
        return Tally.of(times, 1);
    }
}
