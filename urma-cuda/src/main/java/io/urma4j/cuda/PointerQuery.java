package io.urma4j.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** The arguments of {@code cuPointerGetAttributes}: numbers of attributes, and a cell of 8 bytes for each answer. */
final class PointerQuery {
    private static final List<Integer> ATTRIBUTES = List.of(1, 2, 7, 8, 9, 11, 12, 15);
    private static final MemoryLayout CELLS = MemoryLayout.sequenceLayout(ATTRIBUTES.size(), JAVA_LONG);

    private final MemorySegment attributes;
    private final MemorySegment results;
    private final MemorySegment cells;

    PointerQuery(Arena arena) {
        attributes = arena.allocate(JAVA_INT, ATTRIBUTES.size());
        results = arena.allocate(ADDRESS, ATTRIBUTES.size());
        cells = arena.allocate(CELLS);
        for (int i = 0; i < ATTRIBUTES.size(); i++) {
            attributes.setAtIndex(JAVA_INT, i, ATTRIBUTES.get(i));
            results.setAtIndex(ADDRESS, i, cells.asSlice(i * JAVA_LONG.byteSize()));
        }
    }

    int count() {
        return ATTRIBUTES.size();
    }

    MemorySegment attributes() {
        return attributes;
    }

    MemorySegment results() {
        return results;
    }

    /** Cells begin as zeros, and the host is little-endian: shorter answers are the low bytes. */
    Optional<PointerAttributes> read() {
        int memoryType = (int) cell(1);
        if (memoryType == 0) {
            return Optional.empty();
        }
        return Optional.of(new PointerAttributes(
                cell(0),
                memoryType,
                cell(2),
                (cell(3) & 0xff) != 0,
                (int) cell(4),
                cell(5),
                cell(6),
                (cell(7) & 0xff) != 0));
    }

    private long cell(int index) {
        return cells.getAtIndex(JAVA_LONG, index);
    }
}
