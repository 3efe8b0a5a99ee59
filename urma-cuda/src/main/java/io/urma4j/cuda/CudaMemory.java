package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.InvalidationReason;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The memory of a device: what this library has allocated, and what is registered. Safe for any thread. */
final class CudaMemory {
    /** The driver maps device memory in blocks of this size: an own allocation shares none when it is exported. */
    static final long GRANULE_BYTES = 2L << 20;

    private final CudaDevice device;
    private final CudaAllocations allocations; // only the device's calling thread
    private final OpenedHandles opened;
    private final Set<CudaRegistration> registrations = ConcurrentHashMap.newKeySet(); // with pages

    CudaMemory(CudaDevice device) {
        this.device = device;
        this.allocations = new CudaAllocations(device.driver());
        this.opened = new OpenedHandles(device.driver(), device.ordinal());
    }

    long allocate(long lengthBytes) {
        long limitBytes = Long.MAX_VALUE - GRANULE_BYTES;
        if (lengthBytes < 1 || lengthBytes > limitBytes) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, device, "length is " + lengthBytes + ", must lie in 1…" + limitBytes);
        }
        long roundedBytes = (lengthBytes + GRANULE_BYTES - 1) & -GRANULE_BYTES;
        return device.inContext("cuMemAlloc", () -> allocateHere(roundedBytes), allocations::free);
    }

    private long allocateHere(long lengthBytes) {
        try {
            return allocations.allocate(lengthBytes);
        } catch (CudaException e) {
            if (e.code() != CudaCode.OUT_OF_MEMORY) {
                throw e;
            }
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    device,
                    "lacks memory for " + lengthBytes + " bytes; "
                            + device.driver().freeBytes() + " are free",
                    e);
        }
    }

    /** Frees an own allocation, unless it is registered. */
    void free(long address) {
        device.calls().run("cuMemFree", () -> {
            long bufferId = allocations
                    .find(address)
                    .orElseThrow(() -> new UrmaException(
                            UrmaStatus.EINVAL, device, "no allocation begins at 0x" + Long.toHexString(address)));
            long holders = registrations.stream()
                    .filter(registration -> registration.identity().bufferId() == bufferId)
                    .count();
            if (holders > 0) {
                throw new UrmaException(
                        UrmaStatus.EAGAIN,
                        device,
                        "memory 0x" + Long.toHexString(address) + " cannot be freed, " + holders
                                + " registrations hold it");
            }
            if (device.loss().get() != null) {
                allocations.forget(address);
                return;
            }
            try {
                allocations.free(address);
            } catch (CudaException e) {
                throw device.loss().failed(e);
            }
        });
    }

    /** Makes a handle of an own allocation, and notes the allocation under the number of the share. */
    CudaHandle share(long address, String deviceUuid, Map<UUID, CudaSharing.Own> shares) {
        return device.inContext(
                "cuIpcGetMemHandle",
                () -> {
                    long bufferId = allocations
                            .find(address)
                            .orElseThrow(() -> new UrmaException(
                                    UrmaStatus.EINVAL,
                                    device,
                                    "no allocation that can be shared begins at 0x" + Long.toHexString(address)));
                    long lengthBytes = device.driver().addressRange(address).lengthBytes();
                    byte[] driverHandle = device.driver().ipcHandle(address);
                    CudaHandle handle = new CudaHandle(UUID.randomUUID(), deviceUuid, lengthBytes, driverHandle);
                    DeviceRange range = new DeviceRange(device.ordinal(), address, lengthBytes);
                    shares.put(handle.share(), new CudaSharing.Own(range, bufferId));
                    return handle;
                },
                late -> shares.remove(late.share()));
    }

    /** Maps memory of another process; the registration unmaps it at its end. */
    CudaRegistration open(CudaHandle handle, long lengthBytes) {
        OpenedHandles.Opened mapped = device.inContext("cuIpcOpenMemHandle", () -> opened.open(handle), opened::close);
        DeviceRange range = new DeviceRange(device.ordinal(), mapped.address(), lengthBytes);
        return new CudaRegistration(device, range, mapped.bufferId(), () -> close(mapped));
    }

    private void close(OpenedHandles.Opened mapped) {
        device.calls()
                .run("cuIpcCloseMemHandle", () -> device.guard("cuIpcCloseMemHandle", () -> opened.close(mapped)));
    }

    /** Whether the allocation that begins at an address is one of another process. */
    boolean isOpened(long base) {
        return opened.isOpened(base);
    }

    /** Makes the memory of a registration safe for peers, and keeps its invalidator for the loss of the device. */
    void pin(CudaRegistration registration, DeviceRange range) {
        registrations.add(registration); // first: a loss finds it, or the check below finds the loss
        try {
            device.inContext(
                    "cuPointerSetAttribute",
                    () -> {
                        long bufferId = registration.identity().bufferId();
                        PointerAttributes memory = device.driver()
                                .pointerAttributes(range.address())
                                .filter(now -> now.bufferId() == bufferId)
                                .orElseThrow(() -> new UrmaException(
                                        UrmaStatus.EINVAL,
                                        device,
                                        "memory " + range + " was freed while it was registered"));
                        if (!opened.isOpened(memory.base())) { // else its own process has done so
                            allocations.makeSafe(range.address(), bufferId);
                        }
                        return bufferId;
                    },
                    _ -> {});
        } catch (RuntimeException e) {
            registrations.remove(registration);
            throw e;
        }
    }

    /** Asks the driver nothing: the memory may have been freed. */
    void unpin(CudaRegistration registration) {
        registrations.remove(registration);
    }

    int pinned() {
        return registrations.size();
    }

    /** Revokes the registrations: all memory has gone. */
    void lost() {
        for (CudaRegistration registration : registrations) {
            registration.invalidate(InvalidationReason.DEVICE_LOST);
        }
    }

    /** On the calling thread: unmaps memory of other processes, and frees the own allocations. */
    void release() {
        opened.all().forEach(mapped -> device.guard("cuIpcCloseMemHandle", () -> opened.unmap(mapped)));
        allocations.addresses().forEach(address -> device.guard("cuMemFree", () -> allocations.free(address)));
    }
}
