package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DmaEngine.Pinning;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Host memory that the driver has pinned: each range once, for all devices. A range that another library has pinned stays
 * pinned when its last user here has gone. Safe for any thread.
 */
final class HostPins {
    private static final System.Logger LOG = System.getLogger(HostPins.class.getName());

    private final Map<Range, Pin> pins = new HashMap<>(); // both guarded by this
    private boolean hasRefused;

    private record Range(long address, long lengthBytes) {}

    /** A range with users. */
    private static final class Pin {
        final CudaDevice device; // by whose context it is pinned
        final boolean isOurs;
        int users;

        Pin(CudaDevice device, boolean isOurs) {
            this.device = device;
            this.isOurs = isOurs;
        }
    }

    /** Pins memory by the context of {@code device}; does nothing, and says so once, where the driver refuses. */
    synchronized Pinning pin(CudaDevice device, MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, device, "only native memory can be pinned, and at least a byte of it");
        }
        Range range = new Range(memory.address(), memory.byteSize());
        Pin pin = pins.get(range);
        if (pin == null) {
            pin = new Pin(device, tryRegister(device, range));
            pins.put(range, pin);
        }
        pin.users++;
        return new Use(range, pin.isOurs);
    }

    /** One user of a range. */
    private final class Use implements Pinning {
        private final AtomicBoolean closed = new AtomicBoolean();
        private final Range range;
        private final boolean isDirect;

        Use(Range range, boolean isDirect) {
            this.range = range;
            this.isDirect = isDirect;
        }

        /** Memory that another library has pinned may be other memory by now: the driver goes by addresses. */
        @Override
        public boolean isDirect() {
            return isDirect;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                unpin(range);
            }
        }
    }

    /** Returns whether the registration is ours to end. */
    private boolean tryRegister(CudaDevice device, Range range) {
        try {
            device.registerHost(range.address, range.lengthBytes);
            return true;
        } catch (CudaException e) {
            if (e.code() != CudaCode.HOST_MEMORY_ALREADY_REGISTERED && !hasRefused) {
                hasRefused = true;
                LOG.log(
                        Level.WARNING,
                        "{0} does not pin host memory, and copies of it are slower: {1}",
                        device,
                        e.reason());
            }
            return false;
        }
    }

    private synchronized void unpin(Range range) {
        Pin pin = pins.get(range);
        if (pin == null || --pin.users > 0) {
            return;
        }
        pins.remove(range);
        unregister(range, pin);
    }

    private static void unregister(Range range, Pin pin) {
        if (!pin.isOurs) {
            return;
        }
        try {
            pin.device.unregisterHost(range.address);
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0}: host memory stays pinned: {1}", pin.device, e.reason());
        }
    }

    /** Ends what is left; a pinning that is closed later does nothing. */
    synchronized void close() {
        pins.forEach(HostPins::unregister);
        pins.clear();
    }
}
