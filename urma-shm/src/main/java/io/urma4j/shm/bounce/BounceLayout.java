package io.urma4j.shm.bounce;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.spi.support.FragmentLane;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A bounce buffer: the importer creates it, in a sealed memfd, and passes it to the home. Native byte order, zero at birth.
 *
 * <pre>
 *      0  results    64 bytes × FRAGMENTS; only the home writes them
 *           0  word  u64  bits 0…31 ticket of the request that has ended; 32…39 its result
 *           8  value u64  the value before an atomic
 *   4096  fragments  256 KiB × FRAGMENTS
 * </pre>
 *
 * <p>The home writes a result with release, once the bytes are there. The importer loads it with acquire, and then uses the
 * fragment again. A request itself travels in the message ring ({@link BounceRequest}).
 */
public final class BounceLayout {
    /** Transfers of a peer at once: each has the fragments of a {@link FragmentLane}. */
    static final int LANES = 4;

    /** Fragments of a bounce buffer. */
    static final int FRAGMENTS = LANES * FragmentLane.FRAGMENTS;

    private static final long FIRST_FRAGMENT = 4096;
    private static final int RESULT_SHIFT = 6;
    private static final int VALUE = 8;

    /** Size of a bounce buffer. */
    public static final long BYTES = FIRST_FRAGMENT + LANES * FragmentLane.SLAB_BYTES;

    // results of a request
    /** The bytes are where they belong. */
    static final int DONE = 1;
    /** The home has revoked the import, or its device has taken the memory away. */
    static final int REVOKED = 2;
    /** The home's device could not. */
    static final int FAILED = 3;
    /** The import does not permit it. */
    static final int REFUSED = 4;

    private static final VarHandle U64 = JAVA_LONG.varHandle();

    private BounceLayout() {}

    /** The slab of a lane. */
    static MemorySegment slab(MemorySegment buffer, int lane) {
        return buffer.asSlice(FIRST_FRAGMENT + lane * FragmentLane.SLAB_BYTES, FragmentLane.SLAB_BYTES);
    }

    /** The first bytes of a fragment. */
    static MemorySegment fragment(MemorySegment buffer, int fragment, int lengthBytes) {
        return buffer.asSlice(FIRST_FRAGMENT + (long) fragment * FragmentLane.MAX_FRAGMENT_BYTES, lengthBytes);
    }

    /** The request with that ticket has ended. */
    static void tell(MemorySegment buffer, int fragment, int ticket, int result, long value) {
        long at = (long) fragment << RESULT_SHIFT;
        buffer.set(JAVA_LONG, at + VALUE, value);
        U64.setRelease(buffer, at, ticket & 0xFFFF_FFFFL | (long) result << 32);
    }

    /** How the request with that ticket has ended; 0 if it has not. */
    static int result(MemorySegment buffer, int fragment, int ticket) {
        long word = (long) U64.getAcquire(buffer, (long) fragment << RESULT_SHIFT);
        return (int) word == ticket ? (int) (word >>> 32) & 0xFF : 0;
    }

    /** The value before an atomic that has ended. */
    static long value(MemorySegment buffer, int fragment) {
        return buffer.get(JAVA_LONG, ((long) fragment << RESULT_SHIFT) + VALUE);
    }
}
