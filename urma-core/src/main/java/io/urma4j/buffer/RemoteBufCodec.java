package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import io.urma4j.internal.Checks;
import io.urma4j.internal.descriptor.DescriptorField;
import io.urma4j.internal.descriptor.DescriptorKind;
import io.urma4j.internal.descriptor.DescriptorText;
import io.urma4j.internal.descriptor.FrameBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads {@link RemoteBuf}s: binary, as a line of text, and as JSON (S14.30). The binary forms make no garbage besides
 * their result. For one thread at a time; keep one for each connection, since it caches the descriptors of the last segments.
 *
 * <p>The binary form is a descriptor of the kind {@code remote-buf}, or {@code remote-bufs} for a list, big-endian and with a
 * checksum. Each segment stands there once, whatever number of windows it has:
 *
 * <pre>
 * field WINDOWS_HOME, for each segment        field REMOTE_BUFS, for each buffer
 *    0  device         u8                        0  number of windows   u8   bit 7: a range follows
 *    1  user           u8                        1  access              u8   of the windows
 *    2  import number  u64                       2  length              u64  of the windows
 *   10  fields of its descriptor                 …  offset, length      u64  of the range, if bit 7 is set
 *                                                then for each window
 *                                                   segment             u16  place of its field WINDOWS_HOME
 *                                                   slot                u32
 *                                                   generation          u64
 *                                                   offset              u64  in the segment
 * </pre>
 */
public final class RemoteBufCodec {
    /** Maximum bytes of a binary form. */
    public static final int MOST_BYTES = 49_088;

    private static final String NAME = "RemoteBufCodec";
    private static final int HAS_RANGE = 0x80;

    private final FrameBuffer frame = new FrameBuffer();
    private final SegmentCache segments = new SegmentCache();
    private final WindowHomes homes = new WindowHomes(); // of one message

    /** A codec with an empty cache. */
    public RemoteBufCodec() {}

    // ---- binary

    /**
     * Writes a buffer to the start of {@code to}.
     *
     * @return the number of bytes
     * @throws UrmaException EINVAL if {@code buf} is invalid, or {@code to} too short for it
     */
    public int encode(RemoteBuf buf, MemorySegment to) {
        return copied(seal(buf.orThrow()), to);
    }

    /**
     * Reads the buffer that is all of {@code from}.
     *
     * @throws DescriptorException if the bytes are anything but what {@link #encode} wrote
     */
    public RemoteBuf decode(MemorySegment from) {
        try {
            readHomes(DescriptorKind.REMOTE_BUF, from);
            RemoteBuf buf = readBuf();
            checkAtEnd();
            return buf;
        } catch (UrmaException e) {
            throw refused(e);
        } finally {
            homes.clear();
        }
    }

    /**
     * Writes a list of buffers to the start of {@code to}.
     *
     * @return the number of bytes
     * @throws UrmaException EINVAL if one is invalid, or {@code to} too short; or if they need more than {@link #MOST_BYTES}
     */
    public int encodeAll(List<RemoteBuf> bufs, MemorySegment to) {
        return copied(seal(bufs), to);
    }

    /**
     * Reads the list of buffers that is all of {@code from}.
     *
     * @throws DescriptorException if the bytes are anything but what {@link #encodeAll} wrote
     */
    public List<RemoteBuf> decodeAll(MemorySegment from) {
        try {
            readHomes(DescriptorKind.REMOTE_BUF_LIST, from);
            List<RemoteBuf> all = new ArrayList<>();
            while (frame.hasRemaining()) {
                all.add(readBuf());
            }
            return List.copyOf(all);
        } catch (UrmaException e) {
            throw refused(e);
        } finally {
            homes.clear();
        }
    }

    private int copied(int length, MemorySegment to) {
        if (to.byteSize() < length) {
            throw Checks.invalid(NAME, "the form has " + length + " bytes, but there is room for " + to.byteSize());
        }
        frame.copyTo(to);
        return length;
    }

    // ---- writing

