package io.urma4j.udma.staging;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that has the card look at its copies when some have ended. The threads that drive the card look as well, each time; this
 * one is for the time when none does. It sleeps while no copy is in progress.
 */
final class CopyWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CopyWatch.class.getName());

    /** How long it watches a copy without sleeping: most are shorter. */
    private static final long SPIN_NANOS = 20_000;

    private static final long PARK_NANOS = 50_000;

    private Consumer<Runnable> card = Runnable::run;
    private Runnable look = () -> {};
    private Supplier<EngineSlab[]> slabs = () -> new EngineSlab[0];
    private volatile @Nullable Thread thread; // once the first copy has begun
    private volatile boolean isParked;
    private volatile boolean isClosed;

    CopyWatch() {}

    /**
     * Before the first copy.
     *
     * @param card runs tasks under its lock
     * @param look the task that looks at the copies
     */
    void start(Consumer<Runnable> card, Runnable look, Supplier<EngineSlab[]> slabs) {
        this.card = card;
        this.look = look;
        this.slabs = slabs;
    }

    /** A copy was started. Under the card's lock. */
    void begun() {
        Thread watching = thread;
        if (watching == null) {
            thread = Thread.ofPlatform().name("urma-copies").daemon().start(this::run);
        } else if (isParked) {
            LockSupport.unpark(watching);
        }
    }

    private void run() {
        while (!isClosed) {
            if (hasNews()) {
                look();
            } else if (isAnyRunning()) {
                await();
            } else {
                park();
            }
        }
    }

    /** A card that fails in a step goes on, and so do its copies. */
    private void look() {
        try {
            card.accept(look);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "a step of the card failed behind a copy", e);
        }
    }

    private boolean hasNews() {
        for (EngineSlab slab : slabs.get()) {
            if (slab.hasNews()) {
                return true;
            }
        }
        return false;
    }

    private boolean isAnyRunning() {
        for (EngineSlab slab : slabs.get()) {
            if (slab.isRunning()) {
                return true;
            }
        }
        return false;
    }

    /** Waits a little for the oldest copies. */
    private void await() {
        long began = System.nanoTime();
        while (System.nanoTime() - began < SPIN_NANOS) {
            if (hasNews()) {
                return;
            }
            Thread.onSpinWait();
        }
        LockSupport.parkNanos(this, PARK_NANOS);
    }

    private void park() {
        isParked = true; // before it looks once more: a thread that starts a copy afterwards wakes it
        if (!isAnyRunning() && !isClosed) {
            LockSupport.park(this);
        }
        isParked = false;
    }

    /**
     * Pins the pages of a region that have moved, on a thread of its own.
     *
     * @param reopened runs under the card's lock; gets whether that has failed
     */
    void reopen(Region region, Consumer<Boolean> reopened) {
        Thread.startVirtualThread(() -> {
            boolean isStuck = true;
            try {
                region.memory.reopen();
                isStuck = false;
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "pages that moved could not be pinned anew", e);
            } finally { // also after an Error of the client
                report(reopened, isStuck);
            }
        });
    }

    /** An atomic and its barriers wait for the report: if a step of the card fails before it, the thread tries again. */
    private void report(Consumer<Boolean> reopened, boolean isStuck) {
        AtomicBoolean hasBegun = new AtomicBoolean();
        do {
            try {
                card.accept(() -> {
                    hasBegun.set(true);
                    reopened.accept(isStuck);
                });
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "a step of the card failed behind pages that moved", e);
                LockSupport.parkNanos(this, PARK_NANOS);
            }
        } while (!hasBegun.get() && !isClosed);
    }

    @Override
    public void close() {
        isClosed = true;
        Thread watching = thread;
        if (watching != null) {
            LockSupport.unpark(watching);
        }
    }
}
