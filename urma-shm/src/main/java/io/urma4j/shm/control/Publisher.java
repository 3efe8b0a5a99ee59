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

/** The published names of this home's segments: the other side of {@link Names}. The engine's thread. */
final class Publisher {
    private static final int ATTEMPTS = 5;
    private static final long RETRY_NANOS = 5_000_000;

    private final Engine engine;
    private final RuntimeDirectory directory;
    private final PeerId self;
    private final Map<String, Entry> byName = new HashMap<>();

    Publisher(Engine engine, RuntimeDirectory directory, PeerId self) {
        this.engine = engine;
        this.directory = directory;
        this.self = self;
    }

    /** The entry of a name. */
    private record Entry(ShmSegment segment, boolean withToken) {}

    CompletableFuture<Void> publish(ShmSegment segment, String name, boolean withToken) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        publish(new Entry(segment, withToken), name, ATTEMPTS, result);
        return result;
    }

    private void publish(Entry entry, String name, int attempts, CompletableFuture<Void> result) {
        ShmSegment segment = entry.segment;
        try {
            if (segment.isRevoked() || segment.access() == Access.LOCAL_ONLY) {
                throw new UrmaException(UrmaStatus.EINVAL, segment, "cannot be imported, so it cannot have a name");
            }
            Optional<LockFile> file = directory.takeName(name);
            if (file.isPresent()) {
                file.get().write(new NameRecord(self, segment.tokenId()).toLine());
                segment.names.put(name, file.get());
                byName.put(name, entry);
                result.complete(null);
            } else if (attempts > 1) {
                // another context that removes files of dead owners may hold the lock for a moment
                engine.after(RETRY_NANOS, () -> publish(entry, name, attempts - 1, result));
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

    /** A peer looks up a name of this home. */
    void lookedUp(Connection via, Lookup lookup) {
        Entry entry = byName.get(lookup.name());
        via.send(
                entry == null
                        ? new Refused(
                                lookup.request(),
                                UrmaStatus.EINVAL,
                                "segment '" + lookup.name() + "' is no longer published")
                        : named(entry, lookup));
    }

    private static Named named(Entry entry, Lookup lookup) {
        ShmSegment segment = entry.segment;
        SegmentDescriptor descriptor = segment.descriptor();
        Endpoint endpoint = descriptor.endpoints().getFirst();
        Token token = lookup.withToken() && entry.withToken ? segment.token() : null;
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
