package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.support.IdSpace;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The segments of this home: who may import them, who has, and how they are taken back.
 *
 * <p>To revoke is: no new import, a word to each importer, and its answer, or the proof that it is gone. Until then its
 * grant stays; after the deadline the memory stays in quarantine until the last grant has ended.
 */
final class Exports {
    static final String KIND = "shm";

    private static final int MAX_TOKEN_ID = 0xFF_FFFF;
    private static final int NAME_ATTEMPTS = 5;
    private static final long NAME_RETRY_NANOS = 5_000_000;

    private static final String REFUSAL = "the home refused: wrong token id, token, or access";

    private final Engine engine;
    private final Callers callers;
    private final RuntimeDirectory directory;
    private final ContextEvents events;
    private final Eid eid;
    private final int uasid;
    private final PeerId self;
    private final IdSpace tokenIds = new IdSpace("token id", MAX_TOKEN_ID);
    private final Map<Integer, ShmSegment> byTokenId = new ConcurrentHashMap<>();
    private long lastGrant; // the engine's thread

    Exports(
            Engine engine,
            Callers callers,
            RuntimeDirectory directory,
            ContextEvents events,
            Eid eid,
            int uasid,
            PeerId self) {
        this.engine = engine;
        this.callers = callers;
        this.directory = directory;
        this.events = events;
        this.eid = eid;
        this.uasid = uasid;
        this.self = self;
    }

    // ---- registration; any thread

    ShmSegment register(SegmentRequest request) {
        checkPolicy(request.policy());
        if (request.memory() == null) {
            return registerForeign(request);
        }
        if (!(request.memory() instanceof ShmMemory memory)) {
            throw invalid("memory", "was not allocated by a context of this device");
        }
        memory.checkNotQuarantined();
        ShmSegment segment = add(memory.segment(), memory, request);
        try {
            if (request.access().canWrite()) {
                memory.addWritableUser(segment);
            }
            return segment;
        } catch (RuntimeException e) {
            remove(segment);
            throw e;
        }
    }

