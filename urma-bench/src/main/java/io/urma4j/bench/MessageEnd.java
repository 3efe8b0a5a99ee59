package io.urma4j.bench;

import io.urma4j.Access;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a process has of urma4j to send and take messages of several sizes, each by a receive queue of its own. */
final class MessageEnd implements AutoCloseable {
    private static final int BUFFERS_PER_WINDOW = 2; // the receiver gives buffers back while the next window arrives

    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("shm0").openContext();
    private final Jfc jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(4096).withLockFree());
    private final Jfs jfs =
            context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
    private final List<Jfr> jfrs = new ArrayList<>();
    private final List<Size> sizes;

    /** A size of messages, and how many of them are in flight at most. */
    record Size(int bytes, int window) {}

    MessageEnd(List<Size> sizes) {
        this.sizes = sizes;
        for (Size size : sizes) {
            jfrs.add(context.createJfr(
                    jfc,
                    JfrConfig.builder()
                            .depth(BUFFERS_PER_WINDOW * size.window())
                            .build()));
        }
    }

    /** What the other process needs to send to us: one line, with secrets. */
    String invitation() {
        return jfrs.stream().map(Jfr::share).collect(Collectors.joining(" "));
    }

    /** The streams to or from the process that sent the invitation, by size. */
    List<MessageStream> meet(String invitation) {
        String[] lines = invitation.split(" ", -1);
        List<MessageStream> streams = new ArrayList<>();
        for (int i = 0; i < lines.length; i++) {
            Size size = sizes.get(i);
            int buffers = BUFFERS_PER_WINDOW * size.window();
            TargetJetty target = context.importJetty(SharedJetty.parse(lines[i]));
            long room = (long) (size.window() + buffers) * size.bytes();
            LocalSegment local = context.register(context.allocate(room), Access.LOCAL_ONLY);
            local.memory().fill((byte) 0);
            streams.add(new SendStream(jfs, jfc, jfrs.get(i), target, local, size.bytes(), size.window(), buffers));
        }
        return streams;
    }

    @Override
    public void close() {
        urma.close();
    }
}
