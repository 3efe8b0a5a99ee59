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
import java.lang.foreign.MemorySegment;

/**
 * Two address spaces in this process: an initiator with a queue, and a home whose segment it has imported, by a mapping
 * of its own as between processes.
 */
final class LocalPair implements AutoCloseable {
    static final int DEPTH = 256;

    private final Urma urma = Urma.open(Loopback.options());
    private final UrmaContext homeContext;
    private final UrmaContext context;
    private final LocalSegment home;

    final Jfc jfc;
    final Jfs jfs;
    final LocalSegment local;
    final RemoteSegment remote;
    final CompletionBatch batch = new CompletionBatch(64);

    // the home's side of messages
    final Jfc homeJfc;
    final Jfr homeJfr;
    final TargetJetty target;
    final CompletionBatch homeBatch = new CompletionBatch(64);

    /**
     * Opens both on a device.
     *
     * @param lengthBytes of the home's segment, and of the initiator's
     */
    LocalPair(String device, boolean lockFree, long lengthBytes) {
        homeContext = urma.device(device).openContext();
        home = homeContext.register(homeContext.allocate(lengthBytes), Access.READ_WRITE_ATOMIC);
        context = urma.device(device).openContext();
        local = context.register(context.allocate(lengthBytes), Access.LOCAL_ONLY);
        remote = context.importSegment(SharedSegment.parse(home.share()));
        JfcConfig jfcConfig = new JfcConfig(4 * DEPTH, lockFree);
        jfc = context.createJfc(jfcConfig);
        jfs = context.createJfs(
                jfc, JfsConfig.builder().depth(DEPTH).lockFree(lockFree).build());
        homeJfc = homeContext.createJfc(jfcConfig);
        homeJfr = homeContext.createJfr(homeJfc, JfrConfig.builder().build());
        target = context.importJetty(SharedJetty.parse(homeJfr.share()));
        // every page is there before anything is measured
        home.memory().fill((byte) 1);
        local.memory().fill((byte) 1);
    }

    /** The home's bytes as the home sees them. */
    MemorySegment homeMemory() {
        return home.memory();
    }

    /** Waits for the record that is due at the initiator; returns its user context. */
    long one() {
        return Records.one(jfc, batch);
    }

    /** Waits for the record that is due at the home; returns its user context. */
    long oneAtHome() {
        return Records.one(homeJfc, homeBatch);
    }

    LocalSegment home() {
        return home;
    }

    @Override
    public void close() {
        urma.close();
    }
}
