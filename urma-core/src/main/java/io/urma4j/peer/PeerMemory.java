package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.Nanos;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;

/** The device memory that this library can use: GPUs and NPUs, by the clients that own their addresses. Safe for any thread. */
public final class PeerMemory implements AutoCloseable {
    /** For {@link #wrap}: asks all clients for the owner, in the order of {@link #clients}. */
    public static final String AUTO = "auto";

    private static final System.Logger LOG = System.getLogger(PeerMemory.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final PeerMemoryRegistry registry = new PeerMemoryRegistry();
    private final List<PeerClientRegistration> registrations = new ArrayList<>(); // guarded by this
    private final Map<String, RuntimeException> absent = new LinkedHashMap<>();
    private volatile boolean closed;

    private PeerMemory() {}

    /** Finds the services on class and module path, and asks each for its clients. */
    public static PeerMemory open(UrmaOptions options) {
        PeerMemory memory = new PeerMemory();
        for (PeerMemoryService service :
                ServiceLoader.load(PeerMemoryService.class, PeerMemory.class.getClassLoader())) {
            memory.addClientsOf(service, options);
        }
        return memory;
    }

    private void addClientsOf(PeerMemoryService service, UrmaOptions options) {
        try {
            service.clients(options).forEach(this::add);
        } catch (RuntimeException e) {
            absent.put(service.name(), e); // reported on request of one of its clients
        }
    }

    /**
     * Adds a client that no service brings, such as one of a test.
     *
     * @throws UrmaException EINVAL for a wrong name or version, EEXIST if the name is taken
     */
    public synchronized PeerClientRegistration add(PeerMemoryClient client) {
        checkOpen();
        PeerClientRegistration registration = registry.register(client);
        registrations.add(registration);
        return registration;
    }

    /** The clients that work here, in the order in which they are asked. */
    public List<PeerClient> clients() {
        checkOpen();
        return registry.clients().stream()
                .map(ClientEntry::client)
                .map(client -> new PeerClient(client.name(), client.version(), client.style(), client.devices()))
                .toList();
    }

    /** Why the clients of a service are missing, by service; empty if all work. */
    public Map<String, RuntimeException> absentClients() {
        return Map.copyOf(absent);
    }

    /** What each client has counted, by name. */
    public Map<String, PeerCounters> counters() {
        return registry.counters();
    }

    /** What registers device memory for a provider. */
    public PeerMemoryRegistry registry() {
        return registry;
    }

    /**
     * Allocates device memory. Its content is undefined.
     *
     * @param client by name
     * @param ordinal of its device
     * @throws UrmaException EINVAL for an unknown client or device, or one that cannot allocate; ENOMEM if the device lacks
     *     memory
     */
    public DeviceMemory allocate(String client, int ordinal, long lengthBytes) {
        ClientEntry entry = find(client);
        checkOrdinal(entry, ordinal);
        Checks.inRange(entry, "lengthBytes", lengthBytes, 1, Long.MAX_VALUE);
        PeerAllocator allocator = entry.client()
                .allocator()
                .orElseThrow(() -> Checks.invalid(entry, "allocates no memory; wrap a pointer of its own allocator"));
        return DeviceMemory.allocate(this, entry, allocator, ordinal, lengthBytes);
    }

    /**
     * Names memory that another library allocated, such as a tensor. The caller keeps it allocated as long as it is copied or
     * registered; where the client can tell, a free revokes the registrations.
     *
     * @param client by name, or {@link #AUTO}
     * @param ordinal of its device, or {@link DeviceRange#ANY}
     * @param address as the device's library reports it
     * @throws UrmaException EINVAL if the client does not own the whole range, or refuses that kind of memory
     */
    public DeviceMemory wrap(String client, int ordinal, long address, long lengthBytes) {
        checkOpen();
        DeviceRange range = new DeviceRange(ordinal, address, lengthBytes);
        if (client.equals(AUTO)) {
            return DeviceMemory.wrap(this, registry.identify(null, range), range);
        }
        ClientEntry entry = find(client);
        if (ordinal != DeviceRange.ANY) {
            checkOrdinal(entry, ordinal);
        }
        return DeviceMemory.wrap(this, registry.identify(client, range), range);
    }

    /**
     * Watches an event of the device's own library, which the caller has recorded behind the work to wait for. The caller keeps the event,
     * and does not record it again, until the result {@linkplain DeviceEvent#isDone is done}.
     *
     * @param client by name
     * @param ordinal of its device
     * @param event as the library names it, such as a {@code CUevent}
     * @throws UrmaException EINVAL for an unknown client or device, a client without events, or what is no event of that device
     */
    public DeviceEvent event(String client, int ordinal, long event) {
        ClientEntry entry = find(client);
        checkOrdinal(entry, ordinal);
        return DeviceEvent.of(entry, ordinal, event);
    }

    private ClientEntry find(String client) {
        checkOpen();
        try {
            return registry.find(client);
        } catch (UrmaException e) {
            RuntimeException reason = absent.get(client);
            if (reason == null) {
                throw e;
            }
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "client " + client + " does not work here: " + reason.getMessage(),
                    reason);
        }
    }

    private static void checkOrdinal(ClientEntry entry, int ordinal) {
        List<PeerDevice> devices = entry.client().devices();
        if (devices.stream().noneMatch(device -> device.ordinal() == ordinal)) {
            throw Checks.invalid(
                    entry,
                    "has no device " + ordinal + "; it has "
                            + devices.stream().map(PeerDevice::ordinal).toList());
        }
    }

    private void checkOpen() {
        if (closed) {
            throw Checks.closed(this);
        }
    }

    /**
     * Revokes what is registered, and ends the clients. Idempotent. After 5 seconds it logs what has not ended, such as a copy that
     * hangs; that ends later, with its registration. An interrupt does not shorten the wait; the flag stays set.
     */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /** With another timeout. */
    void close(Duration timeout) {
        List<PeerClientRegistration> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(registrations);
        }
        long deadline = Nanos.deadlineAfter(timeout);
        Map<PeerClientRegistration, CompletableFuture<Void>> ends = new LinkedHashMap<>();
        all.forEach(registration -> ends.put(registration, begin(registration)));
        ends.forEach((registration, end) -> {
            if (!Await.endsWithin(deadline - System.nanoTime(), end)) {
                LOG.log(Level.WARNING, "{0} stays open: {1} still hold it", registration, registration.holders());
            }
        });
    }

    /** Begins the end of a client; the others end, too, if it cannot begin. */
    private static CompletableFuture<Void> begin(PeerClientRegistration registration) {
        try {
            return registration.beginUnregisterByForce();
        } catch (RuntimeException | Error e) { // such as a lack of threads
            LOG.log(Level.WARNING, "{0}: not all of its registrations can be revoked: {1}", registration, e);
            return registration.unregister();
        }
    }

    @Override
    public String toString() {
        return "peer memory";
    }
}
