package io.urma4j.shm;

import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.shm.control.Peer;
import io.urma4j.spi.ProviderTarget;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A JFR or Jetty of a peer that this context may send to. */
final class ShmTarget implements ProviderTarget {
    private final JettyDescriptor descriptor;
    final Peer peer;
    final SendPath path;
    private final CopyOnWriteArrayList<TargetUse> uses = new CopyOnWriteArrayList<>(); // by open queues

    ShmTarget(JettyDescriptor descriptor, Peer peer, SendPath path) {
        this.descriptor = descriptor;
        this.peer = peer;
        this.path = path;
    }

    int queueId() {
        return descriptor.id().id();
    }

    @Override
    public JettyId id() {
        return descriptor.id();
    }

    @Override
    public boolean isConnected() {
        return !peer.isLost() && !path.isDead();
    }

    void use(TargetUse use) {
        uses.add(use);
    }

    void leave(TargetUse use) {
        uses.remove(use);
    }

    /** Each queue counts for itself, under its lock: a counter that all share would cost every message. */
    @Override
    public int unfinished() {
        int sum = 0;
        for (TargetUse use : uses) {
            sum += use.unfinished;
        }
        return sum;
    }

    /** Takes the locks of the queues that send to it. */
    @Override
    public CompletableFuture<Void> close() {
        uses.forEach(TargetUse::end);
        return CompletableFuture.completedFuture(null); // the home keeps nothing for it
    }

    @Override
    public String toString() {
        return descriptor.kind() + " " + descriptor.id();
    }
}
