package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaEngine;
import java.lang.foreign.MemorySegment;

/** The copy engines of a device, which its streams share. Safe for any thread. */
final class CudaEngine implements DmaEngine {
    private static final long FRAGMENT_BYTES = 512 << 10;

    /** Of one list: the driver takes about 4 µs for each, and other copies of the device wait meanwhile. */
    private static final int MAX_RANGES = 64;

    private final CudaDevice device;
    private final HostPins pins;

    CudaEngine(CudaDevice device, HostPins pins) {
        this.device = device;
        this.pins = pins;
    }

    @Override
    public CopyStream openStream() {
        return device.openStream();
    }

    /** What copies wrote is visible anyway; this is for writes of network cards, on devices that need it. */
    @Override
    public void flush(DeviceRange range) {
        device.flush();
    }

    @Override
    public int maxInFlight() {
        return CudaDevice.MAX_IN_FLIGHT;
    }

    @Override
    public int maxRanges() {
        return MAX_RANGES;
    }

    @Override
    public long fragmentBytes() {
        return FRAGMENT_BYTES;
    }

    @Override
    public long alignmentBytes() {
        return 1;
    }

    /** The event belongs to the primary context of the device, as those of the runtime do. */
    @Override
    public void whenDone(long event, EventListener listener) {
        boolean isDone;
        try {
            isDone = device.inContext("cuEventQuery", () -> device.driver().isDone(event), _ -> {});
        } catch (CudaException e) {
            throw new UrmaException(UrmaStatus.EINVAL, device, "has no event 0x" + Long.toHexString(event), e);
        }
        if (isDone) {
            listener.ended(null);
        } else {
            device.poller().add(new EventWait(device, event, listener));
        }
    }

    /** Without it, the driver stages copies of the memory in buffers of its own, and may block until they end. */
    @Override
    public Pinning pinHost(MemorySegment memory) {
        return pins.pin(device, memory);
    }
}
