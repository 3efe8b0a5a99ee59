package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a device: allocated by {@link PeerMemory#allocate}, or of another library and named by {@link PeerMemory#wrap}. The
 * host reaches its bytes by copies alone. Safe for any thread; copies of one instance follow each other.
 */
public final class DeviceMemory implements AutoCloseable {
    /** How long a copy may make no progress. */
    private static final Duration COPY_TIMEOUT = Duration.ofSeconds(30);

    /** Long copies are cut, so that a timeout means a stuck device and not a long copy. */
    private static final long MAX_COPY_BYTES = 64L << 20;

    private final PeerMemory owner;
    private final ClientEntry client;
    private final DeviceRange range;
    private final DeviceIdentity identity;
    private final @Nullable PeerAllocator allocator; // null for memory of another library

    private final Copy copy = new Copy(); // all guarded by this
    private @Nullable CopyStream stream;
    private boolean closed;

    private DeviceMemory(
            PeerMemory owner,
            ClientEntry client,
            DeviceRange range,
            DeviceIdentity identity,
            @Nullable PeerAllocator allocator) {
        this.owner = owner;
        this.client = client;
        this.range = range;
        this.identity = identity;
        this.allocator = allocator;
    }

    static DeviceMemory allocate(
            PeerMemory owner, ClientEntry client, PeerAllocator allocator, int ordinal, long lengthBytes) {
        long address = allocator.allocate(ordinal, lengthBytes);
        try {
            DeviceRange range = new DeviceRange(ordinal, address, lengthBytes);
            DeviceIdentity identity = client.identify(range);
            client.guarded().allocated(identity, range);
            return new DeviceMemory(owner, client, range, identity, allocator);
        } catch (RuntimeException e) {
            allocator.free(ordinal, address);
            throw e;
        }
    }

    static DeviceMemory wrap(PeerMemory owner, ClientEntry.Owner found, DeviceRange range) {
        DeviceIdentity identity = found.identity();
        if (range.ordinal() != DeviceRange.ANY && range.ordinal() != identity.ordinal()) {
            throw Checks.invalid(
                    found.client(),
                    "memory " + range + " lies on device " + identity.ordinal() + ", not on " + range.ordinal());
        }
        DeviceRange there = new DeviceRange(identity.ordinal(), range.address(), range.lengthBytes());
        return new DeviceMemory(owner, found.client(), there, identity, null);
    }

    /** The name of its client. */
    public String client() {
        return client.name();
    }

    /** Its device, in that client. */
    public int ordinal() {
        return range.ordinal();
    }

    /** For calls of the device's own library. */
    public long address() {
        return range.address();
    }

    public long lengthBytes() {
        return range.lengthBytes();
    }

    /** Distinguishes it from later memory at the same address. */
    public DeviceIdentity identity() {
        return identity;
    }

    /** Copies all of {@code source} to the device, from {@code offset} on. Blocks until it is there. */
    public void copyFrom(long offset, MemorySegment source) {
        Checks.range(this, offset, source.byteSize(), range.lengthBytes());
        checkHost("source", source);
        inPieces(
                source.byteSize(),
                (stream, at, length) -> stream.copyIn(range.address() + offset + at, source.asSlice(at, length), copy));
    }

    /** Copies to all of {@code target} from the device, from {@code offset} on. Blocks until it is there. */
    public void copyTo(long offset, MemorySegment target) {
        Checks.range(this, offset, target.byteSize(), range.lengthBytes());
        checkHost("target", target);
        if (target.isReadOnly()) {
            throw Checks.invalid(this, "target is read-only");
        }
        inPieces(
                target.byteSize(),
                (stream, at, length) ->
                        stream.copyOut(range.address() + offset + at, target.asSlice(at, length), copy));
    }

    /** Fills a range with a byte. Blocks until that is done. */
    public void fill(long offset, long lengthBytes, byte value) {
        Checks.range(this, offset, lengthBytes, range.lengthBytes());
        inPieces(lengthBytes, (stream, at, length) -> stream.fill(range.address() + offset + at, length, value, copy));
    }

    private void checkHost(String argument, MemorySegment memory) {
        if (!memory.isNative()) {
            throw Checks.invalid(this, argument + " is heap memory; the device's driver needs native memory");
        }
        if (!memory.scope().isAlive()) {
            throw Checks.invalid(this, "the arena of " + argument + " is closed");
        }
    }

    /** One piece of a longer copy. */
    private interface Piece {
        void start(CopyStream stream, long at, long lengthBytes);
    }

    private synchronized void inPieces(long lengthBytes, Piece piece) {
        checkOpen();
        CopyStream pieces = stream;
        if (pieces == null) {
            pieces = client.engine(range.ordinal()).openStream();
            stream = pieces;
        }
        for (long at = 0; at < lengthBytes; at += MAX_COPY_BYTES) {
            piece.start(pieces, at, Math.min(MAX_COPY_BYTES, lengthBytes - at));
            finish(pieces);
        }
    }

    private void finish(CopyStream pieces) {
        if (!copy.await(COPY_TIMEOUT.toNanos())) {
            pieces.abort(copy);
            copy.await(COPY_TIMEOUT.toNanos()); // the host memory must not be freed under it
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    this,
                    "its device has not finished a copy within " + COPY_TIMEOUT.toSeconds() + " s");
        }
        RuntimeException failure = copy.failure();
        if (failure != null) {
            throw new UrmaException(UrmaStatus.FAIL, this, "copy failed: " + failure.getMessage(), failure);
        }
    }

    /** Makes what peers wrote visible to kernels that start after the return. */
    public void flush() {
        synchronized (this) {
            checkOpen();
        }
        client.engine(range.ordinal()).flush(range);
    }

    /**
     * Pins it for a provider.
     *
     * @throws UrmaException EINVAL if it was freed meanwhile, also when other memory has its address now
     */
    public synchronized PeerRegion pin(boolean writable, List<DmaDevice> devices) {
        checkOpen();
        PeerRegion region = owner.registry().pin(new PinRequest(client.name(), range, writable, devices, true));
        if (!region.identity().equals(identity)) {
            region.close();
            throw Checks.invalid(this, "was freed: its address belongs to another allocation now");
        }
        return region;
    }

    private void checkOpen() {
        if (closed) {
            throw Checks.closed(this);
        }
    }

    /**
     * Frees it if it was allocated here. Idempotent. Memory that peers have opened is closed at once, but not used again before
     * each of them has closed it, or is proven gone (S7.9).
     *
     * @throws UrmaException EAGAIN while it is registered, naming the registrations: it stays open
     */
    @Override
    public void close() {
        end(registered -> {
            if (!registered.isEmpty()) {
                throw new UrmaException(
                        UrmaStatus.EAGAIN,
                        this,
                        "cannot be freed, " + registered.size() + " registrations hold it: " + registered);
            }
        });
    }

    /**
     * Frees it also while it is registered: revokes the registrations first. Their owners still close them. Idempotent.
     *
     * @throws UrmaException EAGAIN if its client still has its pages pinned: it stays open, and can be closed again
     */
    public void closeByForce() {
        end(registered -> registered.forEach(region -> region.revoke(InvalidationReason.FREED)));
    }

    private synchronized void end(Consumer<List<PeerRegion>> before) {
        if (closed) {
            return;
        }
        PeerAllocator own = allocator;
        if (own != null) {
            before.accept(client.regions().stream()
                    .filter(region -> region.identity().ordinal() == range.ordinal())
                    .filter(region -> region.range().overlaps(range))
                    .filter(PeerRegion::isHeld)
                    .toList());
        }
        closed = true;
        CopyStream pieces = stream;
        if (pieces != null) {
            pieces.close();
            stream = null;
        }
        if (own != null) {
            try {
                client.free(own, identity, range);
            } catch (UrmaException e) {
                closed = e.status() != UrmaStatus.EAGAIN; // the client has its pages pinned: the next close frees them
                throw e;
            }
        }
    }

    @Override
    public String toString() {
        return client.name() + ":" + range.ordinal() + " memory " + range;
    }
}
