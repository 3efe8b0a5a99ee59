package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.Descriptors;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: V1 to V25 for memory of a peer, S14.1 to S14.4, S14.29. */
class RemoteBufTest {
    private static final long SIZE = 1000;

    private final RemoteBuf buf = RemoteBufs.two(4096, SIZE);

    // ---- invalid ones

    /** V1, V3, V17, V19, S14.2. */
    @Test
    void anInvalidOneAnswersNothing() {
        for (RemoteBuf none : List.of(RemoteBuf.INVALID, buf.first(SIZE + 1), RemoteBuf.INVALID.subrange(0, 0))) {
            assertThat(none.isValid()).isFalse();
            assertThat(none.size()).isZero();
            assertThat(none.isEmpty()).isTrue();
            assertThat(none.access()).isEqualTo(Access.LOCAL_ONLY);
            assertThat(none.windows()).isEmpty();
            assertThat(none.window(0)).isEmpty();
            assertThat(none.address()).isZero();
            assertThat(none.contains(0, 0)).isFalse();
            assertThat(none.cursor().isValid()).isFalse();
            assertThat(none).isEqualTo(RemoteBuf.INVALID);
            assertThatThrownBy(none::orThrow).isInstanceOf(UrmaException.class);
        }
    }

    /** V1, V9, V18, S14.2. */
    @Test
    void anInvalidCursorAnswersNothing() {
        RemoteCursor none = buf.cursor().last(SIZE + 1);
        none.resetRange();
        for (RemoteCursor each : List.of(none, none.copy(), none.subrange(0, 0), none.takeFirst(0))) {
            assertThat(each.isValid()).isFalse();
            assertThat(each.size()).isZero();
            assertThat(each.capacity()).isZero();
            assertThat(each.advance(0)).isFalse();
            assertThat(each.subtract(0)).isFalse();
            assertThat(each.contains(0, 0)).isFalse();
            assertThat(each.buf()).isEqualTo(RemoteBuf.INVALID);
        }
    }

    // ---- ranges

    /** V5 to V7. */
    @Test
    void aCursorMovesWithinItsRange() {
        RemoteCursor cursor = buf.cursor();
        assertThat(cursor.advance(100)).isTrue();
        assertThat(cursor.subtract(200)).isTrue();
        assertThat(cursor.advance(701)).isFalse();
        assertThat(cursor.subtract(701)).isFalse();
        assertThat(cursor.size()).isEqualTo(700);
        assertThat(cursor.capacity()).isEqualTo(SIZE);
        assertThat(cursor.address()).isEqualTo(buf.address() + 100);
    }

    /** V8, V10, V12, V14: two ways to one range. */
    @Test
    void partsComposeAndAreEqual() {
        RemoteCursor cursor = buf.cursor();
        cursor.advance(10);
        cursor.subtract(20);
        assertThat(cursor.buf()).isEqualTo(buf.subrange(10, SIZE - 30)).hasSameHashCodeAs(buf.subrange(10, SIZE - 30));
        assertThat(buf.subrange(10, 100).subrange(5, 50)).isEqualTo(buf.subrange(15, 50));
        assertThat(buf.first(7)).isEqualTo(buf.subrange(0, 7));
        assertThat(buf.last(7)).isEqualTo(buf.subrange(SIZE - 7, 7));
        assertThat(buf.first(SIZE)).isEqualTo(buf).isEqualTo(buf.last(SIZE));
        assertThat(buf.subrange(SIZE, 1).isValid()).isFalse();
        assertThat(buf.subrange(SIZE, 0).isValid()).isTrue(); // V11
    }

    /** V9, V13, V15, V16. */
    @Test
    void whatIsTakenIsNoLongerThere() {
        RemoteCursor cursor = buf.cursor();
        RemoteCursor copy = cursor.copy();
        assertThat(cursor.takeFirst(100).buf()).isEqualTo(buf.first(100));
        assertThat(cursor.takeLast(100).buf()).isEqualTo(buf.last(100));
        assertThat(cursor.takeFirst(801).isValid()).isFalse();
        assertThat(cursor.takeLast(801).isValid()).isFalse();
        assertThat(cursor.buf()).isEqualTo(buf.subrange(100, 800));
        assertThat(copy).isEqualTo(buf.cursor()).isNotEqualTo(cursor);
    }

    /** S14.29: a reset restores what was received, and not what the window has. */
    @Test
    void aResetDoesNotWidenWhatWasReceived() {
        RemoteBuf part = buf.subrange(100, 50);
        RemoteCursor derived = part.cursor().takeFirst(10).last(5);
        derived.resetRange();
        assertThat(derived.buf()).isEqualTo(part);
        assertThat(derived.capacity()).isEqualTo(50);
        assertThat(derived.advance(51)).isFalse();
    }

