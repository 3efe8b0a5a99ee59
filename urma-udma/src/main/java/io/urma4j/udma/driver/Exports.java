package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Endpoint;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.ring.KeyAccess;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The segments of this home: their access checks, importers, and revocation.
 *
 * <p>Each import has its own key on the card, bound to the peer. A revocation invalidates the keys, and from then on no
 * packet touches the memory, not even a retransmitted one. Then the home notifies each importer, and waits for its answer,
 * or its end (docs/udma.md).
 */
final class Exports {
    private static final String REFUSAL = "the home refused: wrong token id, token, or access";
    private static final int ATTEMPTS = 5;
    private static final long RETRY_NANOS = 5_000_000;
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final UdmaContext context;
    private final Adapter adapter;
    private final TokenIds tokenIds;
    private final Windows windows;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Map<String, Shown> byName = new HashMap<>(); // the engine's thread

    /** The entry of a name. */
    private record Shown(UdmaSegment segment, boolean withToken) {}

    Exports(UdmaContext context, Adapter adapter) {
        this.context = context;
        this.adapter = adapter;
        this.tokenIds = new TokenIds(adapter, this::invalidated);
        this.windows = new Windows(context, this::windowKey, this::revokeKeys);
    }

    UdmaContext context() {
        return context;
    }

    TokenIds tokenIds() {
        return tokenIds;
    }

    Windows windows() {
        return windows;
    }

    // ---- registration; any thread

    UdmaSegment register(SegmentRequest request) {
        if (request.policy() != TokenPolicy.NONE && request.policy() != TokenPolicy.PLAIN_TEXT) {
            throw invalid("token policy", request.policy() + " is not supported; NONE and PLAIN_TEXT are");
        }
        UdmaMemory allocated = allocated(request);
        MemorySegment memory = allocated == null ? foreign(request) : allocated.segment();
        if (allocated != null) {
            allocated.addUser(request.isolated());
        }
        try {
            return numbered(request, memory, allocated);
        } catch (RuntimeException e) {
            if (allocated != null) {
                allocated.removeUser();
            }
            throw e;
        }
    }

    private UdmaSegment numbered(SegmentRequest request, MemorySegment memory, @Nullable UdmaMemory allocated) {
        int tokenId = tokenIds.forSegment(request.tokenId());
        try {
            UdmaSegment segment = keyed(request, memory, allocated, tokenId);
            tokenIds.add(segment);
            return segment;
        } catch (RuntimeException e) {
            tokenIds.giveUp(tokenId);
            throw e;
        }
    }

    private static @Nullable UdmaMemory allocated(SegmentRequest request) {
        if (request.memory() == null) {
            return null;
        }
        if (request.memory() instanceof UdmaMemory memory) {
            return memory;
        }
        throw invalid("memory", "was not allocated by a context of this device");
    }

    private static MemorySegment foreign(SegmentRequest request) {
        MemorySegment foreign = request.foreign();
        if (foreign == null || !foreign.isNative()) {
            throw invalid("memory", "lies on the Java heap, where the garbage collector moves it; allocate it instead");
        }
        return foreign;
    }

    private UdmaSegment keyed(
            SegmentRequest request, MemorySegment memory, @Nullable UdmaMemory allocated, int tokenId) {
        boolean isOpen = request.policy() == TokenPolicy.NONE && request.access() != Access.LOCAL_ONLY;
        long va = memory.address();
        int localKey = newKey(KeyConfig.local(memory));
        int openKey = isOpen ? openKey(memory, request.access(), tokenId, localKey) : 0;
        List<Endpoint> endpoints = new ArrayList<>();
        endpoints.add(new UdmaEndpoint(adapter.address(), lastNumber.incrementAndGet(), va).toEndpoint());
        if (isOpen && adapter.address().udpPort() == RoceEndpoint.UDP_PORT) {
            // what a peer needs that is not urma4j
            String gid = adapter.eid().toString();
            endpoints.add(new Endpoint(RoceEndpoint.KIND, gid, Integer.toUnsignedLong(openKey), va, false));
        }
        SegmentDescriptor descriptor =
                describe(context.place(), tokenId, memory.byteSize(), request.access(), request.policy(), endpoints);
        return new UdmaSegment(
                this,
                memory,
                allocated,
                request.isolated(),
                descriptor,
                request.token(),
                localKey,
                openKey,
                adapter.newValueWatch());
    }

    private int openKey(MemorySegment memory, Access access, int tokenId, int localKey) {
        try {
            return newKey(new KeyConfig(memory, memory.address(), bits(access), 0, 0, tokenId));
        } catch (UrmaException e) {
            revokeKeys(List.of(localKey)); // or the last key would leak
            throw e;
        }
    }

