package io.urma4j.shm.control;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Layout of the two memories by which windows are granted and taken back, native byte order: {@value #SLOTS} words, each
 * in a line of its own.
 * <pre>
 *   generations  the home writes, importers read    word s: the generation of slot s; a key with another one is void
 *   operations   an importer writes, the home reads  word s: how many of his operations on slot s are under way
 * </pre>
 *
 * <p>An importer adds to his word, fences, and looks at the generation; the home changes the generation, fences, and looks
 * at the word. So at least one of them sees the other: either the importer sees that the window is gone and moves no byte,
 * or the home sees that an operation is under way.
 */
final class WindowTable {
    static final int SLOTS = 4096;
    static final long BYTES = SLOTS * 64L;

    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private WindowTable() {}

    private static long at(int slot) {
        return slot * 64L;
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
        var _ = (long) WORD.getAndAdd(operations, at(slot), 1L);
        // full fence: the home sees this before we look at the generation
        VarHandle.fullFence();
    }

    /** Ends the operation; its effects are visible to a home that sees the word. */
    static void end(MemorySegment operations, int slot) {
        var _ = (long) WORD.getAndAdd(operations, at(slot), -1L);
    }

    static long generation(MemorySegment generations, int slot) {
        return (long) WORD.getAcquire(generations, at(slot));
    }
}
