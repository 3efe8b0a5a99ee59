package io.urma4j.buffer;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: views. The numbers V3…V26 are those of its table. */
class BufViewTest {
    private static final int SIZE = 100;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(SIZE, 8);
    private final RdmaBuf buf = RdmaBuf.wrap(memory);
    private final BufView view = buf.view();

    @AfterEach
    void free() {
        arena.close();
    }

    static ThrowableAssertAlternative<UrmaException> assertInvalid(ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(failure -> failure.status() == UrmaStatus.EINVAL, "has status EINVAL");
    }

    private void assertRange(BufView tested, long begin, long size) {
        assertThat(tested.isValid()).isTrue();
        assertThat(tested.address() - memory.address()).isEqualTo(begin);
        assertThat(tested.localOffset()).isEqualTo(begin);
        assertThat(tested.size()).isEqualTo(size);
    }

    @Test
    void v03CopyOfAnInvalidViewIsInvalid() {
        assertThat(BufView.INVALID.copy().isValid()).isFalse();
    }

    @Test
    void v04ViewOfABufferIsTheWhole() {
        assertRange(view, 0, SIZE);
        assertThat(view.capacity()).isEqualTo(SIZE);
    }

    @Test
    void v05AdvanceMovesTheStart() {
        assertThat(view.advance(30)).isTrue();
        assertRange(view, 30, 70);
        assertThat(view.capacity()).isEqualTo(SIZE);
    }

    @Test
    void v06AdvanceBeyondTheEndChangesNothing() {
        assertThat(view.advance(SIZE + 1)).isFalse();
        assertThat(view.advance(-1)).isFalse();
        assertRange(view, 0, SIZE);
    }

    @Test
    void v07SubtractMovesTheEnd() {
        assertThat(view.subtract(30)).isTrue();
        assertRange(view, 0, 70);
        assertThat(view.subtract(71)).isFalse();
        assertThat(view.subtract(-1)).isFalse();
        assertRange(view, 0, 70);
    }

    @Test
    void v08AdvanceAndSubtractAreASubrange() {
        BufView expected = view.subrange(10, SIZE - 10 - 20);
        view.advance(10);
        view.subtract(20);
        assertThat(view).isEqualTo(expected).hasSameHashCodeAs(expected);
    }

    @Test
    void v09CopiesMoveOnTheirOwn() {
        BufView copy = view.copy();
        assertThat(copy).isEqualTo(view);
        copy.advance(1);
        assertThat(copy).isNotEqualTo(view);
        assertRange(view, 0, SIZE);
    }

    @Test
    void v10SubrangesCompose() {
        BufView part = view.subrange(10, 50).subrange(5, 20);
        assertRange(part, 15, 20);
        assertRange(view, 0, SIZE);
    }

    @Test
    void v11EmptySubrangeAtTheEndIsValid() {
        assertThat(view.subrange(SIZE, 1)).isSameAs(BufView.INVALID);
        assertRange(view.subrange(SIZE, 0), SIZE, 0);
        assertThat(view.subrange(SIZE, 0).isEmpty()).isTrue(); // V20
    }

    @Test
    void v12FirstIsASubrangeOfTheStart() {
        assertThat(view.first(40)).isEqualTo(view.subrange(0, 40));
        assertThat(view.first(SIZE)).isEqualTo(view);
        assertThat(view.first(SIZE + 1).isValid()).isFalse();
    }

    @Test
    void v13TakeFirstAdvances() {
        BufView expected = view.first(40);
        assertThat(view.takeFirst(40)).isEqualTo(expected);
        assertRange(view, 40, 60);
    }

    @Test
    void v14LastIsASubrangeOfTheEnd() {
        assertRange(view.last(40), 60, 40);
        assertThat(view.last(SIZE)).isEqualTo(view);
        assertThat(view.last(SIZE + 1).isValid()).isFalse();
    }

    @Test
    void v15TakeLastShrinks() {
        assertRange(view.takeLast(40), 60, 40);
        assertRange(view, 0, 60);
    }

