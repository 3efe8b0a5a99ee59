package io.urma4j.buffer;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of a pool under one limit. The allocator's lock guards all of it.
 *
 * <p>Invariant: the registered bytes never exceed the limit. They are those of all slabs, of the orders of all grants, and of
 * slabs that are being freed. A grant that replaces idle slabs has their bytes from the start, and frees them before it makes
 * its own. Until then, it also keeps the bytes that it will not need: the idle slabs are still registered.
 */
final class SlabBudget {
    private final SizeClasses classes;
    private final long limitBytes;
    private final long slabBytes;
    private final @Nullable Magazines magazines; // null if idle chunks are not cached
    private final Consumer<Chunk> source;
    private final List<SequencedSet<Slab>> withIdle = new ArrayList<>(); // by class: the slabs that have idle chunks
    private final SequencedSet<Slab> slabs = new LinkedHashSet<>();
    private final List<Slab> condemned = new ArrayList<>(); // to be freed without the lock
    private final List<Slab> unfreed = new ArrayList<>(); // those whose freeing failed
    private final int[] ordered; // by class: slabs that are being made
    private long registeredBytes;
    private long condemnedBytes; // of those: slabs that are about to be freed

    /** @param slabBytes of a slab, if its chunks are not larger and the budget has room */
    SlabBudget(
            SizeClasses classes,
            long limitBytes,
            long slabBytes,
            @Nullable Magazines magazines,
            Consumer<Chunk> source) {
        this.classes = classes;
        this.limitBytes = limitBytes;
        this.slabBytes = slabBytes;
        this.magazines = magazines;
        this.source = source;
        this.ordered = new int[classes.count()];
        for (int i = 0; i < classes.count(); i++) {
            withIdle.add(new LinkedHashSet<>());
        }
    }

    long registeredBytes() {
        return registeredBytes;
    }

    /** Registered bytes without those that are about to be freed. */
    long keptBytes() {
        return registeredBytes - condemnedBytes;
    }

    SequencedSet<Slab> slabs() {
        return slabs;
    }

    // ---- grants

    /**
     * Takes all that a request needs, or nothing.
     *
     * @param mayWait whether it can wait for a slab of its class that is being made
     * @return null if it must wait
     */
    @Nullable
    Grant plan(Request request, boolean mayWait) {
        Grant grant = plan(request, mayWait, false);
        if (grant == null && request.count() > 1) {
            // an idle slab is larger than what the request needs of it; without it, the whole may fit
            grant = plan(request, mayWait, true);
        }
        return grant;
    }

    private @Nullable Grant plan(Request request, boolean mayWait, boolean sparesIdleSlabs) {
        if (sparesIdleSlabs) {
            collect();
        }
        Grant grant = new Grant(this, request);
        for (int i = 0; i < request.count(); i++) {
            grant.chunk(i, take(request.sizeClass(i), sparesIdleSlabs));
        }
        if (grant.isLacking() && !order(grant, mayWait)) {
            refund(grant);
            return null;
        }
        return grant;
    }

    private @Nullable Chunk take(int sizeClass, boolean sparesIdleSlabs) {
        if (sizeClass == SizeClasses.OWN_SLAB) {
            return null;
        }
        SequencedSet<Slab> candidates = withIdle.get(sizeClass);
        for (Slab slab : candidates) {
            if (!(sparesIdleSlabs && slab.isIdle())) {
                return take(slab, candidates);
            }
        }
        return magazines == null || sparesIdleSlabs ? null : magazines.steal(sizeClass);
    }

    private static @Nullable Chunk take(Slab slab, SequencedSet<Slab> candidates) {
        Chunk taken = slab.take();
        if (slab.idleCount() == 0) {
            candidates.remove(slab);
        }
        return taken;
    }

    /** Orders what a grant lacks, in place of idle slabs if need be; false without effect if the budget has no room. */
    private boolean order(Grant grant, boolean mayWait) {
        long lacking = grant.lackingBytes();
        if (mayWait && isAwaited(grant)) {
            return false;
        }
        long before = registeredBytes;
        if (lacking > limitBytes - registeredBytes) {
            collect();
            long free = limitBytes - registeredBytes + freeableBytes();
            if (lacking > free) {
                condemnImported(lacking - free - condemnedBytes);
                return false;
            }
            replaceIdleSlabs(grant, lacking);
        }
        registeredBytes += lacking;
        orderSlabs(grant);
        grant.excessBytes(Math.max(0, before - registeredBytes));
        registeredBytes += grant.excessBytes();
        return true;
    }

