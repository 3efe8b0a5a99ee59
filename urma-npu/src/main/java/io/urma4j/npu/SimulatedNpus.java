package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuFrames.Frame;
import io.urma4j.peer.ClientStyle;
import io.urma4j.peer.ClientVersion;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.Ownership;
import io.urma4j.peer.PeerAllocator;
import io.urma4j.peer.PeerDevice;
import io.urma4j.peer.PeerMemoryClient;
import io.urma4j.peer.PeerSharing;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The client of simulated NPUs, and what a test does to them: free, move, reset, run kernels, access memory as a network card.
 * Safe for any thread.
 */
public final class SimulatedNpus implements PeerMemoryClient, PeerAllocator {
    /** The name of the client. */
    public static final String NAME = "npu";

    private static final int MAX_VIOLATIONS = 1_000;

    private final NpuConfig config;
    private final List<NpuDevice> devices;
    private final List<NpuEngine> engines;
    private final NpuIommu iommu;
    private final CallLog log = new CallLog();
    private final FaultPlan faults = new FaultPlan();
    private final AtomicInteger registrations = new AtomicInteger();
    private final List<String> violations = new ArrayList<>(); // both guarded by it
    private final Optional<PeerSharing> sharing;
    private boolean closed;

    public SimulatedNpus(NpuConfig config) {
        this.config = config;
        this.iommu = new NpuIommu(config.pageBytes());
        this.devices = IntStream.range(0, config.devices())
                .mapToObj(ordinal -> new NpuDevice(ordinal, config))
                .toList();
        this.engines = devices.stream()
                .map(device -> new NpuEngine(device, config, faults))
                .toList();
        this.sharing = config.ipc() ? Optional.of(new NpuSharing(this, devices)) : Optional.empty();
    }

    public NpuConfig config() {
        return config;
    }

    /** What the registry called. */
    public CallLog log() {
        return log;
    }

    /** What is to go wrong. */
    public FaultPlan faults() {
        return faults;
    }

    public NpuIommu iommu() {
        return iommu;
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
        return config.profile().style();
    }

    @Override
    public List<PeerDevice> devices() {
        return IntStream.range(0, devices.size())
                .mapToObj(ordinal -> new PeerDevice(
                        ordinal,
                        "simulated NPU (" + config.profile().text() + ")",
                        "00000000-0000-0000-0000-%012d".formatted(ordinal),
                        "",
                        config.memoryBytes()))
                .toList();
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        int number = registrations.incrementAndGet();
        note("acquire", number);
        for (int ordinal = 0; ordinal < devices.size(); ordinal++) {
            if (range.ordinal() != DeviceRange.ANY && range.ordinal() != ordinal) {
                continue;
            }
            NpuAllocation allocation = devices.get(ordinal).find(range);
            if (allocation != null) {
                if (!allocation.kind.refusal().isEmpty()) {
                    return new Ownership.Refused(allocation.kind.refusal());
                }
                DeviceRange there = new DeviceRange(ordinal, range.address(), range.lengthBytes());
                return new Ownership.Mine(new NpuRegistration(this, devices.get(ordinal), allocation, there, number));
            }
        }
        return Ownership.NOT_MINE;
    }

    @Override
    public DmaEngine engine(int ordinal) {
        return engines.get(checked(ordinal));
    }

    @Override
    public Optional<PeerAllocator> allocator() {
        return Optional.of(this);
    }

    @Override
    public Optional<PeerSharing> sharing() {
        return sharing;
    }

    /** A registration of memory that was opened. */
    NpuRegistration register(NpuDevice device, NpuAllocation opened, DeviceRange range) {
        return new NpuRegistration(this, device, opened, range, registrations.incrementAndGet());
    }

    @Override
    public long granularityBytes() {
        return NpuDevice.GRANULE_BYTES;
    }

    @Override
    public long allocate(int ordinal, long lengthBytes) {
        return allocate(ordinal, lengthBytes, NpuMemoryKind.DEVICE);
    }

    /** Allocates memory of a kind, as other libraries of a device do. */
    public long allocate(int ordinal, long lengthBytes, NpuMemoryKind kind) {
        if (lengthBytes < 1) {
            throw new UrmaException(UrmaStatus.EINVAL, NAME, "length is " + lengthBytes + ", must be at least 1");
        }
        return devices.get(checked(ordinal)).allocate(lengthBytes, kind);
    }

    /** Frees memory, whatever is registered: as a call that no registry can refuse. */
    @Override
    public void free(int ordinal, long address) {
        if (devices.get(checked(ordinal)).free(address, InvalidationReason.FREED)) {
            violation("memory at 0x" + Long.toHexString(address) + " was freed while peers may have it open");
        }
    }

