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
import java.util.List;

/** What a process has of urma4j to play with: a segment that the other writes into, and queues. */
final class RallyEnd implements AutoCloseable {
    private static final long BYTES = 1 << 16;

    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("shm0").openContext();
    private final Jfr jfr;

    final LocalSegment local = context.register(context.allocate(BYTES), Access.READ_WRITE);
    final Jfc jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
    final Jfs jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
    final CompletionBatch batch = new CompletionBatch(16);

    RallyEnd() {
        jfr = context.createJfr(jfc, JfrConfig.builder().build());
        local.memory().fill((byte) 0);
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
        return new Rallies(new WriteRally(this, remote), new SendRally(this, jfr, target));
    }

    /** Both ways that urma4j has. */
    record Rallies(Rally writes, Rally sends) {}

    @Override
    public void close() {
        urma.close();
    }
}
