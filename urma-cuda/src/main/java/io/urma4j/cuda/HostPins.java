package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DmaEngine.Pinning;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Host memory that the driver has pinned: each range once, for all devices. A range that another library has pinned stays
 * pinned when its last user here has gone. Safe for any thread.
 */
final class HostPins {
    private static final System.Logger LOG = System.getLogger(HostPins.class.getName());

    private final ConcurrentMap<Range, Pin> pins = new ConcurrentHashMap<>();
    private final AtomicBoolean hasRefused = new AtomicBoolean();
    private volatile boolean keepsAll;

    private record Range(long address, long lengthBytes) {}

    /** A range with users. The driver is called under its lock alone: it may take long. */
    private static final class Pin {
        final CudaDevice device; // by whose context it is pinned
        boolean isOurs; // all guarded by this
        int users;
        boolean isUnpinned; // for good; the next user needs another

        Pin(CudaDevice device) {
            this.device = device;
        }
    }

    /** Pins memory by the context of {@code device}; does nothing, and says so once, where the driver refuses. */
    Pinning pin(CudaDevice device, MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, device, "only native memory can be pinned, and at least a byte of it");
        }
        Range range = new Range(memory.address(), memory.byteSize());
        while (true) {
            Pin pin = pins.computeIfAbsent(range, _ -> new Pin(device));
            synchronized (pin) {
                if (!pin.isUnpinned) {
                    return use(range, pin);
                }
            }
        }
    }

    /** Under the lock of the pin. A failure leaves nothing behind. */
    private Use use(Range range, Pin pin) {
        if (pin.users == 0) {
            try {
                pin.isOurs = tryRegister(pin.device, range);
            } catch (RuntimeException | Error e) {
                pin.isUnpinned = true;
                pins.remove(range, pin);
                throw e;
            }
        }
        pin.users++;
        return new Use(range, pin);
    }

    /** One user of a range. */
    private final class Use implements Pinning {
        private final AtomicBoolean closed = new AtomicBoolean();
        private final Range range;
        private final Pin pin;
        private final boolean isDirect;

        Use(Range range, Pin pin) {
            this.range = range;
            this.pin = pin;
            this.isDirect = pin.isOurs;
        }

        /** Memory that another library has pinned may be other memory by now: the driver goes by addresses. */
        @Override
        public boolean isDirect() {
            return isDirect;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                unpin(range, pin);
            }
        }
    }

    /** Returns whether the registration is ours to end. */
    private boolean tryRegister(CudaDevice device, Range range) {
        try {
            device.registerHost(range.address, range.lengthBytes);
            return true;
        } catch (CudaException e) {
            if (e.code() != CudaCode.HOST_MEMORY_ALREADY_REGISTERED && !hasRefused.getAndSet(true)) {
                LOG.log(
                        Level.WARNING,
                        "{0} does not pin host memory, and copies of it are slower: {1}",
                        device,
                        e.reason());
            }
            return false;
        }
    }

    private void unpin(Range range, Pin pin) {
        synchronized (pin) {
            if (--pin.users == 0) {
                end(range, pin);
            }
        }
    }

    /** Under the lock of the pin. */
    private void end(Range range, Pin pin) {
        if (pin.isUnpinned) {
            return;
        }
        pin.isUnpinned = true;
        try {
            if (pin.isOurs && !keepsAll) {
                unregister(range, pin);
            }
        } finally {
            pins.remove(range, pin); // last, so that no other is pinned before
        }
    }

    private static void unregister(Range range, Pin pin) {
        try {
            pin.device.unregisterHost(range.address);
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0}: host memory stays pinned: {1}", pin.device, e.reason());
        }
    }

    /** A copy hangs, of any device: what is pinned stays so for good, since the copy may still move bytes. */
    void keepAll() {
        keepsAll = true;
    }

    boolean keepsAll() {
        return keepsAll;
    }

    /** Ends what is left; a pinning that is closed later does nothing. */
    void close() {
        pins.forEach((range, pin) -> {
            synchronized (pin) {
                end(range, pin);
            }
        });
    }
}
