package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.PeerMemoryRegistry;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PeerShare;
import io.urma4j.shm.bounce.OpenedMemory;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.Handle;
import io.urma4j.spi.control.ControlMessage.MemoryShared;
import io.urma4j.spi.control.ControlMessage.OpenShared;
import io.urma4j.spi.support.StagedCopies;
import io.urma4j.spi.support.Timers;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Passes handles of device memory to importers, and opens those of homes. Owned by the engine's thread, except where stated.
 *
 * <p>A handle opens a whole allocation, for reading and writing. So the home gives one only for a segment that an import may write: not
 * for one that is isolated, windows-only, or READ. As with mapped memory (S7.7), the importer's library keeps to range and access.
 */
final class DeviceSharing {
    private static final System.Logger LOG = System.getLogger(DeviceSharing.class.getName());

    private final Engine engine;
    private final Requests requests;
    private final ContextEvents events;
    private final StagedCopies copies;

    /** @param copies moves bytes of what is opened */
    DeviceSharing(Engine engine, Requests requests, ContextEvents events, StagedCopies copies) {
        this.engine = engine;
        this.requests = requests;
        this.events = events;
        this.copies = copies;
    }

    /** What importers of a segment may open; null if its home serves it in any case. Blocks as long as the client takes. Any thread. */
    static @Nullable PeerShare shareOf(SegmentRequest request, PeerRegion region) {
        if (request.isolated() || request.windowsOnly() || !request.access().canWrite()) {
            return null;
        }
        try {
            return PeerShare.of(region).orElse(null);
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0} is served to its importers, because it cannot be shared: {1}", region, e);
            return null;
        }
    }

    /** An importer asks for a handle. */
    static void requested(Peer from, Connection via, OpenShared wanted) {
        Grant grant = from.served.get(wanted.grant());
        PeerShare share = grant == null ? null : grant.segment().share();
        if (grant == null || share == null || !wanted.clients().contains(share.client()) || !grant.lend(share)) {
            via.refuse(wanted, UrmaStatus.EINVAL, "the memory is not shared");
            return;
        }
        boolean hasAtomics = grant.segment().exported().access().canAtomic(); // a direct WRITE could come between
        Access direct = hasAtomics ? Access.READ : grant.access();
        via.send(new MemoryShared(wanted.request(), direct, share.client(), new Handle(share.handle())));
    }

    /**
     * Opens imported device memory if that is possible. Completes with the import in any case, at the deadline at the latest: until it
     * is opened, its home serves it.
     */
    CompletableFuture<ShmImport> opened(ShmImport made, long deadlineNanos) {
        PeerMemoryRegistry devices = events.peerMemory().orElse(null);
        List<String> clients = devices == null ? List.of() : devices.openers();
        if (devices == null
                || clients.isEmpty()
                || made.isWindowsOnly()
                || !made.home().opensDeviceMemory()) {
            return CompletableFuture.completedFuture(made);
        }
        CompletableFuture<ShmImport> result = new CompletableFuture<>();
        Timers.Timer timeout = engine.at(deadlineNanos, () -> result.complete(made));
        var _ = requests.ask(made.home(), deadlineNanos, n -> new OpenShared(n, made.grant(), clients))
                .thenCompose(reply -> open(made, reply.as(MemoryShared.class), devices))
                .whenComplete((isOpened, refusal) -> {
                    boolean isTaken = engine.execute(() -> {
                        timeout.cancel();
                        result.complete(made);
                    });
                    if (!isTaken) {
                        result.complete(made); // the context has ended
                    }
                });
        return result;
    }

    private CompletableFuture<Boolean> open(ShmImport made, MemoryShared shared, PeerMemoryRegistry devices) {
        OpenedMemory opening = made.opening(shared.access());
        return opening.open(devices, copies, shared.client(), shared.handle().bytes(), made.lengthBytes());
    }
}
