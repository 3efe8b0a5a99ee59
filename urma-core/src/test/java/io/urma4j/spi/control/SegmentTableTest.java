package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentTableTest {
    private final Home home = new Home();
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> given = new ArrayList<>();
    private final SegmentTable<Segment> table = new SegmentTable<>(taken::add, given::add);

    private record Segment(ExportedSegment<Home.Grant> exported) implements SegmentTable.Entry {}

    private Segment add(int wanted, long key) {
        return table.add(
                wanted, tokenId -> new Segment(home.segment(tokenId, key, Access.READ, TokenPolicy.PLAIN_TEXT)));
    }

    private static int tokenId(Segment segment) {
        return segment.exported.descriptor().tokenId();
    }

    @Test
    void aTokenIdOfItsOwnEndsWithItsSegment() {
        Segment segment = add(0, 1);

        assertThat(taken).containsExactly(tokenId(segment));
        assertThat(table.remove(segment)).isTrue();
        assertThat(table.remove(segment)).isFalse();
        assertThat(given).isEqualTo(taken);
    }

    @Test
    void anAllocatedTokenIdStaysUntilItIsFreedAndItsLastSegmentIsGone() {
        int tokenId = table.allocate();
        Segment first = add(tokenId, 1);
        Segment second = add(tokenId, 2);

        table.remove(first);
        table.free(tokenId);
        assertThat(given).isEmpty();
        assertThat(table.under(tokenId)).containsExactly(second);
        table.remove(second);

        assertThat(given).containsExactly(tokenId);
        assertThat(table.all()).isEmpty();
    }

    @Test
    void aTokenIdWithoutSegmentsIsFreedAtOnceAndOnce() {
        int tokenId = table.allocate();

        table.free(tokenId);
        table.free(tokenId);

        assertThat(given).containsExactly(tokenId);
    }

    @Test
    void aTokenIdMustBeAllocated() {
        assertThatThrownBy(() -> add(4711, 1)).isInstanceOf(UrmaException.class).hasMessageContaining("not allocated");
    }

    @Test
    void aFailedRegistrationKeepsNoTokenId() {
        assertThatThrownBy(() -> table.add(0, _ -> {
                    throw new IllegalStateException("no key");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(taken).hasSize(1);
        assertThat(given).isEqualTo(taken);
    }

    @Test
    void anImportNeedsTheRightTokenIdAndKeyAndToken() {
        int tokenId = table.allocate();
        add(tokenId, 1);
        Segment second = add(tokenId, 2);
        ImportSegment wanted = new ImportSegment(1, tokenId, 2, Access.READ, Home.TOKEN);

        assertThat(table.opened(null, wanted, 2)).isEqualTo(second);
        assertThat(table.opened(null, wanted, 3)).isNull();
        assertThat(table.opened(null, new ImportSegment(1, tokenId + 1, 2, Access.READ, Home.TOKEN), 2))
                .isNull();
        assertThat(table.opened(null, new ImportSegment(1, tokenId, 2, Access.READ, null), 2))
                .isNull();
    }
}
