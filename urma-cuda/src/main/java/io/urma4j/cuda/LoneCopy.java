package io.urma4j.cuda;

import io.urma4j.cuda.CudaThread.Pace;
import org.jspecify.annotations.Nullable;

/**
 * What the calling thread of a device does between its tasks: while the driver has one copy alone, it asks the stream of that
 * copy itself. So a copy by itself ends without an event and without a hand-over to the polling thread. Before its next task,
 * which may block, the thread hands that copy over, with an event behind it. Only the calling thread.
 */
final class LoneCopy implements CudaThread.Round {
    private final CudaDevice device;
    private @Nullable CudaWork work;

    LoneCopy(CudaDevice device) {
        this.device = device;
    }

    /** A copy that the driver has now, after a {@link #handOver}. */
    void take(CudaWork submitted) {
        assert work == null : "copies of a stream end in their order";
        if (device.slots().isOneTaken()) {
            work = submitted;
        } else {
            submitted.stream().handOver(submitted);
        }
    }

    @Override
    public void beforeTasks() {
        handOver();
    }

    /** Leaves the copy, if there is one, to the polling thread. */
    void handOver() {
        CudaWork alone = work;
        if (alone != null) {
            work = null;
            alone.stream().handOver(alone);
        }
    }

    @Override
    public Pace run() {
        CudaWork alone = work;
        if (alone == null) {
            return device.slots().areTaken() ? Pace.READY : Pace.IDLE;
        }
        if (!alone.stream().endIfDone(alone)) {
            return Pace.PENDING;
        }
        work = null;
        return Pace.PROGRESS;
    }
}
