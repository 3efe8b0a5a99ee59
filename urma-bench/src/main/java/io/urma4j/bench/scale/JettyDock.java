package io.urma4j.bench.scale;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import java.util.ArrayList;
import java.util.List;

/** A context with many Jetties, and what they aim at. */
final class JettyDock implements AutoCloseable {
    static final int DEPTH = 4;

    private static final long BYTES = 4096;

    private final UrmaContext context;
    private final Home home;
    private final int count;
    private final Jfc jfc;
    private final LocalSegment local;
    private final RemoteSegment remote;
    private final TargetJetty target;
    private final CompletionBatch batch = new CompletionBatch(16);
    private final List<Jetty> jetties = new ArrayList<>();
    private final List<Jfr> jfrs = new ArrayList<>();
    private int next;

    /** The memory that the Jetties write to, and a JFR without work requests until {@link #take}. */
    static final class Home {
        private final LocalSegment memory;
        private final Jfc jfc;
        private final Jfr jfr;
        private final CompletionBatch batch = new CompletionBatch(16);

        Home(UrmaContext context) {
            memory = context.register(context.allocate(BYTES), Access.READ_WRITE);
            jfc = context.createJfc(JfcConfig.DEFAULT);
            jfr = context.createJfr(jfc, JfrConfig.builder().depth(DEPTH).build());
        }

        private void take(int messages) {
            for (int i = 0; i < messages; i++) {
                jfr.receive(memory, 0, Long.BYTES, i);
            }
            for (int left = messages; left > 0; left -= Polls.taken(jfc, batch)) {
                Thread.onSpinWait();
            }
        }
    }

    JettyDock(UrmaContext context, Home home, int count) {
        this.context = context;
        this.home = home;
        this.count = count;
        this.jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(2 * DEPTH * count));
        this.local = context.register(context.allocate(BYTES), Access.LOCAL_ONLY);
        this.remote = context.importSegment(SharedSegment.parse(home.memory.share()));
        this.target = context.importJetty(SharedJetty.parse(home.jfr.share()));
    }

    /** Makes the Jetties; returns how long that took. */
    long open() {
        JfrConfig receives = JfrConfig.builder().depth(DEPTH).build();
        JfsConfig sends = JfsConfig.builder().depth(DEPTH).build();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Jfr jfr = context.createJfr(jfc, receives);
            jfrs.add(jfr);
            jetties.add(context.createJetty(jfc, jfr, sends));
        }
        return System.nanoTime() - begin;
    }

    /** WRITEs, each by the next Jetty, one after the other. */
    void post(int times) {
        for (int i = 0; i < times; i++) {
            jetties.get(next).jfs().write(remote, 0, local, 0, Long.BYTES, next);
            Polls.one(jfc, batch);
            next = next + 1 < count ? next + 1 : 0;
        }
    }

    /** Polls that find nothing. */
    void poll(int times) {
        for (int i = 0; i < times; i++) {
            if (Polls.taken(jfc, batch) > 0) {
                throw new IllegalStateException("unexpected record: " + batch);
            }
        }
    }

    /** From now on one of the Jetties has a SEND in flight that finds no receive, and others queued behind it. */
    void beginWaiting() {
        for (int i = 0; i < DEPTH; i++) {
            jetties.getFirst().jfs().send(target, local, 0, Long.BYTES, i);
        }
    }

    /** They are received. */
    void endWaiting() {
        home.take(DEPTH);
        for (int left = DEPTH; left > 0; left -= Polls.taken(jfc, batch)) {
            Thread.onSpinWait();
        }
    }

    /** Closes the Jetties; returns how long that took. */
    long closeJetties() {
        long begin = System.nanoTime();
        jetties.forEach(Jetty::close);
        jfrs.forEach(Jfr::close);
        return System.nanoTime() - begin;
    }

    @Override
    public void close() {
        context.close();
    }
}
