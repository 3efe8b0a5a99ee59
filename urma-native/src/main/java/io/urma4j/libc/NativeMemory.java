package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Native memory for hot paths: a load or store checks the bounds, and nothing else. The memory is this process's own, and is
 * freed only when no reference to it is left, so an access cannot meet freed memory.
 *
 * <p>An access to a {@link MemorySegment} asks first which kind of segment it is, whether it is alive and whose it is: about
 * 40 instructions where two kinds occur in a process, and here 7. Where three kinds occur the compiler inlines none of
 * it.
 *
 * <p>Any offset outside the range throws {@link IndexOutOfBoundsException}. Plain accesses need no alignment; those with
 * acquire or release do. For any thread.
 */
@SuppressWarnings("ReachabilityFenceUsage") // an access that throws has touched nothing
public final class NativeMemory {
    private static final MemorySegment ALL = makeAll();
    private static final VarHandle INT = JAVA_INT.varHandle();
    private static final VarHandle LONG = JAVA_LONG.varHandle();

    /** No memory: a place for a reference that names none yet. */
    public static final NativeMemory NONE = new NativeMemory(MemorySegment.NULL);

    /**
     * Addresses and lengths are kept shifted by so much: back from there, the compiler knows that they are neither negative nor
     * so large that their sum could be beyond all memory. It leaves out the check of the bounds of {@link #ALL}.
     */
    private static final int SHIFT = 16;

    private final MemorySegment segment; // keeps the memory
    private final long address;
    private final long bytePlaces; // in how many places there is a byte; and two, four, eight
    private final long shortPlaces;
    private final long intPlaces;
    private final long longPlaces;

    private NativeMemory(MemorySegment segment) {
        this.segment = segment;
        this.address = segment.address() << SHIFT;
        this.bytePlaces = places(segment, Byte.BYTES);
        this.shortPlaces = places(segment, Short.BYTES);
        this.intPlaces = places(segment, Integer.BYTES);
        this.longPlaces = places(segment, Long.BYTES);
    }

    private static long places(MemorySegment segment, int bytes) {
        return Math.max(0, segment.byteSize() - bytes + 1) << SHIFT;
    }

    @SuppressWarnings("restricted") // each access is checked against the range of a segment
    private static MemorySegment makeAll() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** New memory of zeros, at the beginning of a cache line. It is freed when nothing refers to it any more. */
    public static NativeMemory allocate(long lengthBytes) {
        return new NativeMemory(Arena.ofAuto().allocate(lengthBytes, 64));
    }

    /**
     * The memory of a native segment, which may be written, and whose arena cannot be closed: that of {@link Arena#ofAuto()} or {@link
     * Arena#global()}. An arena that is closed would leave this object without memory.
     */
    public static NativeMemory of(MemorySegment segment) {
        if (!segment.isNative() || segment.isReadOnly()) {
            throw new IllegalArgumentException("segment must be native memory that may be written: " + segment);
        }
        return new NativeMemory(segment);
    }

    /** The part from {@code offset} on. */
    public NativeMemory from(long offset) {
        return new NativeMemory(segment.asSlice(offset));
    }

    /** The same memory for everything but loads and stores. */
    public MemorySegment segment() {
        return segment;
    }

    public long address() {
        return address >>> SHIFT;
    }

    public long lengthBytes() {
        return bytePlaces >>> SHIFT;
    }

    /** The address of an offset below {@code places}, which is shifted. */
    private long place(long at, long places) {
        return (address >>> SHIFT) + Objects.checkIndex(at, places >>> SHIFT);
    }

    /** The address of a range. */
    private long range(long at, int bytes) {
        return (address >>> SHIFT) + Objects.checkFromIndexSize(at, bytes, lengthBytes());
    }

    public byte getByte(long at) {
        byte value = ALL.get(JAVA_BYTE, place(at, bytePlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setByte(long at, int value) {
        ALL.set(JAVA_BYTE, place(at, bytePlaces), (byte) value);
        Reference.reachabilityFence(this);
    }

    public short getShort(long at) {
        short value = ALL.get(JAVA_SHORT_UNALIGNED, place(at, shortPlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setShort(long at, int value) {
        ALL.set(JAVA_SHORT_UNALIGNED, place(at, shortPlaces), (short) value);
        Reference.reachabilityFence(this);
    }

    public int getInt(long at) {
        int value = ALL.get(JAVA_INT_UNALIGNED, place(at, intPlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setInt(long at, int value) {
        ALL.set(JAVA_INT_UNALIGNED, place(at, intPlaces), value);
        Reference.reachabilityFence(this);
    }

    public long getLong(long at) {
        long value = ALL.get(JAVA_LONG_UNALIGNED, place(at, longPlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setLong(long at, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, place(at, longPlaces), value);
        Reference.reachabilityFence(this);
    }

    public int getIntAcquire(long at) {
        int value = (int) INT.getAcquire(ALL, place(at, intPlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setIntRelease(long at, int value) {
        INT.setRelease(ALL, place(at, intPlaces), value);
        Reference.reachabilityFence(this);
    }

    public long getLongAcquire(long at) {
        long value = (long) LONG.getAcquire(ALL, place(at, longPlaces));
        Reference.reachabilityFence(this);
        return value;
    }

    public void setLongRelease(long at, long value) {
        LONG.setRelease(ALL, place(at, longPlaces), value);
        Reference.reachabilityFence(this);
    }

    /** Copies bytes between two ranges, which may overlap; beyond the end of either it throws, and copies nothing. */
    public static void copy(NativeMemory from, long fromAt, NativeMemory to, long toAt, int lengthBytes) {
        MemorySegment.copy(ALL, from.range(fromAt, lengthBytes), ALL, to.range(toAt, lengthBytes), lengthBytes);
        Reference.reachabilityFence(from);
        Reference.reachabilityFence(to);
    }

    /** Whether two ranges have the same bytes. */
    public boolean isSame(long at, NativeMemory other, long otherAt, long lengthBytes) {
        return MemorySegment.mismatch(segment, at, at + lengthBytes, other.segment, otherAt, otherAt + lengthBytes) < 0;
    }

    /** Writes zeros. */
    public void clear(long at, long lengthBytes) {
        segment.asSlice(at, lengthBytes).fill((byte) 0);
    }

    @Override
    public String toString() {
        return "native memory of " + lengthBytes() + " bytes at 0x" + Long.toHexString(address());
    }
}
