package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client in the registry, with its registrations. Its calls run on threads of their own, so that one that does not return
 * costs its caller a timeout, and nothing else. Safe for any thread.
 */
final class ClientEntry {
    private static final System.Logger LOG = System.getLogger(ClientEntry.class.getName());

    private static final int MAX_STUCK = 8;

    private final PeerMemoryClient client;
    private final String name;
    private final ClientVersion version;
    private final ClientStyle style;
    private final List<PeerDevice> devices;
    private final Tickets tickets;
    private final Duration callTimeout;
    private final Set<Thread> invalidating;
    private final ClientStats stats = new ClientStats();
    private final ExecutorService calls;
    private final GuardedAllocations guarded;
    private final Object acquiring = new Object(); // one acquire at a time
    private final AtomicInteger stuck =
            new AtomicInteger(); // calls that exceeded the timeout, and have not returned yet

    private final Set<PeerRegion> regions = new LinkedHashSet<>(); // all guarded by this
    private int starting; // registrations that are no regions yet
    private @Nullable CompletableFuture<Void> unregistration;

    ClientEntry(PeerMemoryClient client, Tickets tickets, Duration callTimeout, Set<Thread> invalidating) {
        this.client = client;
        this.name = client.name();
        this.version = client.version();
        this.style = client.style();
        this.devices = devicesOf(client);
        this.tickets = tickets;
        this.callTimeout = callTimeout;
        this.invalidating = invalidating;
        this.calls = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("urma-peer-" + name + "-", 0).factory());
        this.guarded = new GuardedAllocations(name, client.sharing(), waited -> execute("free", waited));
    }

    /** Runs it on a thread of its own, unless the client has ended; the client does not end meanwhile. */
    void execute(String what, Runnable action) {
        if (!beginUnlessEnded()) {
            return;
        }
        try {
            calls.execute(() -> {
                guard(what, action);
                started(null);
            });
        } catch (RuntimeException | Error e) { // such as a lack of threads
            started(null);
            throw e;
        }
    }

    private static List<PeerDevice> devicesOf(PeerMemoryClient client) {
        try {
            return List.copyOf(client.devices());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "client {0} names no devices: {1}", client.name(), e);
            return List.of();
        }
    }

    String name() {
        return name;
    }

    /** Its devices at its registration: for display, without a call that may take long. */
    List<PeerDevice> devices() {
        return devices;
    }

    ClientStyle style() {
        return style;
    }

    PeerMemoryClient client() {
        return client;
    }

    ClientVersion version() {
        return version;
    }

    Tickets tickets() {
        return tickets;
    }

    Duration callTimeout() {
        return callTimeout;
    }

    ClientStats stats() {
        return stats;
    }

    GuardedAllocations guarded() {
        return guarded;
    }

    DmaEngine engine(int ordinal) {
        return client.engine(ordinal);
    }

    /** On the caller's thread, as copies are: waits begin often. */
    void whenDone(int ordinal, long event, DmaEngine.EventListener listener) {
        try {
            engine(ordinal).whenDone(event, listener);
        } catch (RuntimeException e) {
            throw failure("whenDone", e);
        }
    }

    /**
     * Pins the range if it is this client's.
     *
     * @return null if it is not
     */
    @Nullable
    PeerRegion pin(PinRequest request) {
        checkAnswers();
        return call("acquire, getPages or dmaMap", () -> pinHere(request), region -> {
            if (region != null) {
                CompletableFuture<Void> _ = RegionEnd.of(region); // its caller has given up
            }
        });
    }

    private @Nullable PeerRegion pinHere(PinRequest request) {
        if (!begin()) {
            return null;
        }
        PeerRegion region = null;
        try {
            PeerAcquisition acquisition = acquire(request.range());
            if (acquisition == null) {
                return null;
            }
            region = newRegion(acquisition, request);
        } finally {
            started(region);
        }
        region.pin();
        return region;
    }

    /** Opens memory of another process, and pins its first bytes; fails like {@link PeerSharing#open}. */
    PeerRegion open(byte[] handle, long lengthBytes) {
        checkAnswers();
        return call("open, getPages or dmaMap", () -> openHere(handle, lengthBytes), region -> {
            CompletableFuture<Void> _ = RegionEnd.of(region);
        });
    }

    private PeerRegion openHere(byte[] handle, long lengthBytes) {
        if (!begin()) {
            throw Checks.closed(this);
        }
        PeerRegion region = null;
        try {
            PeerSharing.Opened opened = guarded.open(handle, lengthBytes);
            region = newRegion(opened.acquisition(), new PinRequest(name, opened.range(), true, List.of(), true));
        } finally {
            started(region);
        }
        region.pin();
        return region;
    }

    private @Nullable PeerAcquisition acquire(DeviceRange range) {
        @Nullable Ownership answer;
        try {
            answer = ask(range);
        } catch (RuntimeException e) {
            stats.failures.increment();
            LOG.log(Level.WARNING, "{0} failed in acquire, which counts as not its own: {1}", this, e);
            return null;
        }
        return switch (answer) {
            case Ownership.Mine mine -> mine.acquisition();
            case Ownership.NotMine other -> null;
            case Ownership.Refused refused ->
                throw Checks.invalid(this, "refuses memory " + range + ": " + refused.reason());
            case null -> {
                stats.failures.increment();
                LOG.log(Level.WARNING, "{0} answered null in acquire, which counts as not its own", this);
                yield null;
            }
        };
    }

    private @Nullable Ownership ask(DeviceRange range) {
        synchronized (acquiring) {
            return client.acquire(range);
        }
    }

    private PeerRegion newRegion(PeerAcquisition acquisition, PinRequest request) {
        try {
            return new PeerRegion(this, acquisition, request);
        } catch (RuntimeException e) {
            guard("release", acquisition::release);
            throw e;
        }
    }

    /** An allocation and its client. */
    record Owner(ClientEntry client, DeviceIdentity identity) {}

    /** Which allocation the range lies in; EINVAL if it is not this client's. */
    DeviceIdentity identify(DeviceRange range) {
        DeviceIdentity identity = tryIdentify(range);
        if (identity == null) {
            throw Checks.invalid(this, "does not own the whole range " + range);
        }
        return identity;
    }

    @Nullable
    DeviceIdentity tryIdentify(DeviceRange range) {
        checkAnswers();
        return call("acquire", () -> identifyHere(range), late -> {});
    }

    private @Nullable DeviceIdentity identifyHere(DeviceRange range) {
        if (!begin()) {
            return null;
        }
        try {
            PeerAcquisition acquisition = acquire(range);
            return acquisition == null ? null : identityOf(acquisition);
        } finally {
            started(null);
        }
    }

    private DeviceIdentity identityOf(PeerAcquisition acquisition) {
        try {
            return acquisition.identity();
        } finally {
            guard("release", acquisition::release);
        }
    }

    private synchronized boolean begin() {
        return unregistration == null && beginUnlessEnded();
    }

    private synchronized boolean beginUnlessEnded() {
        if (unregistration != null && unregistration.isDone()) {
            return false;
        }
        starting++;
        return true;
    }

    /** Frees an allocation, also while it is being unregistered. A client that has ended has freed everything. */
    void free(PeerAllocator allocator, DeviceIdentity identity, DeviceRange range) {
        if (beginUnlessEnded()) {
            try {
                guarded.free(identity, () -> {
                    if (isThere(identity, range)) {
                        allocator.free(range.ordinal(), range.address());
                    }
                });
            } finally {
                started(null);
            }
        }
    }

    /** A reset of the device takes an allocation away, and may give its address to another one. */
    private boolean isThere(DeviceIdentity identity, DeviceRange range) {
        try {
            checkAnswers();
            return call("acquire", () -> isHere(identity, range), late -> {});
        } catch (UrmaException e) {
            return true; // a device that does not answer has no other allocation there
        }
    }

    private boolean isHere(DeviceIdentity identity, DeviceRange range) {
        return ask(range) instanceof Ownership.Mine mine && identity.equals(identityOf(mine.acquisition()));
    }

    private void started(@Nullable PeerRegion region) {
        synchronized (this) {
            starting--;
            if (region != null) {
                regions.add(region);
                stats.allocated.increment();
            }
        }
        endIfUnused();
    }

    void released(PeerRegion region) {
        synchronized (this) {
            if (regions.remove(region)) {
                stats.deallocated.increment();
            }
        }
        endIfUnused();
    }

    /** What the client calls. */
    void invalidate(Ticket ticket, InvalidationReason reason) {
        PeerRegion region = tickets.find(ticket);
        if (region == null || !region.client().equals(name)) {
            stats.unknownTickets.increment();
            return;
        }
        stats.freeCallbacks.increment();
        region.invalidate(reason);
    }

    void enterInvalidation() {
        invalidating.add(Thread.currentThread());
    }

    void leaveInvalidation() {
        invalidating.remove(Thread.currentThread());
    }

    /** Accepts no further registrations; the result completes after the last release. Idempotent. */
    CompletableFuture<Void> unregister() {
        CompletableFuture<Void> result;
        synchronized (this) {
            if (unregistration == null) {
                unregistration = new CompletableFuture<>();
            }
            result = unregistration;
        }
        endIfUnused();
        return result;
    }

    private void endIfUnused() {
        CompletableFuture<Void> ended;
        synchronized (this) {
            ended = unregistration;
            if (ended == null
                    || ended.isDone()
                    || starting > 0
                    || !regions.isEmpty()
                    || !guarded.lent().isEmpty()) {
                return;
            }
            unregistration = CompletableFuture.completedFuture(null);
        }
        guard("close", client::close);
        calls.shutdown();
        ended.complete(null);
    }

    synchronized List<PeerRegion> regions() {
        return List.copyOf(regions);
    }

    /** A call of the client that cannot be undone: its failure is logged and counted, and the caller goes on. */
    void guard(String call, Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            stats.failures.increment();
            LOG.log(Level.WARNING, "{0} failed in {1}, the rest goes on: {2}", this, call, e);
        }
    }

    /** Refuses a call that begins something: each that does not return costs a thread. Calls that end something go on. */
    void checkAnswers() {
        if (stuck.get() >= MAX_STUCK) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT, this, "does not answer: " + MAX_STUCK + " calls have not returned");
        }
    }

    /**
     * Makes calls of the client on a thread of its own.
     *
     * @param late what to do with a result that comes after the timeout
     * @throws UrmaException ETIMEOUT if they do not return
     */
    <T extends @Nullable Object> T call(String what, Supplier<T> action, Consumer<T> late) {
        CompletableFuture<T> future = CompletableFuture.supplyAsync(action, calls);
        if (!Await.endsWithin(callTimeout.toNanos(), future)) {
            stats.failures.increment();
            stuck.incrementAndGet();
            CompletableFuture<Void> _ =
                    future.whenComplete((_, _) -> stuck.decrementAndGet()).thenAccept(late);
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    this,
                    "did not return from " + what + " within " + callTimeout.toMillis() + " ms");
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw failure(what, e.getCause());
        }
    }

    private RuntimeException failure(String what, @Nullable Throwable cause) {
        return switch (cause) {
            case UrmaException e -> new UrmaException(e.status(), e.object(), e.reason(), e); // with both stack traces
            case Error e -> throw e;
            case null, default -> {
                stats.failures.increment();
                yield new UrmaException(UrmaStatus.FAIL, this, "failed in " + what + ": " + cause, cause);
            }
        };
    }

    @Override
    public String toString() {
        return "peer memory client " + name;
    }
}