    /** Moves an allocation to other pages, as memory pressure makes a dynamic exporter do. */
    public void move(int ordinal, long address) {
        devices.get(checked(ordinal)).move(address);
    }

    /** Resets a device: all of its memory is gone. Also stands for the death of its owner. */
    public void reset(int ordinal) {
        devices.get(checked(ordinal)).reset(InvalidationReason.DEVICE_RESET);
        engines.get(ordinal).events().failAll(new UrmaException(UrmaStatus.FAIL, NAME, "the device was reset"));
    }

    /** Removes a device for good: copies fail from now on. */
    public void lose(int ordinal) {
        devices.get(checked(ordinal)).reset(InvalidationReason.DEVICE_LOST);
        engines.get(ordinal).events().lose(new UrmaException(UrmaStatus.FAIL, NAME, "the device is lost"));
    }

    /** Stops or resumes the copies of all streams of a device; an abort ends a stopped one. */
    public void stop(int ordinal, boolean stopped) {
        engines.get(checked(ordinal)).stop(stopped);
    }

    /** Reads as a kernel of the device does. */
    public void kernelRead(int ordinal, long address, MemorySegment target) {
        devices.get(checked(ordinal)).kernelRead(address, target);
    }

    /** Stores as a kernel of the device does. */
    public void kernelWrite(int ordinal, long address, MemorySegment source) {
        devices.get(checked(ordinal)).kernelWrite(address, source);
    }

    /** Begins a kernel, which runs until {@link #endEvent} or {@link #failEvent}. Returns the event that is recorded behind it. */
    public long recordEvent(int ordinal) {
        return engines.get(checked(ordinal)).events().record();
    }

    /** Ends the kernel before an event. */
    public void endEvent(int ordinal, long event) {
        engines.get(checked(ordinal)).events().end(event, null);
    }

    /** Ends the kernel before an event by a fault. */
    public void failEvent(int ordinal, long event) {
        UrmaException fault = new UrmaException(UrmaStatus.FAIL, NAME, "a kernel has faulted");
        engines.get(checked(ordinal)).events().end(event, fault);
    }

    /** Stores as a network card does; fails, and stores nothing, where the IOMMU has no mapping. */
    public void busWrite(DmaDevice nic, long busAddress, MemorySegment source) {
        onBus(nic, busAddress, source.byteSize()).copyFrom(source);
    }

    /** Reads as a network card does. */
    public void busRead(DmaDevice nic, long busAddress, MemorySegment target) {
        target.copyFrom(onBus(nic, busAddress, target.byteSize()));
    }

    private MemorySegment onBus(DmaDevice nic, long busAddress, long lengthBytes) {
        Frame frame =
                nic.domain() == DmaDevice.UNTRANSLATED ? frameAt(busAddress) : iommu.find(nic.domain(), busAddress);
        long offset = busAddress & (config.pageBytes() - 1);
        if (frame == null || lengthBytes > config.pageBytes() - offset) {
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    nic.name(),
                    "access to bus address 0x" + Long.toHexString(busAddress) + " + " + lengthBytes + " faulted");
        }
        return frame.bytes().asSlice(offset, lengthBytes);
    }

    private Frame frameAt(long physical) {
        for (NpuDevice device : devices) {
            Frame frame = device.frameAt(physical);
            if (frame != null) {
                return frame;
            }
        }
        throw new UrmaException(UrmaStatus.FAIL, NAME, "no memory at physical address 0x" + Long.toHexString(physical));
    }

    /** Bytes that are pinned on a device; 0 once nothing is registered. */
    public long pinnedBytes(int ordinal) {
        return devices.get(checked(ordinal)).pinnedBytes();
    }

    /** What a driver would not survive, such as a second {@code putPages}; empty in a good test. */
    public List<String> violations() {
        synchronized (violations) {
            return List.copyOf(violations);
        }
    }

    void note(String call, int registration) {
        log.add(call, registration);
        faults.before(call);
    }

    UrmaException violation(String what) {
        synchronized (violations) {
            if (violations.size() < MAX_VIOLATIONS) {
                violations.add(what);
            }
        }
        return new UrmaException(UrmaStatus.EINVAL, NAME, what);
    }

    private int checked(int ordinal) {
        if (ordinal < 0 || ordinal >= devices.size()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, NAME, "ordinal is " + ordinal + ", must lie in 0…" + (devices.size() - 1));
        }
        return ordinal;
    }

    @Override
    public void close() {
        synchronized (violations) {
            if (closed) {
                return;
            }
            closed = true;
        }
        engines.forEach(NpuEngine::close);
        devices.forEach(NpuDevice::close);
    }

    @Override
    public String toString() {
        return config.devices() + " simulated NPUs (" + config.profile().text() + ")";
    }
}