    @Test
    void v16TakingTooMuchChangesNothing() {
        for (long bytes : new long[] {SIZE + 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThat(view.takeFirst(bytes)).isSameAs(BufView.INVALID);
            assertThat(view.takeLast(bytes)).isSameAs(BufView.INVALID);
        }
        assertRange(view, 0, SIZE);
    }

    @Test
    void v17SubrangeOfAnInvalidViewIsInvalid() {
        assertThat(BufView.INVALID.subrange(0, 0).isValid()).isFalse();
    }

    /** S14.4. */
    @Test
    void v18ResetRangeReturnsToTheRangeOfTheLease() {
        MemorySegment slab = arena.allocate(4096, 8);
        Block block = new Block(slab, List.of(), none -> {});
        try (RdmaBuf lease = RdmaBuf.lease(block, 512, 100, LeakDetector.OFF)) {
            BufView part = lease.view().last(10).first(5);
            part.resetRange();
            assertThat(part).isEqualTo(lease.view());
            assertThat(part.localOffset()).isEqualTo(512);
            assertThat(part.size()).isEqualTo(100); // not the block's 4096
        }
        BufView.INVALID.resetRange();
        assertThat(BufView.INVALID.isValid()).isFalse();
    }

    @Test
    void v25EqualViewsAreTheSameRangeOfTheSameLease() {
        try (RdmaBuf other = RdmaBuf.wrap(memory)) {
            assertThat(other.view()).isNotEqualTo(view); // the same bytes, but owned apart
        }
        assertThat(view).isEqualTo(buf.view()).isNotEqualTo(view.first(99)).isNotEqualTo(view.last(99));
        assertThat(BufView.INVALID).isEqualTo(view.first(-1)).isNotEqualTo(view);
    }

    /** S14.1. */
    @Test
    void rangesNeverWrap() {
        BufView part = view.subrange(10, 50);
        for (long huge : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 9, Long.MIN_VALUE, -1, -10, 51}) {
            assertThat(part.subrange(huge, 2).isValid())
                    .as("subrange(%s, 2)", huge)
                    .isFalse();
            assertThat(part.subrange(2, huge).isValid())
                    .as("subrange(2, %s)", huge)
                    .isFalse();
            assertThat(part.first(huge).isValid()).isFalse();
            assertThat(part.last(huge).isValid()).isFalse();
            assertThat(part.advance(huge)).isFalse();
            assertThat(part.subtract(huge)).isFalse();
        }
        assertRange(part, 10, 50);
    }

    /** S14.2. */
    @Test
    void anInvalidViewAnswers() {
        BufView none = BufView.INVALID;
        assertThat(none.isValid()).isFalse();
        assertThat(none.size()).isZero();
        assertThat(none.capacity()).isZero();
        assertThat(none.address()).isZero();
        assertThat(none.localOffset()).isZero();
        assertThat(none.isEmpty()).isTrue();
        assertThat(none.contains(0, 0)).isFalse();
        assertThat(none.advance(0)).isFalse();
        assertThat(none.subtract(0)).isFalse();
        assertThat(none.first(0)).isSameAs(none);
        assertThat(none.last(0)).isSameAs(none);
        assertThat(none.takeFirst(0)).isSameAs(none);
        assertThat(none.takeLast(0)).isSameAs(none);
        assertThat(none).hasToString("invalid view").hasSameHashCodeAs(BufView.INVALID);
    }

    /** S14.2. */
    @Test
    void anInvalidViewHasNoBytes() {
        List<Consumer<BufView>> uses = List.of(
                BufView::orThrow,
                BufView::segment,
                BufView::asByteBuffer,
                one -> one.getByte(0),
                one -> one.getInt(0),
                one -> one.getLong(0),
                one -> one.putByte(0, (byte) 1),
                one -> one.putInt(0, 1),
                one -> one.putLong(0, 1));
        for (Consumer<BufView> use : uses) {
            assertInvalid(() -> use.accept(BufView.INVALID)).withMessageContaining("a range that did not fit");
        }
    }

    /** S14.3. */
    @Test
    void containsUsesTheRangeOfTheView() {
        BufView part = view.subrange(20, 30);
        long begin = part.address();
        assertThat(part.contains(begin, 30)).isTrue();
        assertThat(part.contains(begin + 29, 1)).isTrue();
        assertThat(part.contains(begin + 29, 2)).isFalse();
        assertThat(part.contains(begin - 1, 1)).isFalse();
        assertThat(part.contains(begin + 5, 0)).isTrue();
        assertThat(part.contains(begin + 30, 0)).isTrue();
        assertThat(part.contains(begin + 31, 0)).isFalse();
        assertThat(part.contains(begin, -1)).isFalse();
        assertThat(part.contains(begin + 1, Long.MAX_VALUE)).isFalse();
        assertThat(part.contains(0, 1)).isFalse();
    }