    private int seal(RemoteBuf buf) {
        try {
            collectHomes(buf);
            writeHomes(DescriptorKind.REMOTE_BUF);
            int bufs = frame.beginField(DescriptorField.REMOTE_BUFS);
            write(buf);
            frame.endField(bufs);
            return frame.seal();
        } finally {
            homes.clear();
        }
    }

    private int seal(List<RemoteBuf> all) {
        try {
            for (int i = 0; i < all.size(); i++) { // without the garbage of an iterator
                collectHomes(all.get(i).orThrow());
            }
            writeHomes(DescriptorKind.REMOTE_BUF_LIST);
            int bufs = frame.beginField(DescriptorField.REMOTE_BUFS);
            for (int i = 0; i < all.size(); i++) {
                write(all.get(i));
            }
            frame.endField(bufs);
            return frame.seal();
        } finally {
            homes.clear();
        }
    }

    private void collectHomes(RemoteBuf buf) {
        List<RemoteBuf.Window> windows = buf.windows();
        for (int i = 0; i < windows.size(); i++) {
            var _ = homes.placeOf(windows.get(i));
        }
    }

    private void writeHomes(DescriptorKind kind) {
        frame.begin(kind);
        for (int place = 0; place < homes.count(); place++) {
            int field = frame.beginField(DescriptorField.WINDOWS_HOME);
            frame.putByte(homes.device(place));
            frame.putByte(homes.user(place));
            frame.putLong(homes.importNumber(place));
            frame.putBytes(segments.bytesOf(homes.segment(place)));
            frame.endField(field);
        }
    }

    private void write(RemoteBuf buf) {
        List<RemoteBuf.Window> windows = buf.windows();
        long windowBytes = windows.getFirst().key().lengthBytes();
        boolean isWhole = buf.offset() == 0 && buf.size() == windowBytes;
        frame.putByte(windows.size() | (isWhole ? 0 : HAS_RANGE));
        frame.putByte(buf.access().mask());
        frame.putLong(windowBytes);
        if (!isWhole) {
            frame.putLong(buf.offset());
            frame.putLong(buf.size());
        }
        for (int i = 0; i < windows.size(); i++) {
            WindowKey key = windows.get(i).key();
            frame.putShort(homes.placeOf(windows.get(i)));
            frame.putInt(key.slot());
            frame.putLong(key.generation());
            frame.putLong(key.offset());
        }
    }

    // ---- reading

    /** Reads all fields, and then stands before the first buffer, with the last one at the end. */
    private void readHomes(DescriptorKind kind, MemorySegment from) {
        frame.open(kind, from);
        int bufs = -1;
        int bufsBytes = 0;
        while (frame.hasRemaining()) {
            DescriptorField field = frame.nextField(kind);
            if (field == DescriptorField.WINDOWS_HOME) {
                readHome(frame.fieldBytes());
            } else if (field == DescriptorField.REMOTE_BUFS) {
                if (bufs >= 0) {
                    throw new DescriptorException("field '" + field + "' occurs twice");
                }
                bufs = frame.position();
                bufsBytes = frame.fieldBytes();
                frame.skip(bufsBytes);
            }
        }
        if (bufs < 0) {
            throw new DescriptorException("field '" + DescriptorField.REMOTE_BUFS + "' is missing");
        }
        frame.restrict(bufs, bufsBytes);
    }

    private void readHome(int fieldBytes) {
        int end = frame.position() + fieldBytes;
        int device = frame.getByte();
        int user = frame.getByte();
        long importNumber = frame.getLong();
        int length = end - frame.position();
        if (length < 0) {
            throw new DescriptorException(
                    "field '" + DescriptorField.WINDOWS_HOME + "' is truncated: " + fieldBytes + " bytes");
        }
        SegmentDescriptor segment = segments.descriptorOf(frame.bytes(), frame.position(), length);
        frame.skip(length);
        homes.add(device, user, importNumber, segment);
    }

