package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.ClosingOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Slabs that are registered with each of some contexts. The first context allocates whose memory all the others can
 * register. Safe for any number of threads.
 */
final class ContextSlabs {
    private final List<UrmaContext> contexts;
    private final AllocOptions options;
    private final Access exportable;
    private final boolean isChecked;
    private volatile int allocator; // place of the context that allocated the last slab

    ContextSlabs(List<UrmaContext> contexts, PoolConfig config) {
        this.contexts = contexts;
        this.options = config.alloc();
        this.exportable = config.exports();
        this.isChecked = config.checked();
    }

    /**
     * Allocates and registers a slab. It may take milliseconds.
     *
     * @throws UrmaException if a device refuses; then nothing is left of it
     */
    SlabMemory make(long lengthBytes) {
        UrmaException failure = null;
        for (int place = allocator; place < contexts.size(); place++) {
            try {
                SlabMemory made = allocatedBy(place, lengthBytes);
                allocator = place;
                return made;
            } catch (UrmaException e) {
                if (e.status() != UrmaStatus.EINVAL) { // it has nothing to do with whose memory it is
                    throw e;
                }
                failure = (UrmaException) ClosingOrder.joined(failure, e);
            }
        }
        throw failure == null ? new IllegalStateException("no context") : failure;
    }

    private SlabMemory allocatedBy(int place, long lengthBytes) {
        SharedMemory memory;
        try {
            memory = contexts.get(place).allocate(lengthBytes, options);
        } catch (UrmaException e) {
            throw refused(place, "allocate", lengthBytes, e);
        }
        List<LocalSegment> registrations = new ArrayList<>(contexts.size());
        try {
            for (UrmaContext context : contexts) {
                registrations.add(context.register(memory, configFor(context)));
            }
        } catch (RuntimeException | Error e) {
            RuntimeException unfreed = free(registrations, memory);
            if (unfreed != null) {
                e.addSuppressed(unfreed);
            }
            if (e instanceof UrmaException refusal) {
                throw refused(registrations.size(), "register", lengthBytes, refusal);
            }
            throw e;
        }
        List<LocalSegment> all = List.copyOf(registrations);
        return new SlabMemory(
                memory.segment(),
                all,
                exportable,
                isChecked ? memory::segment : null,
                () -> Registrations.areImported(all),
                () -> ClosingOrder.throwIfFailed(free(registrations, memory)));
    }

    /** A slab is writable to its peers as a whole, so that each window of it can be; its import opens none of it. */
    private SegmentConfig configFor(UrmaContext context) {
        boolean hasWindows =
                ApiAccess.api().attributesOf(context).capabilities().windows();
        if (exportable == Access.LOCAL_ONLY || !hasWindows) {
            return SegmentConfig.of(Access.LOCAL_ONLY);
        }
        Access most = exportable == Access.READ ? Access.READ_WRITE : exportable;
        return SegmentConfig.of(most).withWindowsOnly();
    }

    /** Ends all registrations, whatever fails, and then the memory; returns the failure. */
    private static @Nullable RuntimeException free(List<LocalSegment> registrations, SharedMemory memory) {
        RuntimeException failure = Registrations.closeAll(registrations, null);
        if (failure == null) {
            memory.close();
        }
        return failure;
    }

    private UrmaException refused(int place, String call, long lengthBytes, UrmaException cause) {
        UrmaContext context = contexts.get(place);
        return new UrmaException(
                cause.status(),
                "RegisteredBufferPool",
                "device " + context.device().name() + " (" + context + ", " + (place + 1) + " of " + contexts.size()
                        + ") refused to " + call + " a slab of " + lengthBytes + " bytes with errno "
                        + cause.status().value() + ": " + cause.reason(),
                cause);
    }
}
