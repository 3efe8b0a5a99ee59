package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The names under which this home shows its segments: the other side of {@link Names}. The engine's thread. */
final class Publisher {
    private static final int ATTEMPTS = 5;
    private static final long RETRY_NANOS = 5_000_000;

    private final Engine engine;
    private final RuntimeDirectory directory;
    private final PeerId self;
    private final Map<String, ShmSegment> byName = new HashMap<>();

    Publisher(Engine engine, RuntimeDirectory directory, PeerId self) {
        this.engine = engine;
        this.directory = directory;
        this.self = self;
    }

    CompletableFuture<Void> publish(ShmSegment segment, String name) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        publish(segment, name, ATTEMPTS, result);
        return result;
    }

    private void publish(ShmSegment segment, String name, int attempts, CompletableFuture<Void> result) {
        try {
            if (segment.isRevoked() || segment.access() == Access.LOCAL_ONLY) {
                throw new UrmaException(UrmaStatus.EINVAL, segment, "cannot be imported, so it can have no name");
            }
            Optional<LockFile> file = directory.takeName(name);
            if (file.isPresent()) {
                file.get().write(new NameRecord(self, segment.tokenId()).toLine());
                segment.names.put(name, file.get());
                byName.put(name, segment);
                result.complete(null);
            } else if (attempts > 1) {
                // somebody who tidies up may hold a dead owner's file for a moment
                engine.after(RETRY_NANOS, () -> publish(segment, name, attempts - 1, result));
            } else {
                throw new UrmaException(UrmaStatus.EEXIST, segment, "the name '" + name + "' is taken");
            }
        } catch (IllegalArgumentException e) {
            result.completeExceptionally(new UrmaException(UrmaStatus.EINVAL, segment, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    /** Frees the names of a segment. */
    void unpublish(ShmSegment segment) {
        segment.names.forEach((name, file) -> {
            byName.remove(name);
            file.remove();
        });
        segment.names.clear();
    }

    /** A peer asks for a name of ours. */
    void lookedUp(Connection via, Lookup lookup) {
        ShmSegment segment = byName.get(lookup.name());
        via.send(
                segment == null
                        ? new Refused(
                                lookup.request(),
                                UrmaStatus.EINVAL,
                                "no segment is published as '" + lookup.name() + "' any more")
                        : named(segment, lookup));
    }

    private static Named named(ShmSegment segment, Lookup lookup) {
        SegmentDescriptor descriptor = segment.descriptor();
        Endpoint endpoint = descriptor.endpoints().getFirst();
        Token token = lookup.withToken() ? segment.token() : null;
        return new Named(
                lookup.request(),
                descriptor.tokenId(),
                endpoint.key(),
                descriptor.lengthBytes(),
                descriptor.access(),
                descriptor.policy(),
                token,
                endpoint.vaBase(),
                segment.importers());
    }
}
