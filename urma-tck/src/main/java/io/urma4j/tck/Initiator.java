package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import java.util.List;

/** The end that posts: a context of this process, with an RM send queue. */
public final class Initiator {
    private final UrmaContext context;
    private final LocalHome asHome;
    private final SendSide queue;

    Initiator(Urma urma, UrmaContext context) {
        this.context = context;
        this.asHome = LocalHome.within(urma, context);
        this.queue = queue(JfsConfig.DEFAULT);
    }

    public UrmaContext context() {
        return context;
    }

    /** The same context as a home, for what it owns and receives itself. */
    public Home asHome() {
        return asHome;
    }

    /** Its first queue: RM, default configuration. */
    public SendSide queue() {
        return queue;
    }

    /** Another queue, with a JFC of its own. */
    public SendSide queue(JfsConfig config) {
        return queue(config, JfcConfig.DEFAULT);
    }

    /** Another queue, with a JFC of its own. */
    public SendSide queue(JfsConfig config, JfcConfig jfcConfig) {
        var jfc = context.createJfc(jfcConfig);
        return new SendSide(context, jfc, context.createJfs(jfc, config));
    }

    /** Zeroed memory that only this process's own operations use. */
    public LocalSegment buffer(long lengthBytes) {
        return context.register(context.allocate(lengthBytes), Access.LOCAL_ONLY);
    }

    /** Memory filled with {@code payload}. */
    public LocalSegment buffer(long lengthBytes, Payload payload) {
        var buffer = buffer(lengthBytes);
        payload.fill(buffer.memory(), 0, 0, lengthBytes);
        return buffer;
    }

    public AsyncEvent awaitEvent(AsyncEvent.Type type) {
        return asHome.awaitEvent(type);
    }

    // shorthands of the first queue

    public Outcome awaitCompletion() {
        return queue.awaitCompletion();
    }

    public List<Outcome> awaitCompletions(int count) {
        return queue.awaitCompletions(count);
    }
}
