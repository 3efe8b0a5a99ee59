package io.urma4j.udma.driver;

import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.udma.RoceEndpoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A JFR or Jetty of a peer that this context may send to. Safe for any thread. */
final class UdmaTarget implements ProviderTarget {
    private static final long MAX_IMMEDIATE_32 = 0xFFFF_FFFFL;

    private final Imports imports;
    private final JettyDescriptor descriptor;
    private final int number;
    private final int handle;
    private final @Nullable Path path;
    private final @Nullable RoceEndpoint byHand;
    private final AtomicInteger unfinished = new AtomicInteger();

    /**
     * A queue of a peer.
     *
     * @param number of its QP
     * @param handle of the card's target; 0 for RC
     * @param path null for a foreign peer
     * @param byHand the connection of a foreign peer
     */
    UdmaTarget(
            Imports imports,
            JettyDescriptor descriptor,
            int number,
            int handle,
            @Nullable Path path,
            @Nullable RoceEndpoint byHand) {
        this.imports = imports;
        this.descriptor = descriptor;
        this.number = number;
        this.handle = handle;
        this.path = path;
        this.byHand = byHand;
    }

    /** The handle in work requests. */
    int handle() {
        return handle;
    }

    /** Number of the peer's QP. */
    int number() {
        return number;
    }

    /** The peer's context; null for a foreign peer. */
    @Nullable
    Path path() {
        return path;
    }

    @Nullable
    RoceEndpoint byHand() {
        return byHand;
    }

    /** A RoCE peer has immediates of 32 bits (S8.4). */
    void checkImmediate(Object queue, long immediate) {
        if (byHand != null && (immediate & ~MAX_IMMEDIATE_32) != 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    queue,
                    "immediate " + immediate + " does not fit into 32 bits, the limit of " + this);
        }
    }

    /** Counts a work request that names it. */
    void pin() {
        unfinished.getAndIncrement();
    }

    void unpin() {
        unfinished.getAndDecrement();
    }

    @Override
    public JettyId id() {
        return descriptor.id();
    }

    @Override
    public boolean isConnected() {
        return path == null || !path.peer().isLost();
    }

    @Override
    public int unfinished() {
        if (unfinished.get() > 0) {
            imports.settle();
        }
        return unfinished.get();
    }

    @Override
    public CompletableFuture<Void> close() {
        imports.close(this);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return descriptor.kind() + " " + descriptor.id();
    }
}
