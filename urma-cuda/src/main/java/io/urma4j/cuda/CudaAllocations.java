package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The allocations of a device: those of this library, and which are safe for peers. Only the device's calling thread. */
final class CudaAllocations {
    /** Beyond it the oldest is set once more when it is registered again, which does no harm. */
    private static final int MAX_SAFE = 65_536;

    private final CudaDriver driver;
    private final Map<Long, Long> own = new HashMap<>(); // buffer ids by address
    private final Set<Long> safe = new LinkedHashSet<>(); // buffer ids with synchronous operations

    CudaAllocations(CudaDriver driver) {
        this.driver = driver;
    }

    long allocate(long lengthBytes) {
        long address = driver.allocate(lengthBytes);
        try {
            long bufferId = driver.pointerAttributes(address)
                    .map(PointerAttributes::bufferId)
                    .orElseThrow(() -> new UrmaException(
                            UrmaStatus.FAIL,
                            "CUDA driver",
                            "does not know the memory 0x" + Long.toHexString(address) + " that it allocated"));
            own.put(address, bufferId);
        } catch (RuntimeException e) {
            driver.free(address);
            throw e;
        }
        return address;
    }

    /** The buffer id of an own allocation. */
    Optional<Long> find(long address) {
        return Optional.ofNullable(own.get(address));
    }

    void free(long address) {
        driver.free(address);
        forget(address);
    }

    /** The memory has gone with its context. */
    void forget(long address) {
        Long bufferId = own.remove(address);
        if (bufferId != null) {
            safe.remove(bufferId);
        }
    }

    /**
     * Makes an allocation safe for peers, once: a synchronous copy of the application must have ended when it returns, or a
     * peer could read what was there before.
     */
    void makeSafe(long address, long bufferId) {
        if (!safe.add(bufferId)) {
            return;
        }
        try {
            driver.setSyncMemops(address);
        } catch (RuntimeException e) {
            safe.remove(bufferId);
            throw e;
        }
        if (safe.size() > MAX_SAFE) {
            safe.remove(safe.iterator().next());
        }
    }

    List<Long> addresses() {
        return List.copyOf(own.keySet());
    }
}