    /** S14.1. */
    @Test
    void rangesNeverWrap() {
        RemoteCursor cursor = buf.cursor();
        for (long huge : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE, -1, SIZE + 1}) {
            assertThat(buf.subrange(huge, 2).isValid()).isFalse();
            assertThat(buf.subrange(2, huge).isValid()).isFalse();
            assertThat(buf.first(huge).isValid()).isFalse();
            assertThat(buf.last(huge).isValid()).isFalse();
            assertThat(cursor.subrange(2, huge).isValid()).isFalse();
            assertThat(cursor.advance(huge)).isFalse();
            assertThat(cursor.subtract(huge)).isFalse();
        }
        assertThat(cursor).isEqualTo(buf.cursor());
    }

    /** S14.3. */
    @Test
    void containsUsesTheRangeAndNotTheWindow() {
        RemoteBuf part = buf.subrange(100, 50);
        long begin = part.address();
        assertThat(begin).isEqualTo(RemoteBufs.BASE + 4096 + 100);
        assertThat(part.contains(begin, 50)).isTrue();
        assertThat(part.contains(begin, 51)).isFalse();
        assertThat(part.contains(begin - 1, 1)).isFalse();
        assertThat(part.contains(begin + 50, 0)).isTrue();
        assertThat(part.contains(begin + 51, 0)).isFalse();
        assertThat(part.cursor().contains(begin + 49, 1)).isTrue();
        assertThat(part.cursor().contains(begin + 49, 2)).isFalse();
    }

    // ---- windows

    /** S14.29, V22. */
    @Test
    void windowsAreFoundByTheirDevice() {
        assertThat(buf.window(0)).contains(buf.windows().getFirst());
        assertThat(buf.window(2)).contains(buf.windows().getLast());
        assertThat(buf.window(1)).isEmpty();
        assertThat(buf.window(-1)).isEmpty();
    }

    /** S14.29. */
    @Test
    void laterChangesOfTheListChangeNothing() {
        List<RemoteBuf.Window> windows = new ArrayList<>(buf.windows());
        RemoteBuf made = RemoteBuf.of(windows);
        windows.clear();
        assertThat(made).isEqualTo(buf);
        assertThatThrownBy(() -> made.windows().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    /** V25: each field counts. */
    @Test
    void anotherValueAnywhereIsAnotherBuffer() {
        RemoteBuf.Window window = buf.windows().getFirst();
        WindowKey key = window.key();
        List<WindowKey> others = List.of(
                new WindowKey(1, key.slot(), key.generation(), key.offset(), SIZE, key.access()),
                new WindowKey(key.importNumber(), 1, key.generation(), key.offset(), SIZE, key.access()),
                new WindowKey(key.importNumber(), key.slot(), 1, key.offset(), SIZE, key.access()),
                new WindowKey(key.importNumber(), key.slot(), key.generation(), 1, SIZE, key.access()),
                new WindowKey(key.importNumber(), key.slot(), key.generation(), key.offset(), 1, key.access()),
                new WindowKey(key.importNumber(), key.slot(), key.generation(), key.offset(), SIZE, Access.READ));
        RemoteBuf one = RemoteBuf.of(List.of(window));
        for (WindowKey other : others) {
            assertThat(RemoteBuf.of(List.of(new RemoteBuf.Window(0, 0, window.segment(), other))))
                    .isNotEqualTo(one);
        }
        assertThat(RemoteBuf.of(List.of(new RemoteBuf.Window(1, 0, window.segment(), key))))
                .isNotEqualTo(one);
        assertThat(RemoteBuf.of(List.of(new RemoteBuf.Window(0, 1, window.segment(), key))))
                .isNotEqualTo(one);
        assertThat(one).isNotEqualTo(one.first(SIZE - 1)).isNotEqualTo(buf);
        assertThat(Objects.equals(one, RemoteBuf.of(List.of(window)))).isTrue();
    }

    /** S14.19, S14.20: whoever sent it. */
    @Test
    void impossibleWindowsAreRefused() {
        RemoteBuf.Window first = buf.windows().getFirst();
        RemoteBuf.Window last = buf.windows().getLast();
        assertRefused(() -> RemoteBufs.window(16, RemoteBufs.shmSlab(), 1, 0, 1), "device is 16");
        assertRefused(() -> RemoteBufs.window(-1, RemoteBufs.shmSlab(), 1, 0, 1), "device is -1");
        assertRefused(() -> RemoteBufs.window(0, RemoteBufs.shmSlab(), -1, 0, 1), "slot is -1");
        assertRefused(() -> RemoteBufs.window(0, RemoteBufs.shmSlab(), 1, 0, 0), "length of the window is 0");
        assertRefused(() -> RemoteBufs.window(0, RemoteBufs.shmSlab(), 1, RemoteBufs.SLAB_BYTES, 1), "lies outside");
        assertRefused(() -> RemoteBufs.window(0, RemoteBufs.shmSlab(), 1, Long.MAX_VALUE, 2), "lies outside");
        assertRefused(
                () -> RemoteBufs.window(0, Descriptors.bareSegment(), 1, 0, 1), "READ_WRITE of a segment as READ");
        assertRefused(() -> RemoteBuf.of(List.of()), "number of windows is 0");
        assertRefused(() -> RemoteBuf.of(List.of(last, first)), "ascending order");
        assertRefused(() -> RemoteBuf.of(List.of(first, first)), "ascending order");
        assertRefused(
                () -> RemoteBuf.of(List.of(first, RemoteBufs.window(2, RemoteBufs.udmaSlab(), 9, 4096, SIZE + 1))),
                "differ in length");
    }

    private static void assertRefused(Runnable call, String reason) {
        assertThatThrownBy(call::run).isInstanceOf(UrmaException.class).hasMessageContaining(reason);
    }
}
