package io.urma4j.buffer;

import io.urma4j.Access;
import org.jspecify.annotations.Nullable;

/**
 * A range of a {@link RemoteBuf} that its user can narrow and move. It never has a byte that the {@code RemoteBuf} lacks: {@link
 * #resetRange} restores the range of that, also for a cursor that was derived from another (S14.4).
 *
 * <p>A range that does not fit gives {@link #INVALID} or false, and never an exception or a wrapped number (S14.1). An invalid
 * cursor answers 0 or false (S14.2). For one thread at a time: another thread uses a {@link #copy}.
 */
public final class RemoteCursor {
    /** The cursor of no memory. */
    public static final RemoteCursor INVALID = new RemoteCursor(RemoteBuf.INVALID, 0, 0);

    private final RemoteBuf whole;
    private long begin; // in the whole
    private long length;

    RemoteCursor(RemoteBuf whole, long begin, long length) {
        this.whole = whole;
        this.begin = begin;
        this.length = length;
    }

    // ---- queries

    /** Whether it is a range of memory. */
    public boolean isValid() {
        return whole.isValid();
    }

    /** Bytes of the range; 0 if it is invalid. */
    public long size() {
        return length;
    }

    /** Whether its size is 0; such a cursor may be valid. */
    public boolean isEmpty() {
        return length == 0;
    }

    /** Bytes of the {@link RemoteBuf} that it is a range of; 0 if it is invalid. */
    public long capacity() {
        return whole.size();
    }

    /** What the home has granted; LOCAL_ONLY, which is nothing, if it is invalid. */
    public Access access() {
        return whole.access();
    }

    /** The home's address of its first byte, as {@link RemoteBuf#address} has it. */
    public long address() {
        return whole.address() + begin;
    }

    /** Whether the range of the home's addresses lies inside; an empty one at the end does (S14.3). */
    public boolean contains(long address, long lengthBytes) {
        return isValid() && RemoteBuf.isInside(address - address(), lengthBytes, length);
    }

    /** The current range; later moves do not change it. */
    public RemoteBuf buf() {
        return whole.subrange(begin, length);
    }

    // ---- ranges

    /** Moves the start forward by {@code bytes}; false, without effect, if it has fewer. */
    public boolean advance(long bytes) {
        if (!isValid() || !RemoteBuf.isInside(0, bytes, length)) {
            return false;
        }
        begin += bytes;
        length -= bytes;
        return true;
    }

    /** Moves the end back by {@code bytes}; false, without effect, if it has fewer. */
    public boolean subtract(long bytes) {
        if (!isValid() || !RemoteBuf.isInside(0, bytes, length)) {
            return false;
        }
        length -= bytes;
        return true;
    }

    /** A part as another cursor; {@link #INVALID} if it does not fit. */
    public RemoteCursor subrange(long offset, long lengthBytes) {
        return isValid() && RemoteBuf.isInside(offset, lengthBytes, length)
                ? new RemoteCursor(whole, begin + offset, lengthBytes)
                : INVALID;
    }

    /** The first {@code bytes}; {@link #INVALID} if it has fewer. */
    public RemoteCursor first(long bytes) {
        return subrange(0, bytes);
    }

    /** The last {@code bytes}; {@link #INVALID} if it has fewer. */
    public RemoteCursor last(long bytes) {
        return RemoteBuf.isInside(0, bytes, length) ? subrange(length - bytes, bytes) : INVALID;
    }

    /** Removes the first {@code bytes} and returns them; {@link #INVALID}, without effect, if it has fewer. */
    public RemoteCursor takeFirst(long bytes) {
        RemoteCursor taken = first(bytes);
        advance(taken.length);
        return taken;
    }

    /** Removes the last {@code bytes} and returns them; {@link #INVALID}, without effect, if it has fewer. */
    public RemoteCursor takeLast(long bytes) {
        RemoteCursor taken = last(bytes);
        subtract(taken.length);
        return taken;
    }

    /** Restores the range of the whole {@link RemoteBuf}, and no more. */
    public void resetRange() {
        begin = 0;
        length = whole.size();
    }

    /** Another cursor at the same range, which moves on its own. */
    public RemoteCursor copy() {
        return isValid() ? new RemoteCursor(whole, begin, length) : INVALID;
    }

    // ---- values

    /** The same range of the same windows; changes as the range does. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RemoteCursor cursor && buf().equals(cursor.buf());
    }

    @Override
    public int hashCode() {
        return buf().hashCode();
    }

    @Override
    public String toString() {
        return isValid() ? "cursor at " + begin + " of " + whole + ", with " + length + " bytes" : "invalid cursor";
    }
}
