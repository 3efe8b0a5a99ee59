package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.InvalidationReason;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The memory of a device: what this library has allocated, and what is registered. Safe for any thread. */
final class CudaMemory {
    /** The driver maps device memory in blocks of this size: an own allocation shares none when it is exported. */
    static final long GRANULE_BYTES = 2L << 20;

    private final CudaDevice device;
    private final CudaAllocations allocations; // only the device's calling thread
    private final Set<CudaRegistration> registrations = ConcurrentHashMap.newKeySet(); // with pages

    CudaMemory(CudaDevice device) {
        this.device = device;
        this.allocations = new CudaAllocations(device.driver());
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

    /** Makes the memory of a registration safe for peers, and keeps its invalidator for the loss of the device. */
    void pin(CudaRegistration registration, DeviceRange range) {
        registrations.add(registration); // first: a loss finds it, or the check below finds the loss
        try {
            device.inContext(
                    "cuPointerSetAttribute",
                    () -> {
                        long bufferId = registration.identity().bufferId();
                        boolean isSame = device.driver()
                                .pointerAttributes(range.address())
                                .filter(now -> now.bufferId() == bufferId)
                                .isPresent();
                        if (!isSame) {
                            throw new UrmaException(
                                    UrmaStatus.EINVAL,
                                    device,
                                    "memory " + range + " was freed while it was registered");
                        }
                        allocations.makeSafe(range.address(), bufferId);
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

    /** On the calling thread: frees the own allocations. */
    void release() {
        allocations.addresses().forEach(address -> device.guard("cuMemFree", () -> allocations.free(address)));
    }
}