    static SegmentDescriptor describe(
            HostDirectory.Place home,
            int tokenId,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            List<Endpoint> endpoints) {
        return new SegmentDescriptor(
                home.at().eid(),
                home.uasid(),
                home.incarnation(),
                tokenId,
                lengthBytes,
                access,
                policy,
                new Capabilities(false, false, true, MemoryKind.HOST),
                endpoints);
    }

    private int newKey(KeyConfig config) {
        adapter.eventLoop().enter();
        try {
            int key = adapter.card().registerKey(config);
            if (key == 0) {
                throw new UrmaException(UrmaStatus.ENOMEM, context, "all keys of the device are in use");
            }
            return key;
        } finally {
            adapter.eventLoop().leave();
        }
    }

    private void revokeKeys(List<Integer> keys) {
        adapter.eventLoop().enter();
        try {
            keys.forEach(key -> adapter.card().revokeKey(key));
        } finally {
            adapter.eventLoop().leave();
        }
    }

    private static int bits(Access access) {
        return switch (access) {
            case LOCAL_ONLY -> 0;
            case READ -> KeyAccess.READ;
            case READ_WRITE -> KeyAccess.READ | KeyAccess.WRITE;
            case READ_WRITE_ATOMIC -> KeyAccess.READ | KeyAccess.WRITE | KeyAccess.ATOMIC;
        };
    }

    private static UrmaException invalid(String argument, String why) {
        return new UrmaException(UrmaStatus.EINVAL, argument, why);
    }

    // ---- import; the engine's thread

    /** Grants or refuses; true if it granted. */
    boolean importRequested(Path from, long number, ImportSegment wanted) {
        UdmaSegment segment = find(wanted.tokenId(), (int) wanted.key());
        // one code path and one answer for all failures: they reveal nothing to a guesser (S7.6)
        if (!UdmaSegment.opens(segment, wanted.token(), wanted.access()) || segment == null) {
            context.importRefused("segment " + wanted.tokenId(), from);
            answer(from, number, new Refused(number, UrmaStatus.ENOPERM, REFUSAL));
            return false;
        }
        grant(segment, from, number, wanted);
        return true;
    }

    private @Nullable UdmaSegment find(int tokenId, int number) {
        for (UdmaSegment segment : tokenIds.under(tokenId)) {
            if ((int) segment.descriptor().endpoints().getFirst().key() == number) {
                return segment;
            }
        }
        return null;
    }

    private void grant(UdmaSegment segment, Path from, long number, ImportSegment wanted) {
        try {
            from.open();
            int key = peersKey(segment, from, 0, segment.memory().byteSize(), wanted.access());
            Grant grant = new Grant(key, segment, from, wanted.access());
            segment.grants.put(grant.key(), grant);
            from.grants.put(grant.key(), grant);
            answer(
                    from,
                    number,
                    new SegmentGranted(
                            number,
                            grant.number(),
                            wanted.access(),
                            segment.vaBase(),
                            segment.memory().byteSize()));
        } catch (UrmaException e) {
            answer(from, number, new Refused(number, e.status(), String.valueOf(e.getMessage())));
        }
    }

    /** A key for a part of a segment that only one peer may use. */
    private int peersKey(UdmaSegment segment, Path peer, long offset, long lengthBytes, Access access) {
        return newKey(new KeyConfig(
                segment.memory().asSlice(offset, lengthBytes),
                segment.vaBase() + offset,
                bits(access),
                peer.number(),
                tokenIds.owner(segment.tokenId()),
                segment.tokenId(),
                segment.values().tag()));
    }

    /** Any thread. */
    private int windowKey(Grant of, long offset, long lengthBytes, Access access) {
        return peersKey(of.segment(), of.importer(), offset, lengthBytes, access);
    }

    private void answer(Path to, long number, io.urma4j.spi.control.ControlMessage message) {
        context.plane().answer(to.peer(), number, new Core(message));
    }

    /** An importer released the segment. */
    void released(Path from, long number) {
        Grant grant = from.grants.get((int) number);
        if (grant != null) {
            windows.shut(grant);
            end(grant);
        }
    }

    /** A peer is gone: its keys are invalid. */
    void importerGone(Path peer) {
        List<Grant> all = List.copyOf(peer.grants.values());
        all.forEach(windows::shut);
        all.forEach(this::end);
    }

    private void end(Grant grant) {
        grant.importer().grants.remove(grant.key());
        UdmaSegment segment = grant.segment();
        if (segment.grants.remove(grant.key()) != null) {
            segment.revocations.ended(grant);
        }
    }

    // ---- revocation

    CompletableFuture<Revocation> unregister(UdmaSegment segment, Duration timeout) {
        long deadlineNanos = context.deadline(timeout);
        return adapter.engine().ask(() -> revoke(segment, deadlineNanos));
    }

    /** Ends a segment for good. The engine's thread. */
    CompletableFuture<Revocation> revoke(UdmaSegment segment, long deadlineNanos) {
        unpublish(segment);
        segment.markRevoked();
        shut(segment);
        revokeKeys(List.of(segment.localKey()));
        return segment.revocations.await(
                segment.grants.values(),
                adapter.engine()::at,
                deadlineNanos,
                () -> remove(segment),
                late -> quarantine(segment, late));
    }

