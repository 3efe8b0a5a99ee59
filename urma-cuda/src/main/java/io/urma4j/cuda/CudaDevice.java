package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One GPU: its context, its two threads, and what is registered on it. The context is the primary one, which all libraries of
 * the process share; it is retained at the first call that needs one. Safe for any thread.
 */
final class CudaDevice {
    static final int MAX_IN_FLIGHT = 128;

    private static final System.Logger LOG = System.getLogger(CudaDevice.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(4); // below that of PeerMemory

    private final CudaDriver driver;
    private final int ordinal;
    private final CopySlots slots;
    private final LoneCopy loneCopy; // only the calling thread
    private final CudaThread calls;
    private final CudaPoller poller;
    private final DeviceLoss loss = new DeviceLoss(this);
    private final CudaMemory memory;
    private final CudaEngine engine;
    private final HostPins pins;
    private final Set<CudaStream> streams = new HashSet<>(); // guarded by it
    private volatile boolean closed;
    private volatile boolean hasHungCopies;

    private volatile long context; // written by the calling thread; 0 before the first call that needs it
    private int flushScope; // only the calling thread; 0 if no flush is needed, or none is possible

    CudaDevice(CudaDriver driver, int ordinal, HostPins pins) {
        this.driver = driver;
        this.ordinal = ordinal;
        this.slots = new CopySlots(MAX_IN_FLIGHT);
        this.loneCopy = new LoneCopy(this);
        this.calls = new CudaThread("urma-cuda-" + ordinal, loneCopy);
        this.poller = new CudaPoller(this);
        this.memory = new CudaMemory(this);
        this.engine = new CudaEngine(this, pins);
        this.pins = pins;
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

    LoneCopy loneCopy() {
        return loneCopy;
    }

    CudaPoller poller() {
        return poller;
    }

    CopySlots slots() {
        return slots;
    }

    CudaMemory memory() {
        return memory;
    }

    CudaEngine engine() {
        return engine;
    }

    DeviceLoss loss() {
        return loss;
    }

    long context() {
        return context;
    }

    /** Whether its end has given up waiting for copies. The host memory that they use stays pinned. */
    boolean hasHungCopies() {
        return hasHungCopies;
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
            guard("cuDevicePrimaryCtxRelease", () -> driver.releasePrimaryContext(ordinal));
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

    /** Calls a function on the calling thread, in the device's context. A sticky error loses the device. */
    <T> T inContext(String what, Supplier<T> function, Consumer<T> late) {
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

    /**
     * The device is lost. Copies end now, and registrations are revoked by a thread of its own: an invalidation waits for copies, which the polling
     * thread must end.
     */
    void lost() {
        Thread.ofPlatform().daemon().name("urma-cuda-" + ordinal + "-lost").start(memory::lost);
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
                pins.keepAll();
                hasHungCopies = true;
                poller.refuse();
                LOG.log(Level.WARNING, "{0} stays open: copies have not ended", this);
                return false;
            }
        }
        return true;
    }

    /** After {@link #stop}: frees the own memory, releases the context, and ends the threads. */
    void close() {
        if (!poller.close(CLOSE_TIMEOUT)) {
            LOG.log(Level.WARNING, "{0} stays open: its driver has not returned", this);
            return; // the events are in use
        }
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
            memory.release();
        }
        guard("cuCtxSetCurrent", () -> driver.setCurrentContext(0));
        if (!pins.keepsAll()) { // else what is pinned ends with the context
            guard("cuDevicePrimaryCtxRelease", () -> driver.releasePrimaryContext(ordinal));
        }
    }

    /** Goes on after a failure. */
    void guard(String what, Runnable action) {
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