    /** Whether a slab is being made that may have what the grant lacks. */
    private boolean isAwaited(Grant grant) {
        for (int i = 0; i < grant.request().count(); i++) {
            int sizeClass = grant.request().sizeClass(i);
            if (grant.lacks(i) && sizeClass != SizeClasses.OWN_SLAB && ordered[sizeClass] > 0) {
                return true;
            }
        }
        return false;
    }

    private long freeableBytes() {
        return slabs.stream()
                .filter(SlabBudget::isFreeableAtOnce)
                .mapToLong(Slab::lengthBytes)
                .sum();
    }

    private static boolean isFreeableAtOnce(Slab slab) {
        return slab.isFreeable() && !slab.memory().isImported();
    }

    /** Condemns slabs until {@code bytes} more will be free, if it can: their importers may take long to answer. */
    private void condemnImported(long bytes) {
        List<Slab> imported = slabs.stream()
                .filter(slab -> slab.isFreeable() && slab.memory().isImported())
                .toList();
        if (bytes > imported.stream().mapToLong(Slab::lengthBytes).sum()) {
            return;
        }
        long left = bytes;
        for (Slab slab : imported) {
            if (left > 0) {
                left -= slab.lengthBytes();
                condemn(slab);
            }
        }
    }

    private void replaceIdleSlabs(Grant grant, long lacking) {
        for (Slab slab : List.copyOf(slabs)) {
            if (lacking <= limitBytes - registeredBytes) {
                return;
            }
            if (isFreeableAtOnce(slab)) {
                remove(slab);
                registeredBytes -= slab.lengthBytes();
                grant.victims().add(slab);
            }
        }
    }

    private void orderSlabs(Grant grant) {
        int[] missing = new int[classes.count()];
        for (int i = 0; i < grant.request().count(); i++) {
            if (grant.lacks(i)) {
                int sizeClass = grant.request().sizeClass(i);
                if (sizeClass == SizeClasses.OWN_SLAB) {
                    long bytes = grant.request().chunkBytes(i);
                    grant.orders().add(new SlabOrder(sizeClass, bytes, bytes));
                } else {
                    missing[sizeClass]++;
                }
            }
        }
        for (int sizeClass = 0; sizeClass < missing.length; sizeClass++) {
            if (missing[sizeClass] > 0) {
                grant.orders().add(orderOf(sizeClass, missing[sizeClass]));
            }
        }
    }

    /** A slab with that many chunks, whose bytes are registered already, and as many more as there is room for. */
    private SlabOrder orderOf(int sizeClass, int count) {
        long chunkBytes = classes.blockBytes(sizeClass);
        long needed = count * chunkBytes;
        long spare = Math.min(slabBytes - needed, limitBytes - registeredBytes);
        long more = Math.max(0, spare) / chunkBytes * chunkBytes;
        registeredBytes += more;
        ordered[sizeClass]++;
        return new SlabOrder(sizeClass, chunkBytes, needed + more);
    }

    /** All victims of a grant are freed: others may have what they had beyond its orders. */
    void victimsFreed(Grant grant) {
        registeredBytes -= grant.excessBytes();
        grant.excessBytes(0);
    }

    /** The memory of an order is there. */
    void made(Grant grant, SlabOrder order, SlabMemory memory) {
        grant.orders().remove(order);
        ordered(order, -1);
        int magazine = magazines == null ? -1 : order.sizeClass();
        Slab slab = new Slab(this, memory, order, magazine, source);
        if (magazines != null && slab.isCached()) {
            slab.admitTo(magazines);
        }
        slabs.add(slab);
        for (int i = 0; i < grant.request().count(); i++) {
            if (grant.lacks(i)
                    && grant.request().sizeClass(i) == order.sizeClass()
                    && grant.request().chunkBytes(i) == order.chunkBytes()) {
                grant.chunk(i, slab.take()); // null if the slab has no more: another order has it
            }
        }
        if (slab.idleCount() > 0) {
            withIdle.get(slab.sizeClass()).addFirst(slab);
        }
    }

    /** A slab is gone; its chunks are in no magazine. */
    void dismiss(Slab slab) {
        if (magazines != null && slab.isCached()) {
            slab.dismissFrom(magazines);
        }
    }

