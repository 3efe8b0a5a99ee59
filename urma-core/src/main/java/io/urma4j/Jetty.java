package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.inspect.PerfStage;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.spi.ProviderTarget;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A Jetty: a port with a send half, {@link #jfs()}, and a receive half, {@link #jfr()}, which several Jetties may share.
 * State and number are those of the send half.
 *
 * <p>Safe for any number of threads.
 */
public final class Jetty implements ContextObject {
    private static final System.Logger LOG = System.getLogger(Jetty.class.getName());

    private final UrmaContext context;
    private final Jfs jfs;
    private final Jfr jfr;
    private final Lifetime life = new Lifetime(this);
    private final ClosingOrder published = new ClosingOrder(this);
    private @Nullable Binding binding; // guarded by this
    private @Nullable JettyGroup group; // guarded by this

    /** The bound peer, and the future of the binding. */
    private static final class Binding {
        final TargetJetty target;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        @Nullable
        CompletableFuture<Void> end; // of an unbind in progress; guarded by the Jetty

        boolean isEnding; // an unbind has begun, and may have failed since; guarded by the Jetty

        boolean isAtProvider; // whose unbind would end it; guarded by the Jetty

        Binding(TargetJetty target) {
            this.target = target;
        }
    }

    Jetty(UrmaContext context, Jfs jfs, Jfr jfr) {
        this.context = context;
        this.jfs = jfs;
        this.jfr = jfr;
        jfs.life().retain(this);
        jfs.onReset(this::unbindIfBound);
    }

    /** The send half, where work requests are posted. */
    public Jfs jfs() {
        return jfs;
    }

    /** The receive half, where buffers wait for messages. */
    public Jfr jfr() {
        return jfr;
    }

    public int id() {
        return jfs.id();
    }

    public QueueState state() {
        return jfs.state();
    }

    /** What a peer needs to send to this Jetty, or to bind to it, except the token. */
    public JettyDescriptor descriptor() {
        return jfs.provider().descriptor();
    }

    /** The secret that peers need: that of the JFR. */
    public Token token() {
        return jfr.token();
    }

    /** Descriptor and token as one line for any side channel. */
    public String share() {
        return new SharedJetty(descriptor(), token()).toLine();
    }

    /**
     * Publishes the Jetty under a name for processes of this user on this host, until it is closed; {@link
     * UrmaContext#importJetty(String)} finds it by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST if the name is taken
     */
    public void publish(String name) {
        life.checkOpen();
        published.add(new PublishedAddress(context, name, share()), 0);
    }

    /**
     * Connects an RC Jetty to its only peer. Binding to the same peer again has no effect. Blocks at most the import
     * timeout.
     *
     * @throws UrmaException ENOPERM if one of the two is not RC or their order types differ; EEXIST if this Jetty is bound
     *     to another peer; EINVAL if the target is bound elsewhere (S5.7), if work requests of the last connection are not
     *     flushed or their records not polled (S6.13), or if the JFC has overflowed (S10.5); EAGAIN while it is being
     *     unbound, or if an unbind has failed
     */
    public void bind(TargetJetty target) {
        Await.result(this, beginBind(target).copy()); // an interrupt does not end the binding
    }

    /** The asynchronous form of {@link #bind}. Cancelling the future does not end the binding. */
    public CompletableFuture<Void> bindAsync(TargetJetty target) {
        return beginBind(target).whenCompleteAsync((_, _) -> {}, ResultExecutors.VIRTUAL_THREADS);
    }

    private CompletableFuture<Void> beginBind(TargetJetty target) {
        life.checkOpen();
        checkFits(target);
        jfs.checkJfcs();
        ProviderTarget peer = target.checked(context);
        Binding mine;
        synchronized (this) {
            life.checkOpen(); // again: a close ends it under this lock
            if (binding != null) {
                return boundAlready(binding, target);
            }
            mine = new Binding(target);
            target.life().retain(this);
            binding = mine;
        }
        try {
            long begun = context.meter().begin();
            var _ = jfs.provider().bind(peer, context.options().importTimeout()).whenComplete((_, failure) -> {
                context.meter().end(PerfStage.BIND, begun);
                reachedProvider(mine);
                if (failure != null) {
                    forget(mine);
                }
                Await.passOn(null, failure, mine.done);
            });
        } catch (RuntimeException e) {
            forget(mine);
            mine.done.completeExceptionally(e);
            throw e;
        } catch (Error e) { // the device may be bound: an unbind ends it
            mine.done.completeExceptionally(e);
            throw e;
        } finally {
            reachedProvider(mine);
        }
        return mine.done;
    }

    private synchronized void reachedProvider(Binding mine) {
        mine.isAtProvider = true;
    }

    private void checkFits(TargetJetty target) {
        TransportMode theirs = target.descriptor().mode();
        if (jfs.mode() != TransportMode.RC || theirs != TransportMode.RC) {
            throw Checks.noPermission(this, "only RC Jetties can be bound, these are " + jfs.mode() + " and " + theirs);
        }
        if (jfs.orderType() != target.descriptor().orderType()) {
            throw Checks.noPermission(
                    this,
                    "order type " + jfs.orderType() + " differs from the target's "
                            + target.descriptor().orderType());
        }
    }

    private CompletableFuture<Void> boundAlready(Binding there, TargetJetty target) {
        JettyDescriptor old = there.target.descriptor();
        boolean same = old.id().equals(target.id())
                && old.incarnation() == target.descriptor().incarnation();
        if (!same) {
            throw new UrmaException(UrmaStatus.EEXIST, this, "is bound to " + there.target);
        }
        if (there.isEnding) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    this,
                    "is being unbound from " + there.target + "; if that has failed, unbind it again");
        }
        return there.done;
    }

    /**
     * Ends the connection: drains, and leaves the Jetty in RESET (S6.3). No marker follows, since the call itself returns
     * after draining. Work requests that never started must still be flushed. Blocks at most the import timeout.
     *
     * @throws UrmaException EINVAL if it is not bound, or is in ERROR and has not drained; ETIMEOUT on {@code shm0} if a copy
     *     for it has not ended: the Jetty stays in ERROR until it has drained and is unbound again; EAGAIN if the bind of
     *     another thread has just begun
     */
    public void unbind() {
        Await.result(this, beginUnbind().copy()); // an interrupt does not end the goodbye
    }

    /**
     * The asynchronous form of {@link #unbind}: the Jetty is in RESET at once, or when the copies in progress have ended. It is
     * unbound once the peer was notified, too.
     */
    public CompletableFuture<Void> unbindAsync() {
        return beginUnbind().whenCompleteAsync((_, _) -> {}, ResultExecutors.VIRTUAL_THREADS);
    }

    private CompletableFuture<Void> beginUnbind() {
        life.checkOpen();
        Binding there = binding();
        if (there == null) {
            throw Checks.invalid(this, "is not bound");
        }
        return end(there);
    }

    private CompletableFuture<Void> end(Binding there) {
        synchronized (this) {
            if (there.end != null) { // which drains just now
                return there.end;
            }
        }
        if (state() == QueueState.ERROR && jfs.provider().isDraining()) {
            throw Checks.invalid(this, "cannot be unbound in ERROR before it is drained");
        }
        CompletableFuture<Void> ended = new CompletableFuture<>();
        synchronized (this) {
            if (there.end != null) {
                return there.end;
            }
            if (!there.equals(binding)) { // another thread has ended it meanwhile
                return CompletableFuture.completedFuture(null);
            }
            if (!there.isAtProvider) { // its unbind would come before its bind, and end nothing
                throw new UrmaException(UrmaStatus.EAGAIN, this, "another thread begins to bind it to " + there.target);
            }
            there.end = ended;
            there.isEnding = true;
        }
        try {
            var _ = jfs.provider()
                    .unbind(context.options().importTimeout())
                    .whenComplete((_, failure) -> unbound(there, failure));
        } catch (RuntimeException | Error e) {
            unbound(there, e);
            throw e;
        }
        return ended;
    }

    /** After a failure it can be tried again. */
    private void unbound(Binding there, @Nullable Throwable failure) {
        CompletableFuture<Void> ended;
        synchronized (this) { // at once: a bind in between would take the old binding for a live one
            ended = there.end;
            there.end = null;
            if (failure == null) {
                forget(there);
            }
        }
        if (ended != null) { // else another thread has seen to it
            Await.passOn(null, failure, ended);
        }
    }

    private void unbindIfBound() {
        Binding there = binding();
        if (there != null) {
            Await.result(this, end(there).copy());
        }
    }

    private synchronized @Nullable Binding binding() {
        return binding;
    }

    private synchronized void forget(Binding old) {
        if (old.equals(binding)) {
            binding = null;
            old.target.life().release(this);
        }
    }

    /** The peer of an RC Jetty. */
    public Optional<TargetJetty> boundTarget() {
        Binding there = binding();
        return there == null ? Optional.empty() : Optional.of(there.target);
    }

    /** The group of this Jetty, if any. */
    public synchronized Optional<JettyGroup> group() {
        return Optional.ofNullable(group);
    }

    synchronized void joins(JettyGroup next) {
        life.checkOpen();
        if (group != null) {
            throw Checks.invalid(next, this + " is already a member of " + group);
        }
        group = next;
    }

    synchronized void leaves(JettyGroup old) {
        if (old.equals(group)) {
            group = null;
        }
    }

    /** Adds a buffer to the receive half: {@link Jfr#receive(LocalSegment, long, long, long)}. */
    public boolean receive(LocalSegment buffer, long offset, long lengthBytes, long userContext) {
        return jfr.receive(buffer, offset, lengthBytes, userContext);
    }

    /** Moves to another state: see {@link Jfs#modify}; from ERROR to RESET unbinds an RC Jetty (S6.3). */
    public void modify(QueueState next) {
        life.checkOpen();
        jfs.modify(next);
    }

    /**
     * Closes the Jetty. Idempotent.
     *
     * @throws UrmaException ENOPERM while it is bound and the context is open: unbind first (SEMANTICS §4)
     */
    @Override
    public void close() {
        if (endUnbound()) {
            context.children().remove(this);
            @Nullable RuntimeException failure = published.closeAll();
            group().ifPresent(old -> old.forget(this));
            jfs.life().release(this);
            jfs.close();
            ClosingOrder.throwIfFailed(failure);
        }
    }

    /** Ends the life as {@link Lifetime#end} does; a bind that races with it is refused, or refuses it. */
    private boolean endUnbound() {
        while (true) {
            Binding there;
            synchronized (this) {
                there = binding;
                if (there == null) {
                    return life.end();
                }
            }
            if (!context.life().isClosed()) {
                throw Checks.noPermission(this, "cannot be closed, it is bound; unbind first");
            }
            unbindForClose(there);
        }
    }

    private void unbindForClose(Binding there) {
        try {
            Await.uninterrupted(this, jfs.provider().unbind(context.life().budget()));
        } catch (UrmaException e) {
            // a peer that does not answer detects the end by itself, and must not keep the context open
            LOG.log(Level.DEBUG, () -> this + " is closed without notifying its peer: " + e.getMessage());
        } finally {
            forget(there);
        }
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    @Override
    public String toString() {
        return jfs.toString();
    }
}
