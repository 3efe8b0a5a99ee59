package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory of other processes that is mapped for a device: each allocation once, because some drivers refuse to open a handle twice.
 * Only the device's calling thread, except where stated.
 */
final class OpenedHandles {
    private final CudaDriver driver;
    private final int ordinal;
    private final Map<ByteBuffer, Opened> byHandle = new HashMap<>();
    private final Set<Long> bases = ConcurrentHashMap.newKeySet(); // of their allocations

    /** Mapped memory. Its allocation may begin before its address. */
    static final class Opened {
        private final ByteBuffer handle;
        private final long address;
        private final PointerAttributes allocation;
        private int users;

        private Opened(ByteBuffer handle, long address, PointerAttributes allocation) {
            this.handle = handle;
            this.address = address;
            this.allocation = allocation;
        }

        long address() {
            return address;
        }

        long bufferId() {
            return allocation.bufferId();
        }

        private long lengthBytes() {
            return allocation.lengthBytes() - (address - allocation.base());
        }
    }

    OpenedHandles(CudaDriver driver, int ordinal) {
        this.driver = driver;
        this.ordinal = ordinal;
    }

    /** Maps an allocation, or finds it mapped. Each success is followed by one {@link #close}. */
    Opened open(CudaHandle handle) {
        Opened opened = byHandle.get(handle.driverHandle());
        if (opened == null) {
            opened = map(handle);
        } else {
            requireLength(opened, handle);
        }
        opened.users++;
        return opened;
    }

    private Opened map(CudaHandle handle) {
        long address = driver.openIpcHandle(handle.driverBytes(), CudaDriver.IPC_LAZY_ENABLE_PEER_ACCESS);
        try {
            PointerAttributes memory = driver.pointerAttributes(address).orElse(null);
            if (memory == null || memory.ordinal() != ordinal) {
                throw refused(handle, "the driver maps it for another device");
            }
            Opened opened = new Opened(handle.driverHandle(), address, memory);
            requireLength(opened, handle); // the peer may have said more than there is
            byHandle.put(opened.handle, opened);
            bases.add(memory.base());
            return opened;
        } catch (RuntimeException e) {
            driver.closeIpcHandle(address);
            throw e;
        }
    }

    private static void requireLength(Opened opened, CudaHandle handle) {
        if (handle.lengthBytes() > opened.lengthBytes()) {
            throw refused(handle, "it has " + opened.lengthBytes());
        }
    }

    private static UrmaException refused(CudaHandle handle, String why) {
        return new UrmaException(UrmaStatus.EINVAL, CudaClient.NAME, "does not open " + handle + ": " + why);
    }

    /** One user less; the last one unmaps it. */
    void close(Opened opened) {
        if (--opened.users == 0) {
            unmap(opened);
        }
    }

    /** Ends the mapping, however many registrations use it. */
    void unmap(Opened opened) {
        byHandle.remove(opened.handle);
        bases.remove(opened.allocation.base());
        driver.closeIpcHandle(opened.address);
    }

    /** What is mapped now. */
    List<Opened> all() {
        return List.copyOf(byHandle.values());
    }

    /** Whether an allocation is one of another process. Any thread. */
    boolean isOpened(long base) {
        return bases.contains(base);
    }
}