    /** Takes back all that a grant still has. */
    void refund(Grant grant) {
        for (int i = 0; i < grant.request().count(); i++) {
            Chunk chunk = grant.chunk(i);
            if (chunk != null) {
                grant.chunk(i, null);
                put(chunk);
            }
        }
        for (SlabOrder order : grant.orders()) {
            registeredBytes -= order.lengthBytes();
            ordered(order, -1);
        }
        grant.orders().clear();
        victimsFreed(grant);
        for (Slab victim : grant.victims()) {
            registeredBytes += victim.lengthBytes();
            slabs.add(victim);
            withIdle.get(victim.sizeClass()).addLast(victim);
        }
        grant.victims().clear();
    }

    private void ordered(SlabOrder order, int change) {
        if (order.sizeClass() != SizeClasses.OWN_SLAB) {
            ordered[order.sizeClass()] += change;
        }
    }

    // ---- idle memory

    /** A lease is over. */
    void put(Chunk chunk) {
        Slab slab = chunk.slab();
        slab.put(chunk);
        if (slab.sizeClass() == SizeClasses.OWN_SLAB) {
            condemn(slab);
        } else if (slab.idleCount() == 1) {
            withIdle.get(slab.sizeClass()).addFirst(slab);
        }
    }

    /** Moves the chunks of all magazines to their slabs. */
    void collect() {
        if (magazines == null) {
            return;
        }
        for (int sizeClass = 0; sizeClass < classes.count(); sizeClass++) {
            Chunk chunk = magazines.steal(sizeClass);
            while (chunk != null) {
                put(chunk);
                chunk = magazines.steal(sizeClass);
            }
        }
    }

    private void remove(Slab slab) {
        slabs.remove(slab);
        if (slab.sizeClass() != SizeClasses.OWN_SLAB) {
            withIdle.get(slab.sizeClass()).remove(slab);
        }
    }

    private void condemn(Slab slab) {
        remove(slab);
        condemned.add(slab);
        condemnedBytes += slab.lengthBytes();
    }

    /** Condemns all idle slabs. */
    void condemnIdle() {
        collect();
        for (Slab slab : List.copyOf(slabs)) {
            if (slab.isFreeable()) {
                condemn(slab);
            }
        }
    }

    /** Has those freed again whose freeing failed. */
    void retryUnfreed() {
        condemned.addAll(unfreed);
        unfreed.forEach(slab -> condemnedBytes += slab.lengthBytes());
        unfreed.clear();
    }

    /** Condemns slabs without a lease since the previous call, until {@code targetBytes} or fewer are kept. */
    void condemnUnused(long targetBytes) {
        collect();
        long excess = keptBytes() - targetBytes;
        for (Slab slab : List.copyOf(slabs)) {
            if (slab.isIdleSinceLastLook() && excess > 0) {
                excess -= slab.lengthBytes();
                condemn(slab);
            }
        }
    }

    /** The slabs that were condemned since the last call. Each must be freed without the lock. */
    List<Slab> takeCondemned() {
        List<Slab> taken = List.copyOf(condemned);
        condemned.clear();
        return taken;
    }

    /** A condemned slab is gone. */
    void freed(Slab slab) {
        dismiss(slab);
        registeredBytes -= slab.lengthBytes();
        condemnedBytes -= slab.lengthBytes();
    }

    /** A condemned slab could not be freed; its bytes stay registered. */
    void notFreed(Slab slab) {
        unfreed.add(slab);
        slab.markUnfreed();
        condemnedBytes -= slab.lengthBytes();
    }

    /** A victim could not be freed; the grant loses its bytes. */
    void victimNotFreed(Slab slab) {
        registeredBytes += slab.lengthBytes();
        unfreed.add(slab);
        slab.markUnfreed();
    }

    // ---- counts

    /** Adds the slabs by the size of their blocks. */
    void addClasses(Map<Long, ClassUse> uses) {
        for (Slab slab : slabs) {
            int leases = slab.chunkCount() - slab.idleCount();
            add(uses, new ClassUse(slab.chunkBytes(), 1, slab.chunkCount(), leases));
        }
        for (int sizeClass = 0; magazines != null && sizeClass < classes.count(); sizeClass++) {
            int cached = magazines.count(sizeClass);
            if (cached > 0) {
                add(uses, new ClassUse(classes.blockBytes(sizeClass), 0, 0, -cached));
            }
        }
    }

    private static void add(Map<Long, ClassUse> uses, ClassUse more) {
        uses.merge(more.blockBytes(), more, ClassUse::plus);
    }
}
