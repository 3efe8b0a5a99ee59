package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A Jetty: a port where work is handed in and messages arrive. It has a send half, {@link #jfs()}, and a receive half,
 * {@link #jfr()}, which several Jetties may share. State and number are those of the send half.
 *
 * <p>Safe for any number of threads.
 */
public final class Jetty implements AutoCloseable {
    private final UrmaContext context;
    private final Jfs jfs;
    private final Jfr jfr;
    private final Lifetime life = new Lifetime(this);
    private @Nullable TargetJetty bound;

    Jetty(UrmaContext context, Jfs jfs, Jfr jfr) {
        this.context = context;
        this.jfs = jfs;
        this.jfr = jfr;
        jfs.life().retain(this);
    }

    /** Where work requests are posted. */
    public Jfs jfs() {
        return jfs;
    }

    /** Where buffers wait for messages. */
    public Jfr jfr() {
        return jfr;
    }

    public int id() {
        return jfs.id();
    }

    public QueueState state() {
        return jfs.state();
    }

    /** What a peer needs to send to it, or to bind to it, except the token. */
    public JettyDescriptor descriptor() {
        return jfs.provider().descriptor();
    }

    /** The secret that peers need: that of its JFR. */
    public Token token() {
        return jfr.token();
    }

    /** Descriptor and token as one line for any side channel. */
    public String share() {
        return new SharedJetty(descriptor(), token()).toLine();
    }

    /**
     * Connects an RC Jetty with its only peer. To the same peer again: nothing happens. Blocks at most the import
     * timeout.
     *
     * @throws UrmaException ENOPERM when one of the two is not RC or their order types differ; EEXIST when it is bound
     *     to another; EINVAL when the target is bound elsewhere (S5.7)
     */
    public void bind(TargetJetty target) {
        Await.result(this, bindAsync(target));
    }

    /** The asynchronous form of {@link #bind}. */
    public synchronized CompletableFuture<Void> bindAsync(TargetJetty target) {
        life.checkOpen();
        if (bound == target) {
            return CompletableFuture.completedFuture(null);
        }
        if (jfs.mode() != TransportMode.RC || target.descriptor().mode() != TransportMode.RC) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    "only RC Jetties can be bound, these are " + jfs.mode() + " and "
                            + target.descriptor().mode());
        }
        if (jfs.orderType() != target.descriptor().orderType()) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    "order type " + jfs.orderType() + " differs from the target's "
                            + target.descriptor().orderType());
        }
        if (bound != null) {
            throw new UrmaException(UrmaStatus.EEXIST, this, "is bound to " + bound);
        }
        target.life().retain(this);
        bound = target;
        return jfs.provider()
                .bind(target.checked(context), context.options().importTimeout())
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        released();
                    }
                });
    }

    /**
     * Ends the connection: drains, and leaves the Jetty in RESET (S6.3). Blocks at most the import timeout.
     *
     * @throws UrmaException EINVAL when it is not bound
     */
    public void unbind() {
        life.checkOpen();
        if (boundTarget().isEmpty()) {
            throw Checks.invalid(this, "is not bound");
        }
        Await.result(this, jfs.provider().unbind(context.options().importTimeout()));
        released();
    }

    private synchronized void released() {
        if (bound != null) {
            bound.life().release(this);
            bound = null;
        }
    }

    /** The peer of an RC Jetty. */
    public synchronized Optional<TargetJetty> boundTarget() {
        return Optional.ofNullable(bound);
    }

    /** Adds a buffer to the receive half: {@link Jfr#receive(LocalSegment, long, long, long)}. */
    public boolean receive(LocalSegment buffer, long offset, long lengthBytes, long userContext) {
        return jfr.receive(buffer, offset, lengthBytes, userContext);
    }

    /** Moves to another state: {@link Jfs#modify}; RESET of an RC Jetty unbinds. */
    public void modify(QueueState next) {
        jfs.modify(next);
        if (next == QueueState.RESET && boundTarget().isPresent()) {
            Await.result(this, jfs.provider().unbind(context.options().importTimeout()));
            released();
        }
    }

    /**
     * Ends it. Idempotent.
     *
     * @throws UrmaException ENOPERM while it is bound and the context is open: unbind first (SEMANTICS §4)
     */
    @Override
    public void close() {
        if (life.isClosed()) {
            return;
        }
        if (boundTarget().isPresent()) {
            if (!context.isClosed()) {
                throw new UrmaException(UrmaStatus.ENOPERM, this, "cannot be closed, it is bound; unbind first");
            }
            unbind();
        }
        if (life.end()) {
            context.children().remove(this);
            jfs.life().release(this);
            jfs.close();
        }
    }

    @Override
    public String toString() {
        return jfs.toString();
    }
}