    /** From now on no packet touches the memory; the importers are being notified. */
    private void shut(UdmaSegment segment) {
        if (segment.openKey() != 0) {
            revokeKeys(List.of(segment.openKey()));
        }
        segment.grants.values().forEach(windows::shut);
        segment.grants.values().forEach(this::tell);
    }

    private void tell(Grant grant) {
        PeerMessage revoke = new Core(new Revoke(grant.number()));
        long patience = adapter.nanos() + HOUR_NANOS; // a peer that is gone ends it sooner
        var _ = context.plane()
                .ask(grant.importer().peer(), _ -> revoke, patience, adapter.nanos())
                .whenComplete((_, _) -> end(grant));
    }

    private static void quarantine(UdmaSegment segment, List<String> importers) {
        Optional.ofNullable(segment.allocated()).ifPresent(memory -> memory.quarantine(segment, importers));
    }

    private void remove(UdmaSegment segment) {
        UdmaMemory memory = segment.allocated();
        if (!tokenIds.remove(segment)) {
            return;
        }
        adapter.forget(segment.values());
        if (memory != null) {
            memory.removeUser();
            memory.endQuarantine(segment);
        }
    }

    /** Rotates the token, and revokes the segment from importers with the old one (S7.5). */
    CompletableFuture<Revocation> rotate(UdmaSegment segment, Token next, Duration timeout) {
        long deadlineNanos = context.deadline(timeout);
        return adapter.engine().ask(() -> {
            if (segment.isRevoked()) {
                throw new UrmaException(UrmaStatus.EINVAL, segment, "was revoked, and so has no token to rotate");
            }
            segment.setToken(next);
            shut(segment);
            return segment.revocations.await(
                    segment.grants.values(), adapter.engine()::at, deadlineNanos, () -> {}, _ -> {});
        });
    }

    /** A message has revoked all keys under a token id. The engine's thread. */
    private void invalidated(int tokenId) {
        for (UdmaSegment segment : tokenIds.under(tokenId)) {
            if (segment.markRevoked()) {
                shut(segment);
                context.raise(AsyncEvent.Type.SEGMENT_REVOKED, segment, "a message revoked its token id");
            }
        }
    }

    // ---- names

    CompletableFuture<Void> publish(UdmaSegment segment, String name, boolean withToken) {
        return adapter.engine().ask(() -> {
            CompletableFuture<Void> result = new CompletableFuture<>();
            publish(name, new Shown(segment, withToken), ATTEMPTS, result);
            return result;
        });
    }

    private void publish(String name, Shown shown, int attempts, CompletableFuture<Void> result) {
        UdmaSegment segment = shown.segment;
        if (segment.isRevoked() || segment.access() == Access.LOCAL_ONLY) {
            result.completeExceptionally(
                    new UrmaException(UrmaStatus.EINVAL, segment, "cannot be imported, so it cannot have a name"));
            return;
        }
        Optional<OwnFile> file;
        try {
            file = context.directory().takeName(name, context.place());
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
            return;
        }
        if (file.isPresent()) {
            segment.names.put(name, file.get());
            byName.put(name, shown);
            result.complete(null);
        } else if (attempts > 1) {
            // another context that removes files of dead owners may hold the lock for a moment
            long then = adapter.nanos() + RETRY_NANOS;
            adapter.engine().at(then, () -> publish(name, shown, attempts - 1, result));
        } else {
            result.completeExceptionally(
                    new UrmaException(UrmaStatus.EEXIST, segment, "the name '" + name + "' is taken"));
        }
    }

    private void unpublish(UdmaSegment segment) {
        segment.names.forEach((name, file) -> {
            byName.remove(name);
            file.remove();
        });
        segment.names.clear();
    }

    /** A peer looks up a name of this home. The engine's thread. */
    void lookedUp(Path from, long number, Lookup lookup) {
        Shown shown = byName.get(lookup.name());
        answer(
                from,
                number,
                shown == null
                        ? new Refused(
                                number, UrmaStatus.EINVAL, "segment '" + lookup.name() + "' is no longer published")
                        : named(shown, number, lookup.withToken()));
    }

    private static Named named(Shown shown, long number, boolean tokenWanted) {
        UdmaSegment segment = shown.segment;
        SegmentDescriptor descriptor = segment.descriptor();
        Endpoint endpoint = descriptor.endpoints().getFirst();
        return new Named(
                number,
                descriptor.tokenId(),
                endpoint.key(),
                descriptor.lengthBytes(),
                descriptor.access(),
                descriptor.policy(),
                tokenWanted && shown.withToken ? segment.token() : null,
                endpoint.vaBase(),
                segment.importers());
    }
}
