package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderTarget;
import java.util.concurrent.CompletableFuture;

/** An imported JFR or Jetty: the target of messages. Safe for any number of threads. */
public final class TargetJetty implements ContextObject {
    private final UrmaContext context;
    private final JettyDescriptor descriptor;
    private final ProviderTarget provider;
    private final Lifetime life = new Lifetime(this);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final boolean takesDatagrams;
    private volatile boolean closed;

    TargetJetty(UrmaContext context, JettyDescriptor descriptor, ProviderTarget provider) {
        this.context = context;
        this.descriptor = descriptor;
        this.provider = provider;
        this.takesDatagrams = descriptor.mode() == TransportMode.UM;
    }

    public JettyId id() {
        return descriptor.id();
    }

    public JettyDescriptor descriptor() {
        return descriptor;
    }

    /**
     * Whether messages can be sent to it: it is open here, and its context is not known to be gone. False for good once
     * {@link AsyncEvent.Type#PEER_LOST} was raised. True does not prove that the peer is alive: it may have just died, or
     * be a foreign peer of unknown state.
     */
    public boolean isConnected() {
        return !closed && provider.isConnected();
    }

    boolean takesDatagrams() {
        return takesDatagrams;
    }

    Lifetime life() {
        return life;
    }

    /** Checks of each post: open and of that context. */
    ProviderTarget checked(UrmaContext user) {
        if (closed) {
            throw Checks.closed(this);
        }
        if (user != context) {
            throw Checks.invalid(this, "belongs to " + context + ", not to " + user);
        }
        return provider;
    }

    /**
     * Releases the import. Idempotent: a second call waits for the result of the first.
     *
     * @throws UrmaException EAGAIN while a Jetty is bound to it or unfinished work requests name it
     */
    @Override
    public void close() {
        Checks.nothingUnfinished(this, life, provider.unfinished());
        if (life.end()) {
            giveBack();
        }
        Await.uninterrupted(this, ended);
    }

    /** Starts to close without waiting, unless it is in use. */
    void abandon() {
        if (provider.unfinished() == 0 && life.endUnlessHeld()) {
            giveBack();
        }
    }

    private void giveBack() {
        closed = true;
        context.children().remove(this);
        var _ = Await.begun(provider::close).whenComplete((_, failure) -> Await.passOn(null, failure, ended));
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    @Override
    public String toString() {
        return "target " + descriptor.kind() + " " + descriptor.id();
    }
}
