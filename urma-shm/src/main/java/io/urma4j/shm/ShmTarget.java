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
    private final CopyOnWriteArrayList<Lane> lanes = new CopyOnWriteArrayList<>(); // of open queues that send to it

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

    void use(Lane lane) {
        lanes.add(lane);
    }

    void leave(Lane lane) {
        lanes.remove(lane);
    }

    /** Each queue counts for itself, under its lock: a counter that all share would cost every message. */
    @Override
    public int unfinished() {
        int sum = 0;
        for (Lane lane : lanes) {
            sum += lane.unfinished;
        }
        return sum;
    }

    @Override
    public CompletableFuture<Void> close() {
        return CompletableFuture.completedFuture(null); // the home keeps nothing for it
    }

    @Override
    public String toString() {
        return descriptor.kind() + " " + descriptor.id();
    }
}