    @Test
    void wordsAreReadWhereTheyAreWritten() {
        BufView part = view.subrange(3, 20);
        part.putLong(1, 0x0102_0304_0506_0708L);
        part.putInt(9, 0x1112_1314);
        part.putByte(13, (byte) 0x21);
        assertThat(part.getLong(1)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(part.getInt(9)).isEqualTo(0x1112_1314);
        assertThat(part.getByte(13)).isEqualTo((byte) 0x21);
        assertThat(memory.get(JAVA_LONG.withByteAlignment(1), 4)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(part.asByteBuffer().order(ByteOrder.nativeOrder()).getInt(9)).isEqualTo(0x1112_1314);
        assertThat(part.segment().byteSize()).isEqualTo(20);
        assertThat(part.segment().address()).isEqualTo(part.address());
    }

    @Test
    void segmentFollowsTheRange() {
        BufView part = view.subrange(8, 50);
        assertThat(part.segment()).isSameAs(part.segment());
        part.advance(8);
        assertSegment(part, 16, 42);
        part.subtract(2);
        assertSegment(part, 16, 40);
        part.takeFirst(4);
        assertSegment(part, 20, 36);
        part.takeLast(6);
        assertSegment(part, 20, 30);
        part.resetRange();
        assertSegment(part, 0, SIZE);
    }

    private void assertSegment(BufView tested, long begin, long size) {
        assertThat(tested.segment().address() - memory.address()).isEqualTo(begin);
        assertThat(tested.segment().byteSize()).isEqualTo(size);
    }

    @Test
    void accessOutsideTheViewIsRefused() {
        BufView part = view.subrange(8, 8);
        for (long offset : new long[] {1, 8, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertInvalid(() -> part.getLong(offset)).withMessageContaining("lies outside its 8 bytes");
            assertInvalid(() -> part.putLong(offset, 1)).withMessageContaining("lies outside its 8 bytes");
        }
        assertInvalid(() -> part.getByte(8));
        assertInvalid(() -> part.putInt(5, 1));
        assertThat(view.first(4).size()).isEqualTo(4);
        assertInvalid(() -> view.first(4).getLong(0)); // the view is shorter than the word
        assertThat(memory.asSlice(16, 8).get(JAVA_LONG, 0)).isZero();
    }

    /** S14.8. */
    @Test
    void staleViewThrowsOnEveryAccessor() {
        BufView part = view.first(10);
        buf.close();
        List<Consumer<BufView>> uses = List.of(
                BufView::orThrow,
                BufView::size,
                BufView::capacity,
                BufView::isEmpty,
                BufView::address,
                BufView::localOffset,
                BufView::segment,
                BufView::asByteBuffer,
                BufView::resetRange,
                one -> one.contains(0, 0),
                one -> one.advance(1),
                one -> one.subtract(1),
                one -> one.subrange(0, 1),
                one -> one.first(1),
                one -> one.last(1),
                one -> one.takeFirst(1),
                one -> one.takeLast(1),
                one -> one.getByte(0),
                one -> one.getInt(0),
                one -> one.getLong(0),
                one -> one.getLong(1000),
                one -> one.putByte(0, (byte) 1),
                one -> one.putInt(0, 1),
                one -> one.putLong(0, 1));
        for (Consumer<BufView> use : uses) {
            assertInvalid(() -> use.accept(part)).withMessageContaining("is closed");
            assertInvalid(() -> use.accept(part.copy())).withMessageContaining("is closed");
        }
        assertThat(part.isValid()).isFalse();
        assertThat(part).hasToString(part.copy().toString());
    }

    @Test
    void closedArenaOfTheCallerIsAClosedBuffer() {
        Arena own = Arena.ofShared();
        BufView late = RdmaBuf.wrap(own.allocate(8)).view();
        own.close();
        assertInvalid(() -> late.getLong(0)).withMessageContaining("is closed");
        assertInvalid(() -> late.putLong(0, 1)).withMessageContaining("is closed");
    }

    @Test
    void memoryOfAnotherThreadIsRefused() throws InterruptedException {
        try (Arena own = Arena.ofConfined()) {
            BufView theirs = RdmaBuf.wrap(own.allocate(8)).view();
            Thread other = Thread.ofPlatform()
                    .start(() -> assertInvalid(() -> theirs.getLong(0)).withMessageContaining("another thread"));
            other.join();
            assertThat(theirs.getLong(0)).isZero();
        }
    }

    @Test
    void theTextNamesRangeAndBuffer() {
        assertThat(view.subrange(8, 16).toString())
                .startsWith("view of 16 bytes at offset 8 of buffer of 100 bytes at 0x");
    }
}
