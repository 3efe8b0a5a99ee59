package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.internal.remote.RegionTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an owner of a region may say in its table. */
class RegionTableTest {
    private final FakeHome home = new FakeHome();
    private final String line = home.segment().share();
    private final MemorySegment table = Arena.ofAuto().allocate(4096, 8);
    private long end = RegionTable.HEADER;

    RegionTableTest() {
        RegionTable.begin(table);
    }

    @AfterEach
    void closeTheHome() {
        home.close();
    }

    private void append(long offset) {
        RegionTable.write(table, end, offset, line);
        end += RegionTable.entryBytes(line);
    }

    private MemorySegment committed() {
        return table.asSlice(0, end);
    }

    @Test
    void membersMayLeaveGaps() {
        append(0);
        append(FakeHome.BYTES);
        append(4 * FakeHome.BYTES);

        assertThat(RegionTable.members("region", committed()))
                .extracting(RegionMember::offset)
                .containsExactly(0L, FakeHome.BYTES, 4 * FakeHome.BYTES);
    }

    /** S7.12: a transfer would find no part of the right length. */
    @Test
    void membersThatOverlapAreRefused() {
        append(0);
        append(FakeHome.BYTES - 1);

        assertInvalid(() -> RegionTable.members("region", committed())).withMessageContaining("is no region");
    }

    @Test
    void membersOutOfOrderAreRefused() {
        append(FakeHome.BYTES);
        append(0);

        assertInvalid(() -> RegionTable.members("region", committed())).withMessageContaining("is no region");
    }
}
