package io.urma4j.buffer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.urma4j.LocalSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A range of a buffer, which its user can narrow and move. Created by {@link RdmaBuf#view}, and from other views.
 *
 * <p>A view does not own the buffer. Once the last {@link RdmaBuf} of the lease is closed, the view is stale (S14.8): {@link
 * #isValid} returns false, {@link #copy}, {@link #equals}, {@link #hashCode} and {@link #toString} answer as before, and each
 * other call throws EINVAL "is closed". A read never returns bytes of the memory's next owner. A store that races with the close
 * of the last handle can still reach the memory, so threads that store need a handle of their own.
 *
 * <p>A range that does not fit gives {@link #INVALID} or false, and never an exception or a wrapped number (S14.1). An
 * invalid view answers 0 or false; only its bytes cannot be used (S14.2).
 *
 * <p>Offsets count from the start of the view; words are in native byte order, at any alignment. For one thread at a time:
 * another thread uses a {@link #copy}.
 */
public final class BufView {
    /** The view of no buffer. */
    public static final BufView INVALID = new BufView();

    private final @Nullable RdmaBuf buf; // null for the invalid view alone
    private final Block block;
    private final MemorySegment memory; // of the block, one hop nearer
    private final long generation;
    private long begin; // in the block
    private long length;
    private @Nullable MemorySegment slice; // of exactly this range; null until it is asked for

    private BufView() {
        this.buf = null;
        this.block = Block.NONE;
        this.memory = block.memory();
        this.generation = -1;
    }

    BufView(RdmaBuf buf, long begin, long length) {
        this.buf = buf;
        this.block = buf.block();
        this.memory = block.memory();
        this.generation = buf.generation();
        this.begin = begin;
        this.length = length;
    }

    // ---- queries

    /** Whether it is a range of a buffer that is still open. */
    public boolean isValid() {
        return block.isLive(generation);
    }

    /** This view; refuses with EINVAL if it is invalid or stale. */
    public BufView orThrow() {
        if (!block.isLive(generation)) {
            throw refusal();
        }
        return this;
    }

    /** Bytes of the view; 0 if it is invalid. */
    public long size() {
        return exists() ? length : 0;
    }

    /** Whether its size is 0; such a view may be valid. */
    public boolean isEmpty() {
        return size() == 0;
    }

    /** Bytes of the whole lease; 0 if the view is invalid. */
    public long capacity() {
        return buf != null && exists() ? buf.lengthBytes() : 0;
    }

    /** Address of its first byte; 0 if it is invalid. */
    public long address() {
        return exists() ? memory.address() + begin : 0;
    }

    /** Whether the range of addresses lies inside; an empty one at the end does (S14.3). */
    public boolean contains(long address, long lengthBytes) {
        if (!exists()) {
            return false;
        }
        long offset = address - (memory.address() + begin);
        return isInside(offset, lengthBytes);
    }

    // ---- ranges

    /** Moves the start forward by {@code bytes}; false, without effect, if it has fewer. */
    public boolean advance(long bytes) {
        if (!exists() || !isInside(0, bytes)) {
            return false;
        }
        move(begin + bytes, length - bytes);
        return true;
    }

    /** Moves the end back by {@code bytes}; false, without effect, if it has fewer. */
    public boolean subtract(long bytes) {
        if (!exists() || !isInside(0, bytes)) {
            return false;
        }
        move(begin, length - bytes);
        return true;
    }

    /** A part as another view; {@link #INVALID} if it does not fit. */
    public BufView subrange(long offset, long lengthBytes) {
        return buf != null && exists() && isInside(offset, lengthBytes)
                ? new BufView(buf, begin + offset, lengthBytes)
                : INVALID;
    }

    /** The first {@code bytes}; {@link #INVALID} if it has fewer. */
    public BufView first(long bytes) {
        return subrange(0, bytes);
    }

    /** The last {@code bytes}; {@link #INVALID} if it has fewer. */
    public BufView last(long bytes) {
        return exists() && isInside(0, bytes) ? subrange(length - bytes, bytes) : INVALID;
    }

    /** Removes the first {@code bytes} and returns them; {@link #INVALID}, without effect, if it has fewer. */
    public BufView takeFirst(long bytes) {
        BufView taken = first(bytes);
        advance(taken.length);
        return taken;
    }

    /** Removes the last {@code bytes} and returns them; {@link #INVALID}, without effect, if it has fewer. */
    public BufView takeLast(long bytes) {
        BufView taken = last(bytes);
        subtract(taken.length);
        return taken;
    }

    /** Restores the range of the whole lease, also of a view that was derived from another (S14.4). */
    public void resetRange() {
        if (buf != null && exists()) {
            move(buf.start(), buf.lengthBytes());
        }
    }

    private void move(long newBegin, long newLength) {
        begin = newBegin;
        length = newLength;
        slice = null;
    }

    /** Another view of the same range, which moves on its own. */
    public BufView copy() {
        return buf == null ? INVALID : new BufView(buf, begin, length);
    }

    // ---- bytes

    public byte getByte(long offset) {
        byte value;
        try {
            value = memory.get(JAVA_BYTE, at(offset, Byte.BYTES));
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
        checkRead();
        return value;
    }

    public int getInt(long offset) {
        int value;
        try {
            value = memory.get(JAVA_INT_UNALIGNED, at(offset, Integer.BYTES));
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
        checkRead();
        return value;
    }

    public long getLong(long offset) {
        long value;
        try {
            value = memory.get(JAVA_LONG_UNALIGNED, at(offset, Long.BYTES));
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
        checkRead();
        return value;
    }

    public void putByte(long offset, byte value) {
        orThrow();
        try {
            memory.set(JAVA_BYTE, at(offset, Byte.BYTES), value);
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
    }

    public void putInt(long offset, int value) {
        orThrow();
        try {
            memory.set(JAVA_INT_UNALIGNED, at(offset, Integer.BYTES), value);
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
    }

    public void putLong(long offset, long value) {
        orThrow();
        try {
            memory.set(JAVA_LONG_UNALIGNED, at(offset, Long.BYTES), value);
        } catch (IllegalStateException | WrongThreadException e) {
            throw unusable(e);
        }
    }

    /**
     * Its bytes for plain code. The lease is checked now, and not at each access: the segment must not be used after the
     * buffer is closed. Memory of {@link RdmaBuf#allocate} then refuses with {@code IllegalStateException}.
     */
    public MemorySegment segment() {
        orThrow();
        MemorySegment known = slice;
        return known != null ? known : cut();
    }

    private MemorySegment cut() {
        MemorySegment made = memory.asSlice(begin, length);
        slice = made;
        return made;
    }

    /**
     * Its bytes for channels, as {@link #segment} has them; big-endian, like every new buffer.
     *
     * @throws UrmaException EINVAL for 2 GiB or more
     */
    public ByteBuffer asByteBuffer() {
        if (size() > Integer.MAX_VALUE) {
            throw Checks.invalid(this, "is longer than the " + Integer.MAX_VALUE + " bytes of a ByteBuffer");
        }
        return segment().asByteBuffer();
    }

    // ---- for operations

    /**
     * The registration with a context, for work requests posted by hand: their local range is {@link #localOffset} and
     * {@link #size}. The caller keeps a handle open until their record. A {@link BufQueue} does that by itself.
     *
     * @throws UrmaException EINVAL if the view is invalid or stale, or the buffer is not registered with that context
     */
    public LocalSegment localSegment(UrmaContext context) {
        orThrow();
        return block.registeredWith(context, this);
    }

    /** Offset of its first byte in the {@link #localSegment}; 0 if it is invalid. */
    public long localOffset() {
        return exists() ? begin : 0;
    }

    /** Whether the buffer is registered with that context; false if the view is invalid. */
    boolean isRegisteredWith(UrmaContext context) {
        return block.registrationWith(context) != null;
    }

    /** The handle that it keeps reachable; refuses if the view is invalid. */
    RdmaBuf buf() {
        if (buf == null) {
            throw refusal();
        }
        return buf;
    }

    /** Whether it is a range of that lease. */
    boolean isOf(Block leased, long ofGeneration) {
        return block == leased && generation == ofGeneration;
    }

    /** Holds the buffer for an operation; {@link Block#unhold} must follow its last record. */
    Block hold() {
        block.hold(generation, this);
        return block;
    }

    // ---- checks

    /** False for the invalid view; refuses if the view is stale. */
    private boolean exists() {
        if (block.isLive(generation)) {
            return true;
        }
        if (buf != null) {
            throw refusal();
        }
        return false;
    }

    private boolean isInside(long offset, long lengthBytes) {
        // subtract, because offset + lengthBytes may overflow
        return (offset | lengthBytes) >= 0 && offset <= length - lengthBytes;
    }

    /** Where an access is in the block. */
    private long at(long offset, int sizeBytes) {
        if (offset < 0 || offset > length - sizeBytes) {
            throw outside(offset, sizeBytes);
        }
        return begin + offset;
    }

    private UrmaException outside(long offset, long lengthBytes) {
        return isValid() ? Checks.outOfRange(this, offset, lengthBytes, length) : refusal();
    }

    /** After the load, because the lease could end between a check and a later load. */
    private void checkRead() {
        if (!block.isStillLive(generation)) {
            throw refusal();
        }
    }

    private UrmaException refusal() {
        return buf == null ? Checks.invalid(this, "is a range that did not fit, or of no buffer") : Checks.closed(this);
    }

    /** The memory was closed, or belongs to another thread. */
    private UrmaException unusable(RuntimeException cause) {
        Placement.forgetFence(cause);
        return cause instanceof WrongThreadException
                ? Checks.invalid(this, "the memory belongs to another thread; use a shared arena")
                : Checks.closed(this);
    }

    // ---- values

    /** The same range of the same lease; changes as the range does. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BufView view
                && block == view.block
                && generation == view.generation
                && begin == view.begin
                && length == view.length;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(((System.identityHashCode(block) * 31L + generation) * 31 + begin) * 31 + length);
    }

    @Override
    public String toString() {
        return buf == null
                ? "invalid view"
                : "view of " + length + " bytes at offset " + (begin - buf.start()) + " of " + buf;
    }
}
