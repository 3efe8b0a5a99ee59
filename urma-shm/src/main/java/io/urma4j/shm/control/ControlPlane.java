package io.urma4j.shm.control;

import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext.NamedSegment;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.SegmentRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The control plane of one context. Safe for any thread. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable"})
public final class ControlPlane {
    private ControlPlane() {}

    public static ControlPlane open(
            UrmaOptions options,
            Eid eid,
            ContextOptions contextOptions,
            long ringBytes,
            ContextEvents events,
            DataPlane dataPlane) {
        throw new UnsupportedOperationException();
    }

    public int uasid() {
        throw new UnsupportedOperationException();
    }

    public long incarnation() {
        throw new UnsupportedOperationException();
    }

    /** Name of the socket in the runtime directory: the address of this context's endpoints. */
    public String address() {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<ProviderSegment> register(SegmentRequest request) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        throw new UnsupportedOperationException();
    }

    /** Connects, imports the queue, and makes sure that a path to the peer exists. */
    public CompletableFuture<QueueGrant> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<UrmaStatus> bind(Peer peer, int localId, int remoteId, int orderType, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<UrmaStatus> unbind(Peer peer, int localId, int remoteId, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    /**
     * Revokes {@code tokenId} because a message of {@code from} says so, if {@code from} imported it. Returns at once,
     * and may be asked again until it is done.
     */
    public InvalidateResult invalidate(Peer from, int tokenId) {
        throw new UnsupportedOperationException();
    }

    /** Makes the engine take a turn soon. */
    public void wakeEngine() {
        throw new UnsupportedOperationException();
    }

    /** Runs {@code task} on the engine's thread; it must not block. */
    public void execute(Runnable task) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> close(Duration timeout) {
        throw new UnsupportedOperationException();
    }
}
