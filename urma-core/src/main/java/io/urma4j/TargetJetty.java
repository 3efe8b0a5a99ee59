package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderTarget;
import java.util.concurrent.CompletableFuture;

/** An imported JFR or Jetty: whom messages go to. Safe for any number of threads. */
public final class TargetJetty implements AutoCloseable {
    private final UrmaContext context;
    private final JettyDescriptor descriptor;
    private final ProviderTarget provider;
    private final Lifetime life = new Lifetime(this);
    private volatile boolean closed;

    TargetJetty(UrmaContext context, JettyDescriptor descriptor, ProviderTarget provider) {
        this.context = context;
        this.descriptor = descriptor;
        this.provider = provider;
    }

    public JettyId id() {
        return descriptor.id();
    }

    public JettyDescriptor descriptor() {
        return descriptor;
    }

    Lifetime life() {
        return life;
    }

    /** For each post: open and of that context. */
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
     * Gives it back. Idempotent.
     *
     * @throws UrmaException EAGAIN while a Jetty is bound to it or unfinished work requests name it
     */
    @Override
    public void close() {
        if (!life.isClosed() && provider.unfinished() > 0) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    this,
                    "cannot be closed, " + provider.unfinished() + " unfinished work requests name it");
        }
        if (life.end()) {
            Await.uninterrupted(this, giveBack());
        }
    }

    /** Ends it without waiting: nobody got it. */
    void abandon() {
        if (life.end()) {
            var _ = giveBack();
        }
    }

    private CompletableFuture<Void> giveBack() {
        closed = true;
        context.children().remove(this);
        return provider.close();
    }

    @Override
    public String toString() {
        return "target " + descriptor.kind() + " " + descriptor.id();
    }
}
