package io.urma4j.peer;

import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the owner of device memory, pins and maps it, and revokes it when its owner frees it. Safe for any thread.
 *
 * <p>Lock order: a client's own locks, then the lock of one region. No lock is held while a client or an application is
 * called, except that acquisitions of one client wait for each other.
 */
public final class PeerMemoryRegistry {
    /** How long calls of a client may take, before their caller gives up. */
    public static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

    /** The lowest version of a client that this registry accepts. */
    public static final ClientVersion MINIMUM = new ClientVersion(1, 0);

    /** Limit of registrations at the same time. */
    public static final int MAX_REGIONS = 65_536;

    private static final String NAME = "peer memory registry";
    private static final int MAX_NAME_BYTES = 63;

    private final List<ClientEntry> clients = new CopyOnWriteArrayList<>(); // added under this
    private final Tickets tickets;
    private final Duration callTimeout;
    private final Set<Thread> invalidating = ConcurrentHashMap.newKeySet();
    private final List<BooleanSupplier> evictors = new CopyOnWriteArrayList<>();

    public PeerMemoryRegistry() {
        this(MAX_REGIONS, ThreadLocalRandom.current().nextInt(), CALL_TIMEOUT);
    }

    PeerMemoryRegistry(int maxRegions, int firstTicket, Duration callTimeout) {
        this.tickets = new Tickets(maxRegions, firstTicket);
        this.callTimeout = callTimeout;
    }

    /**
     * Adds a client. It is asked after those that were added before.
     *
     * @throws UrmaException EINVAL for a wrong name or version, EEXIST if the name is taken
     */
    public synchronized PeerClientRegistration register(PeerMemoryClient client) {
        String name = Checks.notNull(NAME, "name of the client", client.name());
        if (name.isEmpty() || name.length() > MAX_NAME_BYTES || !name.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw Checks.invalid(
                    NAME, "client name '" + name + "' must have 1…" + MAX_NAME_BYTES + " printable ASCII characters");
        }
        Checks.notNull(NAME, "style of client " + name, client.style());
        if (!client.version().isCompatibleWith(MINIMUM)) {
            throw Checks.invalid(
                    NAME,
                    "client " + name + " has version " + client.version() + "; this accepts " + MINIMUM.major()
                            + ".x from " + MINIMUM + " on");
        }
        if (clients.stream().anyMatch(other -> other.name().equals(name))) {
            throw new UrmaException(UrmaStatus.EEXIST, NAME, "client name " + name + " is taken");
        }
        ClientEntry entry = new ClientEntry(client, tickets, callTimeout, invalidating);
        clients.add(entry);
        return new PeerClientRegistration(this, entry);
    }

    /** No further registration asks the client. */
    void remove(ClientEntry entry) {
        clients.remove(entry);
    }

    /**
     * Asks the clients for the owner of a range, and pins and maps it. The region admits no copies before {@link
     * PeerRegion#activate}.
     *
     * @throws IllegalStateException within an invalidation
     * @throws UrmaException EINVAL if no client owns the whole range, or its owner refuses it; ENOMEM if a window of the device
     *     is exhausted and nothing could be evicted, or there are too many registrations; ETIMEOUT if a client does not
     *     answer; the client's status if it failed
     */
    public PeerRegion pin(PinRequest request) {
        if (invalidating.contains(Thread.currentThread())) {
            throw new IllegalStateException("memory " + request.range() + " cannot be pinned within an invalidation");
        }
        List<String> asked = new ArrayList<>();
        for (ClientEntry entry : candidates(request.client())) {
            if (entry.style().invalidates() && !request.revocable()) {
                asked.add(entry.name() + " (passed over: its memory can vanish, and these keys cannot be revoked)");
                continue;
            }
            PeerRegion region = pinOrEvict(entry, request);
            if (region != null) {
                return region;
            }
            asked.add(entry.name());
        }
        throw noOwner(request.range(), asked);
    }

