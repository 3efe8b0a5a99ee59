package io.urma4j.shm.control;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Layout of the two memories by which windows are granted and revoked, native byte order: a word for each of {@value #SLOTS}
 * slots, each in its own cache line. A home has up to {@value #TABLES} such tables, the n-th with the slots from n · {@value
 * #SLOTS} on; a further one is created when all slots of the others are taken.
 * <pre>
 *   generations  the home writes, importers read    its word: the generation of the slot; a key with another one is void
 *   operations   an importer writes, the home reads  its word: its operations in progress on the slot
 * </pre>
 *
 * <p>An importer increments its word, fences, and reads the generation; the home changes the generation, fences, and reads the
 * word. So at least one of them sees the other: either the importer sees that the window is revoked and moves no byte, or the
 * home sees an operation in progress.
 */
final class WindowTable {
    /** Of one table. */
    static final int SLOTS = 4096;

    static final int TABLES = 16;

    /** Of all tables. */
    static final int MAX_SLOTS = TABLES * SLOTS;

    static final long BYTES = SLOTS * 64L;

    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private WindowTable() {}

    /** The table with that slot. */
    static int of(int slot) {
        return slot / SLOTS;
    }

    private static long at(int slot) {
        return slot % SLOTS * 64L;
    }

    // ---- the home

    /** The generation that later operations see. */
    static void setGeneration(MemorySegment generations, int slot, long generation) {
        WORD.setRelease(generations, at(slot), generation);
        // full fence: an operation that we do not see in progress after it cannot have seen the old generation
        VarHandle.fullFence();
    }

    /** Whether an operation is in progress; if none is, the effects of the last one are visible. */
    static boolean isBusy(MemorySegment operations, int slot) {
        return (long) WORD.getAcquire(operations, at(slot)) != 0;
    }

    // ---- the importer

    /** Announces an operation. */
    static void begin(MemorySegment operations, int slot) {
        // a volatile access, as that of the generation after it: the home sees this before we look there
        var _ = (long) WORD.getAndAdd(operations, at(slot), 1L);
    }

    /** Ends the operation; its effects are visible to a home that sees the word. */
    static void end(MemorySegment operations, int slot) {
        var _ = (long) WORD.getAndAdd(operations, at(slot), -1L);
    }

    /** The generation that is valid now, read after {@link #begin}. */
    static long generation(MemorySegment generations, int slot) {
        return (long) WORD.getVolatile(generations, at(slot));
    }
}
