package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.ControlEngine;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The published names of this home's segments: the other side of {@link Names}. The engine's thread. */
public final class Publisher {
    private static final System.Logger LOG = System.getLogger(Publisher.class.getName());
    private static final int ATTEMPTS = 5;
    private static final long RETRY_NANOS = 5_000_000;

    private final ControlEngine engine;
    private final Files files;
    private final Map<String, Entry> byName = new HashMap<>();

    /** The names of this host. */
    @FunctionalInterface
    public interface Files {
        /** Takes a name for a segment; empty if it is taken. The result frees the name. */
        Optional<Runnable> take(String name, int tokenId);
    }

    /** The entry of a name. */
    private record Entry(ExportedSegment<?> segment, boolean withToken, Runnable free) {}

    public Publisher(ControlEngine engine, Files files) {
        this.engine = engine;
        this.files = files;
    }

    /** Publishes a segment until {@link #unpublish}. Any thread. */
    public CompletableFuture<Void> publish(ExportedSegment<?> segment, String name, boolean withToken) {
        return engine.ask(() -> {
            CompletableFuture<Void> result = new CompletableFuture<>();
            publish(segment, name, withToken, ATTEMPTS, result);
            return result;
        });
    }

    private void publish(
            ExportedSegment<?> segment, String name, boolean withToken, int attempts, CompletableFuture<Void> result) {
        try {
            if (segment.isRevoked() || segment.access() == Access.LOCAL_ONLY) {
                throw new UrmaException(UrmaStatus.EINVAL, segment, "cannot be imported, so it cannot have a name");
            }
            if (segment.descriptor().capabilities().memory() == MemoryKind.DEVICE) {
                throw new UrmaException(
                        UrmaStatus.EINVAL,
                        segment,
                        "lies in device memory and cannot be published; share() makes its line");
            }
            Optional<Runnable> free = files.take(name, segment.descriptor().tokenId());
            if (free.isPresent()) {
                byName.put(name, new Entry(segment, withToken, free.get()));
                result.complete(null);
            } else if (attempts > 1) {
                // another context that removes files of dead owners may hold the lock for a moment
                engine.after(RETRY_NANOS, () -> publish(segment, name, withToken, attempts - 1, result));
            } else {
                throw new UrmaException(UrmaStatus.EEXIST, segment, "the name '" + name + "' is taken");
            }
        } catch (IllegalArgumentException e) {
            result.completeExceptionally(new UrmaException(UrmaStatus.EINVAL, segment, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    /** Frees the names of a segment. One that cannot be freed delays no revocation; without its owner, another context frees it. */
    public void unpublish(ExportedSegment<?> segment) {
        List<Entry> freed = byName.values().stream()
                .filter(entry -> entry.segment == segment)
                .toList();
        byName.values().removeAll(freed);
        for (Entry entry : freed) {
            try {
                entry.free.run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, () -> "a name of " + segment + " stays", e);
            }
        }
    }

    /** A peer looks up a name of this home. */
    public Answer lookedUp(long number, Lookup lookup) {
        Entry entry = byName.get(lookup.name());
        if (entry == null) {
            return new Refused(number, UrmaStatus.EINVAL, "segment '" + lookup.name() + "' is no longer published");
        }
        ExportedSegment<?> segment = entry.segment;
        SegmentDescriptor descriptor = segment.descriptor();
        Endpoint endpoint = descriptor.endpoints().getFirst();
        Token token = lookup.withToken() && entry.withToken ? segment.token() : null;
        return new Named(
                number,
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
