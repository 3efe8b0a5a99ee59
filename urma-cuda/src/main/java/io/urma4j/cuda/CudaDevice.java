package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.cuda.CudaThread.Pace;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.InvalidationReason;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One GPU: its context, its two threads, and what is registered on it. The context is the primary one, which all libraries of
 * the process share; it is retained at the first call that needs one. Safe for any thread.
 */
final class CudaDevice {
    /** The driver maps device memory in blocks of this size: an own allocation shares none when it is exported. */
    static final long GRANULE_BYTES = 2L << 20;

    static final int MAX_IN_FLIGHT = 128;

    private static final System.Logger LOG = System.getLogger(CudaDevice.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(4); // below that of PeerMemory

    private final CudaDriver driver;
    private final int ordinal;
    private final CopySlots slots;
    private final CudaThread calls;
    private final CudaPoller poller;
    private final Set<CudaRegistration> registrations = ConcurrentHashMap.newKeySet(); // with pages
    private final DeviceLoss loss = new DeviceLoss(this);
    private final Set<CudaStream> streams = new HashSet<>(); // guarded by it
    private volatile boolean closed;

    private final CudaAllocations allocations; // only the calling thread
    private volatile long context; // written by the calling thread; 0 before the first call that needs it
    private int flushScope; // only the calling thread; 0 if no flush is needed, or none is possible

    CudaDevice(CudaDriver driver, int ordinal) {
        this.driver = driver;
        this.ordinal = ordinal;
        this.slots = new CopySlots(MAX_IN_FLIGHT);
        this.calls = new CudaThread("urma-cuda-" + ordinal, () -> slots.areTaken() ? Pace.READY : Pace.IDLE);
        this.poller = new CudaPoller(this);
        this.allocations = new CudaAllocations(driver);
    }

    void start() {
        calls.start();
        poller.start();
    }

    CudaDriver driver() {
        return driver;
    }

    int ordinal() {
        return ordinal;
    }

    CudaThread calls() {
        return calls;
    }

    CudaPoller poller() {
        return poller;
    }

    CopySlots slots() {
        return slots;
    }

    long context() {
        return context;
    }

    boolean isClosed() {
        return closed;
    }

    UrmaException closed() {
        return new UrmaException(UrmaStatus.EINVAL, this, "is closed");
    }

    // ---- calls of the driver

    /** On the calling thread: makes the device's context the current one. */
    void enterContext() {
        loss.check();
        if (context != 0) {
            return;
        }
        long retained = driver.retainPrimaryContext(ordinal);
        try {
            driver.setCurrentContext(retained);
            flushScope = isFlushNeeded() ? CudaDriver.FLUSH_TO_OWNER : 0;
        } catch (RuntimeException e) {
            driver.releasePrimaryContext(ordinal);
            throw e;
        }
        context = retained;
    }

    private boolean isFlushNeeded() {
        return (attribute(CudaDriver.ATTRIBUTE_FLUSH_WRITES_OPTIONS) & 1) != 0
                && attribute(CudaDriver.ATTRIBUTE_WRITES_ORDERING) < CudaDriver.FLUSH_TO_OWNER;
    }

    /** 0 for an attribute that an older driver does not know. */
    private int attribute(int attribute) {
        try {
            return driver.attribute(ordinal, attribute);
        } catch (CudaException e) {
            return 0;
        }
    }

    private <T> T inContext(String what, Supplier<T> function, Consumer<T> late) {
        return calls.call(
                what,
                () -> {
                    try {
                        enterContext();
                        return function.get();
                    } catch (RuntimeException e) {
                        throw loss.failed(e);
                    }
                },
                late);
    }

    /** What the driver knows about an address; needs no context, and creates none. */
    Optional<PointerAttributes> attributes(long address) {
        return calls.call(
                "cuPointerGetAttributes",
                () -> {
                    try {
                        return driver.pointerAttributes(address);
                    } catch (CudaException e) {
                        throw loss.failed(e);
                    }
                },
                _ -> {});
    }

    CudaStream openStream() {
        return inContext("cuStreamCreate", this::openStreamHere, this::destroy);
    }

    private CudaStream openStreamHere() {
        synchronized (streams) {
            if (closed) {
                throw closed();
            }
            CudaStream stream = new CudaStream(this, driver.createStream(CudaDriver.STREAM_NON_BLOCKING));
            streams.add(stream);
            return stream;
        }
    }

    /** Gives a quiet stream back to the driver. */
    void remove(CudaStream stream) {
        if (!closed) { // else the device's end does that
            calls.run("cuStreamDestroy", () -> destroy(stream));
        }
    }

    private void destroy(CudaStream stream) {
        boolean isOpen;
        synchronized (streams) {
            isOpen = streams.remove(stream);
        }
        if (isOpen && loss.get() == null) {
            guard("cuStreamDestroy", stream::destroy);
        }
    }

    void registerHost(long address, long lengthBytes) {
        inContext(
                "cuMemHostRegister",
                () -> {
                    driver.registerHost(address, lengthBytes, CudaDriver.HOST_PORTABLE | CudaDriver.HOST_DEVICEMAP);
                    return address;
                },
                driver::unregisterHost);
    }

    void unregisterHost(long address) {
        if (loss.get() == null) { // else the registration has ended with the context
            calls.run("cuMemHostUnregister", () -> driver.unregisterHost(address));
        }
    }

    void flush() {
        inContext(
                "cuFlushGPUDirectRDMAWrites",
                () -> {
                    if (flushScope != 0) {
                        driver.flushWrites(flushScope);
                    }
                    return flushScope;
                },
                _ -> {});
    }

    // ---- memory

    long allocate(long lengthBytes) {
        long limitBytes = Long.MAX_VALUE - GRANULE_BYTES;
        if (lengthBytes < 1 || lengthBytes > limitBytes) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, this, "length is " + lengthBytes + ", must lie in 1…" + limitBytes);
        }
        long roundedBytes = (lengthBytes + GRANULE_BYTES - 1) & -GRANULE_BYTES;
        return inContext("cuMemAlloc", () -> allocateHere(roundedBytes), allocations::free);
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
                    this,
                    "lacks memory for " + lengthBytes + " bytes; " + driver.freeBytes() + " are free",
                    e);
        }
    }

    /** Frees an own allocation, unless it is registered. */
    void free(long address) {
        calls.run("cuMemFree", () -> {
            long bufferId = allocations
                    .find(address)
                    .orElseThrow(() -> new UrmaException(
                            UrmaStatus.EINVAL, this, "no allocation begins at 0x" + Long.toHexString(address)));
            long holders = registrations.stream()
                    .filter(registration -> registration.identity().bufferId() == bufferId)
                    .count();
            if (holders > 0) {
                throw new UrmaException(
                        UrmaStatus.EAGAIN,
                        this,
                        "memory 0x" + Long.toHexString(address) + " cannot be freed, " + holders
                                + " registrations hold it");
            }
            if (loss.get() != null) {
                allocations.forget(address);
                return;
            }
            try {
                allocations.free(address);
            } catch (CudaException e) {
                throw loss.failed(e);
            }
        });
    }

    /** Makes the memory of a registration safe for peers, and keeps its invalidator for the loss of the device. */
    void pin(CudaRegistration registration, DeviceRange range) {
        registrations.add(registration); // first: a loss finds it, or the check below finds the loss
        try {
            inContext(
                    "cuPointerSetAttribute",
                    () -> {
                        long bufferId = registration.identity().bufferId();
                        boolean isSame = driver.pointerAttributes(range.address())
                                .filter(now -> now.bufferId() == bufferId)
                                .isPresent();
                        if (!isSame) {
                            throw new UrmaException(
                                    UrmaStatus.EINVAL, this, "memory " + range + " was freed while it was registered");
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

    DeviceLoss loss() {
        return loss;
    }

    /**
     * Copies end now, and registrations are revoked by a thread of its own: an invalidation waits for copies, which the polling
     * thread must end.
     */
    void lost() {
        Thread.ofPlatform().daemon().name("urma-cuda-" + ordinal + "-lost").start(() -> {
            for (CudaRegistration registration : registrations) {
                registration.invalidate(InvalidationReason.DEVICE_LOST);
            }
        });
        poller.wake();
    }

    // ---- the end

    /** Refuses further copies, and waits for those in progress. Returns whether all have ended. */
    boolean stop() {
        List<CudaStream> open;
        synchronized (streams) {
            closed = true;
            open = List.copyOf(streams);
        }
        open.forEach(CudaStream::stop);
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        for (CudaStream stream : open) {
            if (!stream.isQuietWithin(deadline - System.nanoTime())) {
                LOG.log(Level.WARNING, "{0} stays open: copies have not ended", this);
                return false;
            }
        }
        return true;
    }

    /** After {@link #stop}: frees the own memory, releases the context, and ends the threads. */
    void close() {
        poller.close(CLOSE_TIMEOUT);
        try {
            calls.run("cuDevicePrimaryCtxRelease", this::release);
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0} stays open: {1}", this, e.getMessage());
        }
        calls.close(CLOSE_TIMEOUT);
    }

    /** On the calling thread. */
    private void release() {
        if (context == 0) {
            return;
        }
        if (loss.get() == null) {
            List.copyOf(streams).forEach(this::destroy);
            allocations.addresses().forEach(address -> guard("cuMemFree", () -> allocations.free(address)));
        }
        guard("cuCtxSetCurrent", () -> driver.setCurrentContext(0));
        guard("cuDevicePrimaryCtxRelease", () -> driver.releasePrimaryContext(ordinal));
    }

    private void guard(String what, Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            if (loss.get() == null) {
                LOG.log(Level.WARNING, "{0}: {1} failed, and the rest goes on: {2}", this, what, e.getMessage());
            }
        }
    }

    @Override
    public String toString() {
        return "CUDA device " + ordinal;
    }
}