    /** The clients that open memory of other processes, by name. */
    public List<String> openers() {
        return clients.stream()
                .filter(entry -> entry.guarded().isSharing())
                .map(ClientEntry::name)
                .toList();
    }

    /**
     * Opens memory that another process of this host shares, and pins its first {@code lengthBytes}. The region admits no copies
     * before {@link PeerRegion#activate}; its close ends what was opened.
     *
     * @param client by name
     * @param handle as the other process passed it; its bytes may be anything
     * @throws IllegalStateException within an invalidation
     * @throws UrmaException EINVAL for an unknown client, or one that opens no such memory; else as {@link PeerSharing#open} and
     *     {@link #pin}
     */
    public PeerRegion open(String client, byte[] handle, long lengthBytes) {
        if (invalidating.contains(Thread.currentThread())) {
            throw new IllegalStateException("memory of a peer cannot be opened within an invalidation");
        }
        return find(client).open(handle, lengthBytes);
    }

    /** Finds the allocation that a range lies in, and pins nothing; fails like {@link #pin}. */
    ClientEntry.Owner identify(@Nullable String client, DeviceRange range) {
        List<String> asked = new ArrayList<>();
        for (ClientEntry entry : candidates(client)) {
            DeviceIdentity identity = entry.tryIdentify(range);
            if (identity != null) {
                return new ClientEntry.Owner(entry, identity);
            }
            asked.add(entry.name());
        }
        throw noOwner(range, asked);
    }

    private List<ClientEntry> candidates(@Nullable String client) {
        return client == null ? clients : List.of(find(client));
    }

    private static UrmaException noOwner(DeviceRange range, List<String> asked) {
        return Checks.invalid(
                NAME,
                "no client owns the whole range " + range + "; asked: "
                        + (asked.isEmpty() ? "none, there are no clients" : String.join(", ", asked)));
    }

    /** The client with this name; EINVAL, listing the others, if there is none. */
    ClientEntry find(String name) {
        for (ClientEntry entry : clients) {
            if (entry.name().equals(name)) {
                return entry;
            }
        }
        List<String> names = clients.stream().map(ClientEntry::name).toList();
        throw Checks.invalid(
                NAME, "no client '" + name + "'; there are: " + (names.isEmpty() ? "none" : String.join(", ", names)));
    }

    private @Nullable PeerRegion pinOrEvict(ClientEntry entry, PinRequest request) {
        try {
            return entry.pin(request);
        } catch (UrmaException e) {
            if (e.status() != UrmaStatus.EAGAIN) {
                throw e;
            }
            boolean evicted = false;
            for (BooleanSupplier evictor : evictors) {
                evicted |= evictor.getAsBoolean();
            }
            if (!evicted) {
                throw exhausted(e);
            }
        }
        try {
            return entry.pin(request);
        } catch (UrmaException e) {
            throw e.status() == UrmaStatus.EAGAIN ? exhausted(e) : e;
        }
    }

    private static UrmaException exhausted(UrmaException e) {
        return new UrmaException(
                UrmaStatus.ENOMEM, e.object(), e.reason() + "; no cached registration could be evicted", e);
    }

    /**
     * Asks {@code evictor} for a window of a device that is exhausted: it ends cached registrations that are not in use, and
     * returns whether there were any.
     */
    public void onExhaustion(BooleanSupplier evictor) {
        evictors.add(evictor);
    }

    /** What each client has counted, by name, in the order of their registration. */
    public Map<String, PeerCounters> counters() {
        Map<String, PeerCounters> all = new LinkedHashMap<>();
        clients.forEach(entry -> all.put(entry.name(), entry.stats().read()));
        return all;
    }

    /** What processes see that look into this one: {@link Resource.Kind#PEER_CLIENT} and the like. Returns at once. */
    public List<Resource> resources(Resource.Kind kind) {
        return PeerInspection.resources(kind, clients);
    }

    List<ClientEntry> clients() {
        return List.copyOf(clients);
    }
}