    private RemoteBuf readBuf() {
        int head = frame.getByte();
        int count = head & ~HAS_RANGE;
        Checks.inRange(NAME, "number of windows", count, 1, RemoteBuf.MOST_DEVICES);
        Access access = Access.ofMask(frame.getByte());
        long lengthBytes = frame.getLong();
        boolean hasRange = (head & HAS_RANGE) != 0;
        long rangeOffset = hasRange ? frame.getLong() : 0;
        long rangeBytes = hasRange ? frame.getLong() : lengthBytes;
        RemoteBuf whole = count == 1
                ? RemoteBuf.of(List.of(readWindow(access, lengthBytes)))
                : RemoteBuf.of(readWindows(count, access, lengthBytes));
        return hasRange ? part(whole, rangeOffset, rangeBytes) : whole;
    }

    private List<RemoteBuf.Window> readWindows(int count, Access access, long lengthBytes) {
        RemoteBuf.Window[] windows = new RemoteBuf.Window[count];
        for (int i = 0; i < count; i++) {
            windows[i] = readWindow(access, lengthBytes);
        }
        return List.of(windows);
    }

    private RemoteBuf.Window readWindow(Access access, long lengthBytes) {
        int place = frame.getShort();
        int slot = frame.getInt();
        long generation = frame.getLong();
        long offset = frame.getLong();
        if (place >= homes.count()) {
            throw new DescriptorException("a window is of segment " + place + ", but there are " + homes.count());
        }
        WindowKey key = new WindowKey(homes.importNumber(place), slot, generation, offset, lengthBytes, access);
        return new RemoteBuf.Window(homes.device(place), homes.user(place), homes.segment(place), key);
    }

    private static RemoteBuf part(RemoteBuf whole, long offset, long lengthBytes) {
        RemoteBuf part = whole.subrange(offset, lengthBytes);
        if (!part.isValid() || part.size() == whole.size()) {
            throw new DescriptorException("the range at " + offset + " of " + lengthBytes + " bytes is no part of a "
                    + "window of " + whole.size() + " bytes");
        }
        return part;
    }

    private void checkAtEnd() {
        if (frame.hasRemaining()) {
            throw new DescriptorException(frame.remaining() + " bytes stand behind the buffer");
        }
    }

    /** What a reader refuses bytes with, where a value in them is refused. */
    static DescriptorException refused(UrmaException e) {
        return e instanceof DescriptorException known ? known : new DescriptorException(e.reason());
    }

    // ---- text

    /** The text form: one line without blanks. */
    public String toText(RemoteBuf buf) {
        seal(buf.orThrow());
        return DescriptorText.write(DescriptorKind.REMOTE_BUF, frame.toBytes());
    }

    /** The text form of a list. */
    public String toText(List<RemoteBuf> bufs) {
        seal(bufs);
        return DescriptorText.write(DescriptorKind.REMOTE_BUF_LIST, frame.toBytes());
    }

    /**
     * Parses the text form of a buffer; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character differs from what {@link #toText(RemoteBuf)} wrote
     */
    public RemoteBuf parse(String text) {
        return decode(MemorySegment.ofArray(DescriptorText.read(DescriptorKind.REMOTE_BUF, text)));
    }

    /**
     * Parses the text form of a list; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character differs from what {@link #toText(List)} wrote
     */
    public List<RemoteBuf> parseAll(String text) {
        return decodeAll(MemorySegment.ofArray(DescriptorText.read(DescriptorKind.REMOTE_BUF_LIST, text)));
    }

    // ---- JSON

    /** The JSON form: one line, in the order and spelling that {@link RemoteBufJson} has. */
    public String toJson(RemoteBuf buf) {
        return RemoteBufJson.write(buf, checksum(buf));
    }

    /**
     * Parses the JSON form, with members in any order and blanks between them.
     *
     * @throws DescriptorException if it is not of this form, or if a value was changed
     */
    public RemoteBuf parseJson(String json) {
        try {
            return RemoteBufJson.read(json, this::checksum);
        } catch (UrmaException e) {
            throw refused(e);
        }
    }

    /** Of the binary form. */
    private int checksum(RemoteBuf buf) {
        seal(buf.orThrow());
        return frame.checksum();
    }
}
