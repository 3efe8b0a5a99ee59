package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.shm.bounce.BounceClient;
import io.urma4j.shm.bounce.BounceLayout;
import io.urma4j.shm.bounce.BounceServer;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.support.SharedResult;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Passes a bounce buffer to each home of imported device memory, once, and takes those of importers. Owned by the engine's thread.
 */
final class Bounces {
    private final Requests requests;
    private final Paths paths;
    private final DataPlane dataPlane;

    Bounces(Requests requests, Paths paths, DataPlane dataPlane) {
        this.requests = requests;
        this.paths = paths;
        this.dataPlane = dataPlane;
    }

    /** The client of a home that has granted an import; its requests travel by the message path. */
    CompletableFuture<BounceClient> ensure(Peer home, long deadlineNanos) {
        return paths.ensure(home, deadlineNanos)
                .thenCompose(_ -> requests.until(deadlineNanos, passed(home), home, "take a bounce buffer"));
    }

    /** For all imports: the home takes a buffer once. */
    private SharedResult<BounceClient> passed(Peer home) {
        SharedResult<BounceClient> there = home.bounce;
        if (there != null && !there.hasFailed()) {
            return there;
        }
        if (home.isLost()) {
            throw Requests.gone(home, "it was lost");
        }
        BounceClient client = BounceClient.open(new PathOf(dataPlane, home));
        CompletableFuture<BounceClient> passing = requests.askForAll(home, OpenBounce::new, client.fd())
                .thenApply(reply -> {
                    reply.as(Done.class);
                    return client;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        client.close();
                    }
                });
        SharedResult<BounceClient> forAll = new SharedResult<>(passing);
        home.bounce = forAll;
        return forAll;
    }

    /** The message path to a home. */
    private record PathOf(DataPlane dataPlane, Peer home) implements BounceClient.Sender {
        @Override
        public boolean send(MemorySegment request) {
            return dataPlane.request(home, request);
        }

        @Override
        public boolean isGone() {
            return home.isLost();
        }
    }

    /** An importer passes its bounce buffer. */
    void requested(Peer from, Connection via, OpenBounce request, List<Fd> descriptors) {
        if (from.served.isEmpty()) {
            via.refuse(request, UrmaStatus.ENOPERM, "a bounce buffer needs an import of device memory");
            return;
        }
        if (from.server != null || descriptors.size() != 1) {
            via.refuse(request, UrmaStatus.EINVAL, "a bounce buffer is passed once, by one descriptor");
            return;
        }
        try (Fd theirs = descriptors.removeFirst()) {
            ImportedMapping mapping = ImportedMapping.mapWhole(theirs, BounceLayout.BYTES, true);
            from.server = new BounceServer(mapping, from.served::get, dataPlane.rings(), from.toString());
            via.send(new Done(request.request()));
        } catch (UrmaException e) {
            via.refuse(request, e.status(), "no bounce buffer: " + e.reason());
        }
    }

    /** The peer is gone, as a home and as an importer. */
    static void lost(Peer peer) {
        BounceServer serving = peer.server;
        if (serving != null) {
            serving.close();
        }
        SharedResult<BounceClient> passed = peer.bounce;
        BounceClient client = passed == null ? null : passed.value();
        if (client != null) {
            client.close();
        }
    }
}
