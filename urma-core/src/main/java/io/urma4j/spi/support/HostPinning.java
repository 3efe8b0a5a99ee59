package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.DmaEngine.Pinning;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Host memory of this process as copy engines reach it: the drivers pin it at its first use, granule by granule, until it is freed.
 * So a request waits for what it names, and not for all of large memory. Safe for any thread.
 */
public final class HostPinning {
    /** What is pinned at once, and what no copy may cross. */
    public static final long GRANULE_BYTES = 64L << 20;

    private static final System.Logger LOG = System.getLogger(HostPinning.class.getName());

    /** An engine is asked once. */
    private static final Pinning NOT_PINNED = new Pinning() {
        @Override
        public boolean isDirect() {
            return false;
        }

        @Override
        public void close() {}
    };

    private final MemorySegment memory;
    private final Map<DmaEngine, @Nullable Pinning[]> engines = new HashMap<>(); // both guarded by this
    private boolean closed;

    /** Of memory that is freed after {@link #close}. */
    public HostPinning(MemorySegment memory) {
        this.memory = memory;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Whether that engine's copies of a range need no fragment. Blocks while the driver pins. */
    synchronized boolean isDirect(DmaEngine engine, long offset, long lengthBytes) {
        long last = (offset + lengthBytes - 1) / GRANULE_BYTES;
        for (long granule = offset / GRANULE_BYTES; granule <= last; granule++) {
            if (closed || !pinned(engine, (int) granule).isDirect()) {
                return false;
            }
        }
        return true;
    }

    private Pinning pinned(DmaEngine engine, int granule) {
        @Nullable
        Pinning[] granules =
                engines.computeIfAbsent(engine, _ -> new Pinning[(int) ((memory.byteSize() - 1) / GRANULE_BYTES) + 1]);
        Pinning pinning = granules[granule];
        if (pinning == null) {
            long from = granule * GRANULE_BYTES;
            pinning = pin(engine, memory.asSlice(from, Math.min(GRANULE_BYTES, memory.byteSize() - from)));
            granules[granule] = pinning;
        }
        return pinning;
    }

    private static Pinning pin(DmaEngine engine, MemorySegment range) {
        try {
            return engine.pinHost(range);
        } catch (UrmaException e) {
            LOG.log(Level.DEBUG, "copies of host memory take fragments, because it cannot be pinned", e);
            return NOT_PINNED;
        }
    }

    /** Unpins the memory, which no copy uses any more. Idempotent. */
    public synchronized void close() {
        closed = true;
        for (@Nullable Pinning[] granules : engines.values()) {
            for (Pinning pinning : granules) {
                if (pinning != null) {
                    unpin(pinning);
                }
            }
        }
        engines.clear();
    }

    /** Unpins the memory, and then frees it. If it is not freed, the next copy pins it anew. */
    public void close(Runnable free) {
        close();
        try {
            free.run();
        } catch (UrmaException e) {
            reopen();
            throw e;
        }
    }

    private synchronized void reopen() {
        closed = false;
    }

    /** The others are unpinned in any case, and the memory is freed. */
    private static void unpin(Pinning pinning) {
        try {
            pinning.close();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "host memory stays pinned", e);
        }
    }

    @Override
    public String toString() {
        return "pinning of " + memory;
    }
}
