package io.urma4j.internal.remote;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.urma4j.RegionMember;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The members of a region, in the memory of its owner, which others read one-sidedly; native byte order.
 * <pre>
 *    0  mark       u64  "URMARGN1"
 *    8  committed  u64  bytes that hold header and entries; grows only
 *   16  entries, each at a multiple of 8:
 *         0  state   u64  1 a member, 2 removed
 *         8  offset  u64  in the region
 *        16  length  u32  of the line
 *        20  line         {@link SharedSegment#toLine}, ASCII, filled up to a multiple of 8
 * </pre>
 *
 * <p>The owner writes an entry and then, with release, {@code committed}; after that it changes nothing but the state. So
 * a reader of {@code committed} may read everything before it at any time.
 */
public final class RegionTable {
    /** Room for thousands of members. */
    public static final long BYTES = 8 << 20;

    public static final long COMMITTED = 8;
    public static final long HEADER = 16;
    private static final long MARK = 0x314E_4752_414D_5255L;

    private static final long MEMBER = 1;
    private static final long REMOVED = 2;
    private static final long LINE = 20;

    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private RegionTable() {}

    // ---- the owner

    public static void begin(MemorySegment table) {
        table.set(JAVA_LONG, 0, MARK);
        WORD.setRelease(table, COMMITTED, HEADER);
    }

    /** The bytes of an entry of this line. */
    public static long entryBytes(String line) {
        return (LINE + line.length() + 7) & -8;
    }

    /** Writes an entry at {@code at}, which no reader sees yet. */
    public static void write(MemorySegment table, long at, long offset, String line) {
        table.set(JAVA_LONG, at, MEMBER);
        table.set(JAVA_LONG, at + 8, offset);
        table.set(JAVA_INT_UNALIGNED, at + 16, line.length());
        byte[] ascii = line.getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(ascii, 0, table, JAVA_BYTE, at + LINE, ascii.length);
    }

    /** Shows everything before {@code end}. */
    public static void commit(MemorySegment table, long end) {
        WORD.setRelease(table, COMMITTED, end);
    }

    public static void remove(MemorySegment table, long at) {
        WORD.setRelease(table, at, REMOVED);
    }

    // ---- attached contexts

    /** Whether that number of bytes can be committed. */
    public static long checkedEnd(Object region, long committed) {
        if (committed < HEADER || committed > BYTES) {
            throw notARegion(region);
        }
        return committed;
    }

    /** The members in a copy of the table's committed bytes, by offset. */
    public static List<RegionMember> members(Object region, MemorySegment copy) {
        if (copy.get(JAVA_LONG_UNALIGNED, 0) != MARK) {
            throw notARegion(region);
        }
        List<RegionMember> members = new ArrayList<>();
        long end = 0;
        long at = HEADER;
        while (at < copy.byteSize()) {
            if (copy.byteSize() - at < LINE) {
                throw notARegion(region);
            }
            long lineBytes = copy.get(JAVA_INT_UNALIGNED, at + 16);
            if (lineBytes < 0 || lineBytes > copy.byteSize() - at - LINE) {
                throw notARegion(region);
            }
            if (copy.get(JAVA_LONG_UNALIGNED, at) == MEMBER) {
                RegionMember next = member(region, copy.asSlice(at, LINE + lineBytes));
                if (next.offset() < end) { // the owner appends: what overlaps is forged
                    throw notARegion(region);
                }
                members.add(next);
                end = next.offset() + next.lengthBytes();
            }
            at += (LINE + lineBytes + 7) & -8;
        }
        return List.copyOf(members);
    }

    private static RegionMember member(Object region, MemorySegment entry) {
        byte[] line = entry.asSlice(LINE).toArray(JAVA_BYTE);
        RegionMember member = new RegionMember(
                entry.get(JAVA_LONG_UNALIGNED, 8), SharedSegment.parse(new String(line, StandardCharsets.US_ASCII)));
        if (member.offset() < 0 || member.offset() + member.lengthBytes() < 0) {
            throw notARegion(region);
        }
        return member;
    }

    private static UrmaException notARegion(Object region) {
        return Checks.invalid(region, "is no region: its table has another format");
    }
}
