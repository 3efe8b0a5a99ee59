package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What a process has of urma4j to play with: a segment that the other writes into, and queues. */
final class RallyEnd implements AutoCloseable {
    private static final int POLLS = 1024;
    private static final long BYTES = 4 << 20;

    private final Urma urma;
    private final UrmaContext context;
    private final Jfr jfr;
    final boolean isDriven;

    final LocalSegment local;
    final Jfc jfc;
    final Jfs jfs;
    final CompletionBatch batch = new CompletionBatch(16);

    /** Opens the device. On some devices, a home's memory changes only while a thread of the home polls. */
    RallyEnd(String device) {
        this(device, Loopback.options());
    }

    RallyEnd(String device, UrmaOptions options) {
        urma = Urma.open(options);
        context = urma.device(device).openContext();
        isDriven = !device.startsWith("shm");
        local = context.register(context.allocate(BYTES), Access.READ_WRITE_ATOMIC);
        jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
        jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
        jfr = context.createJfr(jfc, JfrConfig.builder().build());
        local.memory().fill((byte) 0);
    }

    /** Those received so far. */
    PredictedPackets packets() {
        return PredictedPackets.of(context);
    }

    /** What the other process needs to meet us: one line, with secrets. */
    String invitation() {
        return local.share() + " " + jfr.share();
    }

    /** The rallies with the process that sent the invitation. */
    Rallies meet(String invitation) {
        List<String> parts = List.of(invitation.split(" ", -1));
        RemoteSegment remote = context.importSegment(SharedSegment.parse(parts.get(0)));
        TargetJetty target = context.importJetty(SharedJetty.parse(parts.get(1)));
        return new Rallies(new WriteRally(this, remote), new SendRally(this, jfr, target), new StreamEnd(this, remote));
    }

    /** The ways that urma4j has. */
    record Rallies(Rally writes, Rally sends, StreamEnd stream) {}

    /** Drives what arrives, and expects no record. */
    void pollUntil(BooleanSupplier end) {
        while (!end.getAsBoolean()) {
            for (int i = 0; i < POLLS; i++) {
                if (jfc.poll(batch) != 0) {
                    throw new IllegalStateException("unexpected record: " + batch);
                }
            }
        }
    }

    @Override
    public void close() {
        urma.close();
    }
}
