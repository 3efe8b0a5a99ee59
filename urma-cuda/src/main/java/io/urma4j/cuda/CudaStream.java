package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyList;
import io.urma4j.peer.CopyStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a device. A copy waits here until the device's calling thread hands it to the driver, then in {@link
 * LoneCopy} or {@link CudaPoller} for its end. As a task, it submits what waits.
 *
 * <p>A copy that waits here can be aborted. The driver cannot abort one that it has: that ends when it ends.
 */
final class CudaStream extends Task implements CopyStream {
    private final CudaDevice device;
    private final long handle;

    private final Deque<CudaWork> waiting = new ArrayDeque<>(); // all guarded by this
    private final Deque<CudaWork> unused = new ArrayDeque<>();
    private int submitted; // and not ended
    private boolean scheduled; // the calling thread runs this, or a place among the device's copies is awaited
    private boolean closed; // takes no copies, of its own accord or because its client ends
    private boolean released;

    private final Deque<CudaWork> polled = new ArrayDeque<>(); // only the polling thread; oldest first

    CudaStream(CudaDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    CudaDevice device() {
        return device;
    }

    @Override
    public void copyIn(long address, MemorySegment source, Copy copy) {
        checkHost("source", source);
        synchronized (this) {
            begin(copy).setIn(address, source, copy);
            if (!schedule()) {
                return;
            }
        }
        device.calls().post(this);
    }

    @Override
    public void copyOut(long address, MemorySegment target, Copy copy) {
        checkHost("target", target);
        synchronized (this) {
            begin(copy).setOut(target, address, copy);
            if (!schedule()) {
                return;
            }
        }
        device.calls().post(this);
    }

    @Override
    public void copyWithin(long from, long to, long lengthBytes, Copy copy) {
        synchronized (this) {
            begin(copy).setWithin(to, from, lengthBytes, copy);
            if (!schedule()) {
                return;
            }
        }
        device.calls().post(this);
    }

    @Override
    public void copyIn(CopyList ranges, MemorySegment source, Copy copy) {
        checkHost("source", source);
        submit(CudaWork.Kind.IN, ranges, source, copy);
    }

    @Override
    public void copyOut(CopyList ranges, MemorySegment target, Copy copy) {
        checkHost("target", target);
        submit(CudaWork.Kind.OUT, ranges, target, copy);
    }

    @Override
    public void copyWithin(CopyList ranges, Copy copy) {
        submit(CudaWork.Kind.WITHIN, ranges, null, copy);
    }

    private void submit(CudaWork.Kind kind, CopyList ranges, @Nullable MemorySegment host, Copy copy) {
        synchronized (this) {
            begin(copy).setList(kind, ranges, host, copy);
            if (!schedule()) {
                return;
            }
        }
        device.calls().post(this);
    }

    @Override
    public void fill(long address, long lengthBytes, byte value, Copy copy) {
        synchronized (this) {
            begin(copy).setFill(address, value, lengthBytes, copy);
            if (!schedule()) {
                return;
            }
        }
        device.calls().post(this);
    }

    private void checkHost(String argument, MemorySegment memory) {
        if (!memory.isNative()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, this, argument + " is heap memory; the driver needs native memory");
        }
        if (!memory.scope().isAlive()) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "the arena of " + argument + " is closed");
        }
    }

    /** The last of those that wait; its caller fills it under the same lock. */
    private CudaWork begin(Copy copy) {
        if (closed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is closed");
        }
        device.loss().check();
        copy.begin();
        CudaWork work = unused.pollLast();
        if (work == null) {
            work = new CudaWork(this);
        }
        waiting.addLast(work);
        return work;
    }

    /** Under the lock. Returns whether the caller posts this, once it has left the lock. */
    private boolean schedule() {
        boolean isFirst = !scheduled;
        scheduled = true;
        return isFirst;
    }

    /** On the calling thread: hands to the driver what waits, as far as the device has places. */
    @Override
    void run() {
        for (CudaWork work = next(); work != null; work = next()) {
            device.loneCopy().handOver(); // before this copy, which its event would wait for
            try {
                device.enterContext();
                work.submit(device.driver(), handle);
            } catch (RuntimeException e) {
                ended(work, device.loss().failed(e));
                continue;
            }
            device.loneCopy().take(work);
        }
    }

    private synchronized @Nullable CudaWork next() {
        if (waiting.isEmpty()) {
            scheduled = false;
            return null;
        }
        if (!device.slots().tryTake(this)) {
            return null; // and stays scheduled
        }
        submitted++;
        return waiting.pollFirst();
    }

    /** The calling thread has ended. */
    @Override
    void refuse() {
        for (CudaWork work = next(); work != null; work = next()) {
            ended(work, device.closed());
        }
    }

    /** On the calling thread: lets the polling thread ask for the end of a copy that the driver has. */
    void handOver(CudaWork work) {
        try {
            work.mark(device.driver(), handle);
        } catch (RuntimeException e) {
            ended(work, device.loss().failed(e));
            return;
        }
        device.poller().post(work);
    }

    /** On the polling thread: a copy that the driver has now. */
    void poll(CudaWork work) {
        polled.addLast(work);
    }

    /** On the polling thread: ends the copies whose events have come. Returns how many. */
    int pollEvents() {
        int count = 0;
        for (CudaWork work = polled.peekFirst(); work != null && endIfDone(work); work = polled.peekFirst()) {
            polled.removeFirst();
            count++;
        }
        return count;
    }

    /** On the thread that asks for its end: reports it if it has come. Returns whether it has. */
    boolean endIfDone(CudaWork work) {
        RuntimeException failure = device.loss().get();
        if (failure == null) {
            try {
                if (!work.isDone(device.driver(), handle)) {
                    return false;
                }
            } catch (RuntimeException e) {
                failure = device.loss().lose(e); // nothing will tell when the copy ends
            }
        }
        ended(work, failure);
        return true;
    }

    boolean isPolled() {
        return !polled.isEmpty();
    }

    /** A copy has left the driver, or never came there. */
    void ended(CudaWork work, @Nullable RuntimeException failure) {
        work.end(failure);
        synchronized (this) {
            submitted--;
            recycle(work);
        }
        CudaStream next = device.slots().giveBack();
        if (next != null) {
            device.calls().post(next);
        }
    }

    @Override
    public void abort(Copy copy) {
        CudaWork aborted = null;
        synchronized (this) {
            for (Iterator<CudaWork> all = waiting.iterator(); all.hasNext() && aborted == null; ) {
                CudaWork work = all.next();
                if (work.isOf(copy)) {
                    all.remove();
                    aborted = work;
                }
            }
        }
        if (aborted != null) {
            UrmaException lost = device.loss().get();
            aborted.end(
                    lost != null
                            ? lost
                            : new UrmaException(UrmaStatus.FAIL, this, "copy was aborted before the driver had it"));
            synchronized (this) {
                recycle(aborted);
            }
        }
    }

    /** Under the lock, once the copy has ended. */
    private void recycle(CudaWork work) {
        unused.addLast(work);
        if (closed) { // else no thread waits for quiet
            notifyAll();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
            closed = true;
        }
        while (!isQuietWithin(TimeUnit.SECONDS.toNanos(1)) && !device.hasHungCopies()) {
            // the memory of its copies may be freed next
        }
        device.remove(this);
    }

    /** Refuses further copies. */
    synchronized void stop() {
        closed = true;
    }

    /** Waits for the copies in progress; returns whether all have ended. */
    synchronized boolean isQuietWithin(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        for (long left = timeoutNanos; !isQuiet() && left > 0; left = deadline - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true; // the memory of its copies may be freed next
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isQuiet();
    }

    private boolean isQuiet() {
        return submitted == 0 && waiting.isEmpty();
    }

    /** On the calling thread, once it is quiet: gives its stream and events back to the driver. */
    synchronized void destroy() {
        for (CudaWork work : unused) {
            if (work.event() != 0) {
                device.driver().destroyEvent(work.event());
            }
        }
        unused.clear();
        device.driver().destroyStream(handle);
    }

    @Override
    public String toString() {
        return "copy stream of " + device;
    }
}
