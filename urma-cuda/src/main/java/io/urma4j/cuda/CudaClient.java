package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.ClientStyle;
import io.urma4j.peer.ClientVersion;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.Ownership;
import io.urma4j.peer.PeerAllocator;
import io.urma4j.peer.PeerDevice;
import io.urma4j.peer.PeerMemoryClient;
import io.urma4j.peer.PeerSharing;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The client of NVIDIA GPUs. The driver reports no free to a process, so the style is {@link ClientStyle#PERSISTENT}: memory
 * that is allocated here cannot be freed while it is registered. The client calls back only when a device is lost. Safe for any
 * thread.
 */
public final class CudaClient implements PeerMemoryClient, PeerAllocator {
    /** The name of the client. */
    public static final String NAME = "cuda";

    private final CudaDriver driver;
    private final List<PeerDevice> devices;
    private final HostPins pins = new HostPins();
    private final PeerSharing sharing = new CudaSharing(this);
    private final @Nullable CudaDevice[] started; // both guarded by this; threads begin with the first use of a device
    private boolean closed;

    /** A client of all devices that the driver has. */
    public CudaClient(CudaDriver driver) {
        this.driver = driver;
        this.devices = IntStream.range(0, driver.deviceCount())
                .mapToObj(driver::device)
                .map(device -> new PeerDevice(
                        device.ordinal(), device.name(), device.uuid(), device.pciAddress(), device.lengthBytes()))
                .toList();
        this.started = new CudaDevice[devices.size()];
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ClientVersion version() {
        return new ClientVersion(1, 0);
    }

    @Override
    public ClientStyle style() {
        return ClientStyle.PERSISTENT;
    }

    @Override
    public List<PeerDevice> devices() {
        return devices;
    }

    synchronized CudaDevice device(int ordinal) {
        if (ordinal < 0 || ordinal >= started.length) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, NAME, "ordinal is " + ordinal + ", must lie in 0…" + (started.length - 1));
        }
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, NAME, "is closed");
        }
        CudaDevice device = started[ordinal];
        if (device == null) {
            device = new CudaDevice(driver, ordinal, pins);
            device.start();
            started[ordinal] = device;
        }
        return device;
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        if (devices.isEmpty() || range.ordinal() >= devices.size()) {
            return Ownership.NOT_MINE;
        }
        Optional<PointerAttributes> found;
        try {
            found = device(Math.max(0, range.ordinal())).attributes(range.address());
        } catch (CudaException e) {
            return switch (e.code()) {
                case CudaCode.NOT_INITIALIZED, CudaCode.DEINITIALIZED, CudaCode.INVALID_CONTEXT -> Ownership.NOT_MINE;
                default -> throw e;
            };
        }
        return found.isEmpty() ? Ownership.NOT_MINE : acquire(range, found.get());
    }

    private Ownership acquire(DeviceRange range, PointerAttributes memory) {
        String refusal = refusal(range, memory);
        if (!refusal.isEmpty()) {
            return new Ownership.Refused(refusal);
        }
        CudaDevice device = device(memory.ordinal());
        UrmaException loss = device.loss().get();
        if (loss != null) {
            return new Ownership.Refused(device + " " + loss.reason());
        }
        DeviceRange there = new DeviceRange(memory.ordinal(), range.address(), range.lengthBytes());
        return new Ownership.Mine(new CudaRegistration(device, there, memory.bufferId()));
    }

    /** Why memory that the driver knows cannot be registered; empty if it can. */
    private String refusal(DeviceRange range, PointerAttributes memory) {
        if (memory.managed()) {
            return "it is managed memory, whose pages move between host and device";
        }
        if (memory.memoryType() == PointerAttributes.HOST) {
            return "it is pinned memory of the host; register it as a MemorySegment";
        }
        if (memory.memoryType() != PointerAttributes.DEVICE) {
            return "it is no linear memory of a device (CUmemorytype " + memory.memoryType() + ")";
        }
        if (memory.context() == 0) {
            return "it belongs to no context: it is of a stream-ordered pool, or mapped by the virtual memory API";
        }
        if (memory.ordinal() < 0 || memory.ordinal() >= devices.size()) {
            return "its device " + memory.ordinal() + " is none of " + devices.size();
        }
        if (range.ordinal() != DeviceRange.ANY && range.ordinal() != memory.ordinal()) {
            return "it lies on device " + memory.ordinal() + ", not on " + range.ordinal();
        }
        if (device(memory.ordinal()).memory().isOpened(memory.base())) {
            return "it is memory of another process";
        }
        DeviceRange allocation = new DeviceRange(memory.ordinal(), memory.base(), memory.lengthBytes());
        return allocation.contains(range) ? "" : "it exceeds its allocation " + allocation;
    }

    @Override
    public DmaEngine engine(int ordinal) {
        return device(ordinal).engine();
    }

    @Override
    public Optional<PeerAllocator> allocator() {
        return Optional.of(this);
    }

    @Override
    public Optional<PeerSharing> sharing() {
        return Optional.of(sharing);
    }

    /** As {@code nvidia-smi -L} prints it. */
    String uuid(int ordinal) {
        return devices.get(ordinal).uuid();
    }

    /** The device of a UUID. */
    int ordinal(String uuid) {
        return devices.stream()
                .filter(device -> device.uuid().equals(uuid))
                .map(PeerDevice::ordinal)
                .findFirst()
                .orElseThrow(() -> new UrmaException(
                        UrmaStatus.EINVAL, NAME, "device " + uuid + " is none of the " + devices.size() + " here"));
    }

    @Override
    public long granularityBytes() {
        return CudaMemory.GRANULE_BYTES;
    }

    @Override
    public long allocate(int ordinal, long lengthBytes) {
        return device(ordinal).memory().allocate(lengthBytes);
    }

    /** Frees an own allocation; EAGAIN while a registration has its pages. Waits for all copies of the device. */
    @Override
    public void free(int ordinal, long address) {
        device(ordinal).memory().free(address);
    }

    /** Registrations with pages on a device; 0 once nothing is registered. */
    int pinned(int ordinal) {
        return device(ordinal).memory().pinned();
    }

    /** Waits for the copies in progress, then gives everything back to the driver; keeps all if some do not end. */
    @Override
    public void close() {
        List<CudaDevice> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = Arrays.stream(started).filter(Objects::nonNull).toList();
        }
        List<CudaDevice> quiet = all.stream().filter(CudaDevice::stop).toList();
        if (!pins.keepsAll()) {
            pins.close();
        }
        quiet.forEach(CudaDevice::close);
    }

    @Override
    public String toString() {
        return devices.size() + " CUDA devices";
    }
}
