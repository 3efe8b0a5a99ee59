package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Whether a device is lost: its context, and with it all memory. It does not come back. Safe for any thread. */
final class DeviceLoss {
    private static final System.Logger LOG = System.getLogger(DeviceLoss.class.getName());

    private final CudaDevice device;
    private final AtomicReference<@Nullable UrmaException> first = new AtomicReference<>();

    DeviceLoss(CudaDevice device) {
        this.device = device;
    }

    /** Why the device is lost; null if it is not. */
    @Nullable
    UrmaException get() {
        return first.get();
    }

    void check() {
        UrmaException lost = get();
        if (lost != null) {
            throw new UrmaException(lost.status(), device, lost.reason(), lost); // with the trace of this caller
        }
    }

    /** A call has failed: a sticky error loses the device. Returns what to report. */
    RuntimeException failed(RuntimeException failure) {
        return failure instanceof CudaException e && CudaCode.isSticky(e.code()) ? lose(e) : failure;
    }

    /** Loses the device. Returns what to report: the first reason. */
    UrmaException lose(RuntimeException cause) {
        String reason = cause instanceof UrmaException e ? e.reason() : cause.toString();
        UrmaException loss = new UrmaException(UrmaStatus.FAIL, device, "is lost: " + reason, cause);
        UrmaException before = first.compareAndExchange(null, loss);
        if (before != null) {
            return before;
        }
        LOG.log(Level.WARNING, "{0}", loss.getMessage());
        device.lost();
        return loss;
    }
}
