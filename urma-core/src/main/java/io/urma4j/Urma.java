package io.urma4j;

import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.inspect.Library;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerMemoryRegistry;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import io.urma4j.spi.support.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The opened library: the entry point of the API. Several instances may be open at once; they are independent.
 *
 * <p>Safe for any number of threads. {@link #close} closes all that was opened through it.
 */
public final class Urma implements AutoCloseable {
    static {
        ApiAccess.give(new InternalAccess());
    }

    private static final String USUAL_DEVICE = "shm0";

    private final List<UrmaDevice> devices = new ArrayList<>();
    private final Map<String, RuntimeException> absent = new LinkedHashMap<>();
    private final UrmaOptions options;
    private volatile @Nullable PeerMemory
            peerMemory; // found at its first use: drivers are slow to start; set under this
    private final ClosingOrder children = new ClosingOrder(this);
    private final Lifetime life = new Lifetime(this);

    private Urma(UrmaOptions options) {
        this.options = options;
    }

    /** Opens the library with the settings of the environment. */
    public static Urma open() {
        return open(UrmaOptions.DEFAULT);
    }

    /** Opens the library: finds the providers on class and module path, and asks each for its devices. */
    public static Urma open(UrmaOptions options) {
        Urma urma = new Urma(options);
        for (UrmaProvider provider : ServiceLoader.load(UrmaProvider.class, Urma.class.getClassLoader())) {
            urma.addDevicesOf(provider, options);
        }
        return urma;
    }

    private void addDevicesOf(UrmaProvider provider, UrmaOptions options) {
        try {
            for (ProviderDevice device : provider.devices(options)) {
                devices.add(new UrmaDevice(device, this::children, this::libraryOf));
            }
        } catch (RuntimeException e) {
            absent.put(provider.name(), e); // reported on request of one of its devices
        }
    }

    /** All devices that work here, in the order of their providers. */
    public List<UrmaDevice> devices() {
        life.checkOpen();
        return List.copyOf(devices);
    }

    /** Why the devices of a provider are missing, by provider; empty if all work. */
    public Map<String, RuntimeException> absentProviders() {
        return Map.copyOf(absent);
    }

    /**
     * The default device, so that a program runs on any provider unchanged: the one that the environment variable {@code
     * URMA_DEVICE} names; without it {@code shm0}, or else the first of {@link #devices}.
     *
     * @throws UrmaException EINVAL if it does not exist, with the reason
     */
    public UrmaDevice device() {
        String named = System.getenv(Setting.DEVICE.variable());
        if (named != null && !named.isBlank()) {
            return device(named.strip());
        }
        life.checkOpen();
        boolean hasUsual = devices.stream().anyMatch(device -> device.name().equals(USUAL_DEVICE));
        return hasUsual || devices.isEmpty() ? device(USUAL_DEVICE) : devices.getFirst();
    }

    /**
     * The device with this name.
     *
     * @throws UrmaException EINVAL, listing the existing devices, with the reason if its provider does not work here
     */
    public UrmaDevice device(String name) {
        return device(device -> device.name().equals(name), "named '" + name + "'");
    }

    /** The device with this endpoint; EINVAL if there is none. */
    public UrmaDevice device(Eid eid) {
        return device(device -> device.eids().contains(eid), "with EID " + eid);
    }

    private UrmaDevice device(Predicate<UrmaDevice> isWanted, String wanted) {
        life.checkOpen();
        return devices.stream().filter(isWanted).findFirst().orElseThrow(() -> noSuchDevice(wanted));
    }

    private UrmaException noSuchDevice(String wanted) {
        if (devices.isEmpty() && absent.isEmpty()) {
            return Checks.invalid(
                    this,
                    "no device " + wanted + ": no provider is on the class path or module path;"
                            + " io.urma4j:urma4j brings urma-shm and urma-udma");
        }
        String names = devices.stream().map(UrmaDevice::name).collect(Collectors.joining(", "));
        String reasons = absent.entrySet().stream()
                .map(entry -> "; provider " + entry.getKey() + " does not work here: "
                        + entry.getValue().getMessage())
                .collect(Collectors.joining());
        UrmaException failure = Checks.invalid(
                this,
                "no device " + wanted + "; there are: " + (names.isEmpty() ? "none" : names) + reasons
                        + " (see 'urma doctor')");
        absent.values().forEach(failure::addSuppressed);
        return failure;
    }

    /** The memory of GPUs and NPUs that works here. The first call finds its clients, and starts their drivers. */
    public synchronized PeerMemory peerMemory() {
        life.checkOpen();
        PeerMemory opened = peerMemory;
        if (opened == null) {
            opened = PeerMemory.open(options);
            peerMemory = opened;
        }
        return opened;
    }

    private synchronized void closePeerMemory() {
        PeerMemory opened = peerMemory;
        if (opened != null) {
            opened.close();
        }
    }

    /**
     * What other processes see of device memory, once the program uses it. The first context alone tells it, so that they see it
     * once. Waits for no client.
     */
    private List<Resource> peerResources(UrmaContext context, Resource.Kind kind) {
        PeerMemory opened = peerMemory;
        boolean isFirst =
                children.snapshot().stream().findFirst().filter(context::equals).isPresent();
        return opened == null || !isFirst ? List.of() : opened.registry().resources(kind);
    }

    private Library libraryOf(UrmaContext context) {
        return new Library() {
            @Override
            public List<Resource> resources(Resource.Kind kind) {
                return peerResources(context, kind);
            }

            @Override
            public Optional<PeerMemoryRegistry> peerMemory() {
                return Optional.ofNullable(Urma.this.peerMemory).map(PeerMemory::registry);
            }
        };
    }

    ClosingOrder children() {
        life.checkOpen();
        return children;
    }

    /** Closes every context, then the devices. Idempotent; waits for each context at most its close timeout. */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        ClosingOrder all = new ClosingOrder(this);
        devices.forEach(device -> all.add(device::shutDown, 1));
        all.add(() -> ClosingOrder.throwIfFailed(children.closeAll()), 0);
        all.add(this::closePeerMemory, 2);
        ClosingOrder.throwIfFailed(all.closeAll());
    }

    /** Closes only if no context is open; otherwise EAGAIN, naming the open contexts (S4.1). */
    public void closeIfUnused() {
        if (!life.isClosed()) {
            children.endIfEmpty();
        }
        close();
    }

    @Override
    public String toString() {
        return "Urma";
    }
}
