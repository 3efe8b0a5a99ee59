package io.urma4j.socket.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Where the words of a ring lie. The ring is memory of its reader; the writer has it mapped. Words that one end writes and
 * the other reads are two cache lines apart from those of the other end, since processors fetch lines in pairs.
 *
 * <pre>
 *   0  tail         bytes written, ever                  the writer stores
 *   8  writer       whether a writer may still store     the reader stores LIVE, the writer DONE
 *  12  end          nothing follows the tail: 1,         the writer
 *                   ABORTED by a reset, or GONE
 *  16  base         the position of the first byte of     the writer, before the tail
 *                   the ring, where the bytes begin again
 * 128  head         bytes read, as credit                the reader
 * 136  closed       nothing will be read any more: 1     the reader
 *                   and RESET if bytes were lost
 * 140  doorbells    bytes of TCP read, ever              the reader's end
 * 144  selector     the set of ready words in which the    the reader's end
 *                   reader's end is marked, and 1, or 0
 * 148  reader       DONE once the reader stores nothing    the reader
 * 256  data wanted  the reader is going to sleep         the reader sets, the writer swaps
 * 384  room wanted  the writer is going to sleep         the writer sets, the reader swaps
 * 512  the bytes
 * </pre>
 */
public final class RingLayout {
    /** Of words of int size, and of positions. */
    public static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    public static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    public static final long TAIL = 0;
    public static final long WRITER = 8;
    static final long END = 12;
    public static final long BASE = 16;
    public static final long HEAD = 128;
    public static final long CLOSED = 136;
    static final long DOORBELLS = 140;
    public static final long SELECTOR = 144;
    public static final long READER = 148;
    static final long DATA_WANTED = 256;
    static final long ROOM_WANTED = 384;
    public static final long BYTES = 512;

    /** A writer exists that may store to the ring, or will exist. */
    public static final int LIVE = 1;

    /** The writer, or the reader, will store nothing any more. */
    public static final int DONE = 2;

    /** The writer has reset the connection, and not ended it. */
    static final int ABORTED = 2;

    /** The writer's end has closed the connection: it writes nothing any more, and sees nothing of it. */
    static final int GONE = 3;

    /** The reader has closed, and bytes were lost. */
    static final int RESET = 2;

    private RingLayout() {}

    /** The bytes of memory of a ring that holds {@code capacityBytes}. */
    public static long lengthBytes(int capacityBytes) {
        return BYTES + capacityBytes;
    }

    /** What a ring in this memory holds: a power of two. */
    static int capacityBytes(MemorySegment ring) {
        long capacityBytes = ring.byteSize() - BYTES;
        if (capacityBytes < 1 || capacityBytes > 1 << 30 || Long.bitCount(capacityBytes) != 1) {
            throw new IllegalArgumentException(
                    "ring is " + ring.byteSize() + " bytes, must be " + BYTES + " and a power of two");
        }
        return (int) capacityBytes;
    }
}
