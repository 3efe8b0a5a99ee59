package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import io.urma4j.internal.Checks;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory of another process that it has exported to this one: a range of bytes that some devices reach, each by a window of its
 * own. A message carries it, in one of the forms of {@link RemoteBufCodec}. Immutable, and safe for any thread.
 *
 * <p>A part of it never has a byte more, nor more access (S14.29). A range that does not fit gives {@link #INVALID}, and never an
 * exception or a wrapped number (S14.1). An invalid one answers 0 or false (S14.2). {@link #cursor} gives a range that moves.
 */
public final class RemoteBuf {
    /** The range of no memory. */
    public static final RemoteBuf INVALID = new RemoteBuf(List.of(), 0, 0);

    /** Most devices, and most contexts of a process. */
    static final int MOST_DEVICES = 16;

    private static final String NAME = "RemoteBuf";

    private final List<Window> windows; // in the order of their devices; all with one length and access
    private final long offset; // in each window
    private final long lengthBytes;

    private RemoteBuf(List<Window> windows, long offset, long lengthBytes) {
        this.windows = windows;
        this.offset = offset;
        this.lengthBytes = lengthBytes;
    }

    /**
     * How one device reaches the memory.
     *
     * @param device place of the home's context among those of its pool, 0…15; places may be missing
     * @param user place of the context that may use the window, among those of its {@link Peer}, 0…15
     * @param segment what that context imports, without a token
     * @param key what it opens there
     */
    public record Window(int device, int user, SegmentDescriptor segment, WindowKey key) {
        /**
         * Checks the values.
         *
         * @throws UrmaException EINVAL for a place outside 0…15, for a window that is empty or outside of its segment, or for
         *     more access than the segment has
         */
        public Window {
            Checks.inRange(NAME, "device", device, 0, MOST_DEVICES - 1);
            Checks.inRange(NAME, "user", user, 0, MOST_DEVICES - 1);
            Checks.inRange(NAME, "slot", key.slot(), 0, Integer.MAX_VALUE);
            Checks.inRange(NAME, "length of the window", key.lengthBytes(), 1, Long.MAX_VALUE);
            Checks.range(NAME, key.offset(), key.lengthBytes(), segment.lengthBytes());
            if (key.access() == Access.LOCAL_ONLY || !segment.access().covers(key.access())) {
                throw Checks.invalid(
                        NAME,
                        "a window as " + key.access() + " of a segment as " + segment.access() + " is impossible");
            }
        }

        /** Of what tells windows apart: batches look them up for each request. */
        @Override
        public int hashCode() {
            return 31 * (31 * segment.hashCode() + key.slot()) + Long.hashCode(key.generation());
        }
    }

    /**
     * The whole of some windows of the same memory.
     *
     * @param windows 1 to 16, in ascending order of their devices
     * @throws UrmaException EINVAL for another number or order, or if they differ in length or access
     */
    public static RemoteBuf of(List<Window> windows) {
        List<Window> all = List.copyOf(windows);
        Checks.inRange(NAME, "number of windows", all.size(), 1, MOST_DEVICES);
        WindowKey first = all.getFirst().key();
        for (int i = 1; i < all.size(); i++) {
            WindowKey key = all.get(i).key();
            if (key.lengthBytes() != first.lengthBytes() || key.access() != first.access()) {
                throw Checks.invalid(NAME, "its windows differ in length or access");
            }
            if (all.get(i).device() <= all.get(i - 1).device()) {
                throw Checks.invalid(
                        NAME,
                        "device " + all.get(i).device() + " stands behind device "
                                + all.get(i - 1).device() + ", must be in ascending order and once");
            }
        }
        return new RemoteBuf(all, 0, first.lengthBytes());
    }

    // ---- queries

    /** Whether it is a range of memory. Only an operation shows whether its home still grants it. */
    public boolean isValid() {
        return !windows.isEmpty();
    }

    /** This one; refuses with EINVAL if it is invalid. */
    public RemoteBuf orThrow() {
        if (!isValid()) {
            throw Checks.invalid(this, "is a range that did not fit, or of no memory");
        }
        return this;
    }

    /** Bytes of the range; 0 if it is invalid. */
    public long size() {
        return lengthBytes;
    }

    /** Whether its size is 0; such a range may be valid. */
    public boolean isEmpty() {
        return lengthBytes == 0;
    }

    /** What the home has granted; LOCAL_ONLY, which is nothing, if it is invalid. */
    public Access access() {
        return windows.isEmpty() ? Access.LOCAL_ONLY : windows.getFirst().key().access();
    }

    /** The windows, in ascending order of their devices; none if it is invalid. */
    public List<Window> windows() {
        return windows;
    }

    /** The window of one of the home's devices; empty if it has none, as for every negative place. */
    public Optional<Window> window(int device) {
        for (int i = 0; i < windows.size(); i++) { // without the garbage of an iterator
            Window window = windows.get(i);
            if (window.device() == device) {
                return Optional.of(window);
            }
        }
        return Optional.empty();
    }

    /** Offset of its first byte in each of the windows; 0 if it is invalid. */
    public long offset() {
        return offset;
    }

    /**
     * The home's address of its first byte; 0 if it is invalid. It counts from the start of the segment if the descriptor has no
     * endpoint.
     */
    public long address() {
        if (windows.isEmpty()) {
            return 0;
        }
        Window first = windows.getFirst();
        List<Endpoint> endpoints = first.segment().endpoints();
        long base = endpoints.isEmpty() ? 0 : endpoints.getFirst().vaBase();
        return base + first.key().offset() + offset;
    }

    /** Whether the range of the home's addresses lies inside; an empty one at the end does (S14.3). */
    public boolean contains(long address, long lengthBytes) {
        return isValid() && isInside(address - address(), lengthBytes, this.lengthBytes);
    }

    // ---- parts

    /** A part of it; {@link #INVALID} if it does not fit. */
    public RemoteBuf subrange(long offset, long lengthBytes) {
        return isValid() && isInside(offset, lengthBytes, this.lengthBytes)
                ? new RemoteBuf(windows, this.offset + offset, lengthBytes)
                : INVALID;
    }

    /** The first {@code bytes}; {@link #INVALID} if it has fewer. */
    public RemoteBuf first(long bytes) {
        return subrange(0, bytes);
    }

    /** The last {@code bytes}; {@link #INVALID} if it has fewer. */
    public RemoteBuf last(long bytes) {
        return isInside(0, bytes, lengthBytes) ? subrange(lengthBytes - bytes, bytes) : INVALID;
    }

    /** A range that moves, and cannot leave this one. */
    public RemoteCursor cursor() {
        return isValid() ? new RemoteCursor(this, 0, lengthBytes) : RemoteCursor.INVALID;
    }

    /** Whether a part with these values fits into {@code sizeBytes}. */
    static boolean isInside(long offset, long lengthBytes, long sizeBytes) {
        // subtract, because offset + lengthBytes may overflow
        return (offset | lengthBytes) >= 0 && offset <= sizeBytes - lengthBytes;
    }

    // ---- forms

    /** Its text form: one line without blanks, checksummed. */
    public String toText() {
        return new RemoteBufCodec().toText(this);
    }

    /**
     * Parses the text form; surrounding blanks are ignored.
     *
     * @throws io.urma4j.DescriptorException if any character differs from what {@link #toText} wrote
     */
    public static RemoteBuf parse(String text) {
        return new RemoteBufCodec().parse(text);
    }

    // ---- values

    /** The same range of the same windows. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RemoteBuf buf
                && offset == buf.offset
                && lengthBytes == buf.lengthBytes
                && windows.equals(buf.windows);
    }

    @Override
    public int hashCode() {
        return Long.hashCode((windows.hashCode() * 31L + offset) * 31 + lengthBytes);
    }

    @Override
    public String toString() {
        return windows.isEmpty()
                ? "invalid remote buffer"
                : "remote buffer of " + lengthBytes + " bytes as " + access() + " on " + windows.size()
                        + (windows.size() == 1 ? " device" : " devices");
    }
}
