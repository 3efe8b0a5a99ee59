package io.urma4j.bench.scale;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import java.io.IOException;
import java.time.Duration;

/**
 * A peer of {@link PeersCurve}: prints its segment and its JFR in one line, sleeps until messages arrive, and ends with
 * its input, so that it never outlives the process that started it.
 */
final class PeerMain {
    static final int RECEIVES = 64;
    static final int BYTES = 4096;

    private static final int SLOT_BYTES = BYTES / RECEIVES;

    private PeerMain() {}

    public static void main(String[] arguments) throws IOException {
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device(arguments[0]).openContext()) {
            LocalSegment segment = context.register(context.allocate(BYTES), Access.READ_WRITE);
            LocalSegment buffers = context.register(context.allocate(BYTES), Access.LOCAL_ONLY);
            Jfce jfce = context.createJfce();
            Jfc jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
            Jfr jfr = context.createJfr(jfc, JfrConfig.builder().depth(RECEIVES).build());
            for (int i = 0; i < RECEIVES; i++) {
                jfr.receive(buffers, (long) i * SLOT_BYTES, SLOT_BYTES, i);
            }
            System.out.println(segment.share() + " " + jfr.share());
            Thread taker = Thread.ofPlatform().name("taker").start(() -> take(jfce, jfc, jfr, buffers));
            while (System.in.read() >= 0) {
                // nothing is said here
            }
            taker.interrupt();
            taker.join(); // uses the JFCE until then
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.exit(0);
    }

    private static void take(Jfce jfce, Jfc jfc, Jfr jfr, LocalSegment buffers) {
        CompletionBatch batch = new CompletionBatch(RECEIVES);
        try {
            while (true) {
                jfc.rearm(false);
                if (takeAll(jfc, jfr, buffers, batch) == 0) {
                    var _ = jfce.await(Duration.ofSeconds(10));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int takeAll(Jfc jfc, Jfr jfr, LocalSegment buffers, CompletionBatch batch) {
        int count = Polls.taken(jfc, batch);
        for (int i = 0; i < count; i++) {
            long slot = batch.userContext(i);
            jfr.receive(buffers, slot * SLOT_BYTES, SLOT_BYTES, slot);
        }
        return count;
    }
}