    private ShmSegment registerForeign(SegmentRequest request) {
        MemorySegment foreign = request.foreign();
        if (foreign == null) {
            throw invalid("memory", "is null");
        }
        if (!foreign.isNative()) {
            throw invalid("memory", "lies on the Java heap, where the garbage collector moves it; allocate it instead");
        }
        if (request.access() != Access.LOCAL_ONLY) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    "memory",
                    "is not of a context and can only be LOCAL_ONLY here, not " + request.access()
                            + "; memory that peers can import comes from UrmaContext.allocate");
        }
        return add(foreign, null, request);
    }

    private static void checkPolicy(TokenPolicy policy) {
        if (policy != TokenPolicy.NONE && policy != TokenPolicy.PLAIN_TEXT) {
            throw invalid("token policy", policy + " is not offered; NONE and PLAIN_TEXT are");
        }
    }

    private ShmSegment add(MemorySegment memory, @Nullable ShmMemory shared, SegmentRequest request) {
        int tokenId = tokenIds.take(0);
        SegmentDescriptor descriptor = describe(
                eid, uasid, self, tokenId, memory.byteSize(), request.access(), request.policy(), memory.address());
        ShmSegment segment = new ShmSegment(this, memory, shared, descriptor, request.token());
        byTokenId.put(tokenId, segment);
        return segment;
    }

    static SegmentDescriptor describe(
            Eid eid,
            int uasid,
            PeerId home,
            int tokenId,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            long vaBase) {
        return new SegmentDescriptor(
                eid,
                uasid,
                home.incarnation(),
                tokenId,
                lengthBytes,
                access,
                policy,
                new Capabilities(true, true, true, MemoryKind.HOST),
                List.of(new Endpoint(KIND, home.address(), home.incarnation(), vaBase, false)));
    }

    private static UrmaException invalid(String argument, String why) {
        return new UrmaException(UrmaStatus.EINVAL, argument, why);
    }

    Collection<ShmSegment> all() {
        return List.copyOf(byTokenId.values());
    }

    // ---- import; the engine's thread

    /** Grants or refuses; true when it granted. */
    boolean importRequested(Peer from, Connection via, ImportSegment wanted) {
        ShmSegment segment = byTokenId.get(wanted.tokenId());
        // one answer for all that can be wrong: it tells a guesser nothing (S7.6)
        if (segment == null || !segment.opensTo(wanted.token(), wanted.access())) {
            refused(from, "segment " + wanted.tokenId());
            via.send(new Refused(wanted.request(), UrmaStatus.ENOPERM, REFUSAL));
            return false;
        }
        grant(segment, from, via, wanted);
        return true;
    }

    void refused(Peer from, String what) {
        events.raise(
                new AsyncEvent(AsyncEvent.Type.IMPORT_REFUSED, what, from + " offered a wrong token, id or access"));
    }

    private void grant(ShmSegment segment, Peer from, Connection via, ImportSegment wanted) {
        ShmMemory memory = segment.shared();
        if (memory == null) {
            throw new IllegalStateException(segment + " cannot be imported");
        }
        Fd fd = wanted.access().canWrite() ? memory.shareWritable() : memory.shareReadOnly();
        Grant grant = new Grant(++lastGrant, segment, from, via);
        segment.grants.put(grant.number(), grant);
        from.grants.put(grant.number(), grant);
        via.send(
                new SegmentGranted(wanted.request(), grant.number(), wanted.access(), 0, segment.memory.byteSize()),
                fd);
    }

    /** An importer touches it no more: it gave it back, or answered a revocation. */
    void released(Peer from, long number) {
        Grant grant = from.grants.get(number);
        if (grant != null) { // else its giving back and our revocation have crossed
            end(grant);
        }
    }

    /** A peer that is proven gone touches nothing any more. */
    void importerGone(Peer peer) {
        List.copyOf(peer.grants.values()).forEach(this::end);
    }

    private void end(Grant grant) {
        grant.importer().grants.remove(grant.number());
        ShmSegment segment = grant.segment();
        segment.grants.remove(grant.number());
        if (segment.grants.isEmpty() && segment.told) {
            List<Runnable> waiting = List.copyOf(segment.whenReleased);
            segment.whenReleased.clear();
            waiting.forEach(Runnable::run);
        }
    }

    // ---- revocation

    CompletableFuture<Revocation> unregister(ShmSegment segment, Duration deadline) {
        long deadlineNanos = ControlPlane.deadline(deadline);
        return callers.ask(() -> revoke(segment, deadlineNanos));
    }

    /** Ends a segment for good. */
    CompletableFuture<Revocation> revoke(ShmSegment segment, long deadlineNanos) {
        CompletableFuture<Revocation> result = new CompletableFuture<>();
        unpublish(segment);
        tellImporters(segment);
        if (segment.grants.isEmpty()) {
            remove(segment);
            result.complete(Revocation.COMPLETED);
            return result;
        }
        Timers.Timer timeout = engine.at(deadlineNanos, () -> quarantine(segment, result));
        segment.whenReleased.add(() -> {
            timeout.cancel();
            remove(segment);
            result.complete(Revocation.COMPLETED);
        });
        return result;
    }

    private void tellImporters(ShmSegment segment) {
        segment.markRevoked();
        if (!segment.told) {
            segment.told = true;
            for (Grant grant : segment.grants.values()) {
                grant.via().send(new Revoke(grant.number()));
            }
        }
    }

    private static void quarantine(ShmSegment segment, CompletableFuture<Revocation> result) {
        List<String> importers = segment.importers();
        if (segment.shared() != null) {
            segment.shared().quarantine(segment, importers);
        }
        result.complete(new Revocation(Revocation.Status.QUARANTINED, importers));
    }

    private void remove(ShmSegment segment) {
        if (byTokenId.remove(segment.tokenId(), segment)) {
            tokenIds.give(segment.tokenId());
            if (segment.shared() != null) {
                segment.shared().removeWritableUser(segment);
                segment.shared().endQuarantine(segment);
            }
        }
    }

    /** A message wants to revoke a token id. Any thread. */
    InvalidateResult invalidate(Peer from, int tokenId) {
        ShmSegment segment = byTokenId.get(tokenId);
        if (segment == null) {
            return InvalidateResult.NOT_ALLOWED;
        }
        if (segment.beginInvalidation(from)) {
            engine.execute(() -> {
                tellImporters(segment);
                events.raise(new AsyncEvent(
                        AsyncEvent.Type.SEGMENT_REVOKED, segment.toString(), "a message of " + from + " revoked it"));
            });
            return InvalidateResult.IN_PROGRESS;
        }
        if (!segment.mayInvalidate(from)) {
            return InvalidateResult.NOT_ALLOWED;
        }
        return segment.grants.isEmpty() ? InvalidateResult.DONE : InvalidateResult.IN_PROGRESS;
    }

    // ---- names

    CompletableFuture<Void> publish(ShmSegment segment, String name) {
        return callers.ask(() -> {
            CompletableFuture<Void> result = new CompletableFuture<>();
            publish(segment, name, NAME_ATTEMPTS, result);
            return result;
        });
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
                result.complete(null);
            } else if (attempts > 1) {
                // somebody who tidies up may hold a dead owner's file for a moment
                engine.after(NAME_RETRY_NANOS, () -> publish(segment, name, attempts - 1, result));
            } else {
                throw new UrmaException(UrmaStatus.EEXIST, segment, "the name '" + name + "' is taken");
            }
        } catch (IllegalArgumentException e) {
            result.completeExceptionally(new UrmaException(UrmaStatus.EINVAL, segment, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    void unpublish(ShmSegment segment) {
        segment.names.values().forEach(LockFile::remove);
        segment.names.clear();
    }

    /** A peer asks for a name of ours. */
    void lookedUp(Connection via, Lookup lookup) {
        for (ShmSegment segment : byTokenId.values()) {
            if (segment.names.containsKey(lookup.name())) {
                via.send(named(segment, lookup));
                return;
            }
        }
        via.send(new Refused(
                lookup.request(), UrmaStatus.EINVAL, "no segment is published as '" + lookup.name() + "' any more"));
    }

    private static Named named(ShmSegment segment, Lookup lookup) {
        SegmentDescriptor descriptor = segment.descriptor();
        Token token = lookup.withToken() ? segment.token() : null;
        return new Named(
                lookup.request(),
                descriptor.tokenId(),
                descriptor.lengthBytes(),
                descriptor.access(),
                descriptor.policy(),
                token,
                descriptor.endpoints().getFirst().vaBase(),
                segment.importers());
    }
}
