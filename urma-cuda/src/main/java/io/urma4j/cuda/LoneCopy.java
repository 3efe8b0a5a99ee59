package io.urma4j.cuda;

import io.urma4j.cuda.CudaThread.Pace;
import org.jspecify.annotations.Nullable;

/**
 * What the calling thread of a device does between its tasks: while the driver has one copy alone, it asks for the event of
 * that copy itself. So a copy by itself ends without a hand-over to the polling thread. Before its next task, which may block,
 * the thread hands that copy over. Only the calling thread.
 */
final class LoneCopy implements CudaThread.Round {
    private final CudaDevice device;
    private @Nullable CudaWork work;

    LoneCopy(CudaDevice device) {
        this.device = device;
    }

    /** A copy that the driver has now. */
    void take(CudaWork submitted) {
        if (work == null && device.slots().isOneTaken()) {
            work = submitted;
        } else {
            handOver(); // first: copies of a stream end in their order
            device.poller().post(submitted);
        }
    }

    @Override
    public void beforeTasks() {
        handOver();
    }

    private void handOver() {
        CudaWork alone = work;
        if (alone != null) {
            work = null;
            device.poller().post(alone);
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
