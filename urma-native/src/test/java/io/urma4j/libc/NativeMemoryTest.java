package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NativeMemoryTest {
    private static final int SIZE = 24;
    private static final byte CANARY = 0x5A;
    private static final long VALUE = 0x8182_8384_8586_8788L;

    /** The memory lies within a larger one, whose other bytes must not change. */
    private final MemorySegment surroundings =
            Arena.ofAuto().allocate(3 * SIZE, 64).fill(CANARY);

    private final NativeMemory memory = NativeMemory.of(surroundings.asSlice(SIZE, SIZE));

    /** A pair of accessors. */
    enum Access {
        BYTE(1),
        SHORT(2),
        INT(4),
        LONG(8),
        ORDERED_INT(4),
        ORDERED_LONG(8);

        private final int bytes;

        Access(int bytes) {
            this.bytes = bytes;
        }

        long load(NativeMemory from, long at) {
            return switch (this) {
                case BYTE -> from.getByte(at);
                case SHORT -> from.getShort(at);
                case INT -> from.getInt(at);
                case LONG -> from.getLong(at);
                case ORDERED_INT -> from.getIntAcquire(at);
                case ORDERED_LONG -> from.getLongAcquire(at);
            };
        }

        void store(NativeMemory to, long at, long value) {
            switch (this) {
                case BYTE -> to.setByte(at, (int) value);
                case SHORT -> to.setShort(at, (int) value);
                case INT -> to.setInt(at, (int) value);
                case LONG -> to.setLong(at, value);
                case ORDERED_INT -> to.setIntRelease(at, (int) value);
                case ORDERED_LONG -> to.setLongRelease(at, value);
            }
        }

        /** What a segment says of the same bytes. */
        long expected(MemorySegment from, long at) {
            return switch (bytes) {
                case 1 -> from.get(JAVA_BYTE, at);
                case 2 -> from.get(JAVA_SHORT_UNALIGNED, at);
                case 4 -> from.get(JAVA_INT_UNALIGNED, at);
                default -> from.get(JAVA_LONG_UNALIGNED, at);
            };
        }

        boolean isOrdered() {
            return this == ORDERED_INT || this == ORDERED_LONG;
        }

        /** The value without the bytes that do not fit. */
        long cut(long value) {
            int spare = Long.SIZE - bytes * Byte.SIZE;
            return value << spare >> spare;
        }

        LongStream offsetsOutside() {
            long last = (long) SIZE - bytes;
            return LongStream.of(
                    last + 1,
                    last + bytes,
                    SIZE,
                    SIZE + 1,
                    -1,
                    -bytes,
                    Integer.MIN_VALUE,
                    Integer.MAX_VALUE,
                    1L << 32,
                    Long.MAX_VALUE,
                    Long.MAX_VALUE - 1,
                    Long.MAX_VALUE - bytes,
                    Long.MAX_VALUE - bytes + 1,
                    Long.MIN_VALUE,
                    Long.MIN_VALUE + 1,
                    Long.MIN_VALUE + SIZE);
        }
    }

    private void assertUnchanged() {
        assertThat(surroundings.toArray(JAVA_BYTE)).containsOnly(CANARY);
    }

    private void assertSurroundingsUnchanged() {
        assertThat(surroundings.asSlice(0, SIZE).toArray(JAVA_BYTE)).containsOnly(CANARY);
        assertThat(surroundings.asSlice(2 * SIZE, SIZE).toArray(JAVA_BYTE)).containsOnly(CANARY);
    }

    private void count() {
        for (int i = 0; i < SIZE; i++) {
            memory.setByte(i, i);
        }
    }

    private byte[] bytes() {
        return memory.segment().toArray(JAVA_BYTE);
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsReadAsItWasWrittenAtEachOffset(Access access) {
        int step = access.isOrdered() ? access.bytes : 1;
        for (long at = 0; at <= SIZE - access.bytes; at += step) {
            surroundings.fill(CANARY);

            access.store(memory, at, VALUE + at);

            assertThat(access.load(memory, at)).as("offset %d", at).isEqualTo(access.cut(VALUE + at));
            assertThat(access.expected(memory.segment(), at))
                    .as("offset %d", at)
                    .isEqualTo(access.cut(VALUE + at));
            for (int i = 0; i < SIZE; i++) {
                if (i < at || i >= at + access.bytes) {
                    assertThat(memory.getByte(i))
                            .as("byte %d beside offset %d", i, at)
                            .isEqualTo(CANARY);
                }
            }
            assertSurroundingsUnchanged();
        }
    }

    private static Stream<Arguments> outside() {
        return Stream.of(Access.values())
                .flatMap(access -> access.offsetsOutside().mapToObj(at -> Arguments.of(access, at)));
    }

    @ParameterizedTest
    @MethodSource("outside")
    void anAccessOutsideThrowsAndChangesNothing(Access access, long at) {
        assertThatThrownBy(() -> access.load(memory, at)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> access.store(memory, at, VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
        assertUnchanged();
    }

    /** Shorter than any access but that of a byte. */
    @ParameterizedTest
    @EnumSource
    void noMemoryHasNoBytes(Access access) {
        for (NativeMemory none : new NativeMemory[] {NativeMemory.NONE, memory.from(SIZE), NativeMemory.allocate(0)}) {
            assertThat(none.lengthBytes()).isZero();
            LongStream.concat(LongStream.of(0), access.offsetsOutside()).forEach(at -> {
                assertThatThrownBy(() -> access.load(none, at)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> access.store(none, at, VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
            });
        }
        assertUnchanged();
    }

    @Test
    void anErrorTellsTheOffsetAndItsLimit() {
        assertThatThrownBy(() -> memory.getInt(SIZE - 3)).hasMessage("Index 21 out of bounds for length 21");
        assertThat(memory).hasToString("native memory of 24 bytes at 0x" + Long.toHexString(memory.address()));
    }

    @ParameterizedTest
    @EnumSource(names = {"ORDERED_INT", "ORDERED_LONG"})
    void anOrderedAccessMustBeAligned(Access access) {
        for (long at = 1; at < access.bytes; at++) {
            long misaligned = at;
            assertThatThrownBy(() -> access.load(memory, misaligned)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> access.store(memory, misaligned, VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertUnchanged();
    }

    @Test
    void newMemoryIsOfZerosAtTheBeginningOfACacheLine() {
        NativeMemory made = NativeMemory.allocate(100);

        assertThat(made.lengthBytes()).isEqualTo(100);
        assertThat(made.segment().byteSize()).isEqualTo(100);
        assertThat(made.address()).isEqualTo(made.segment().address());
        assertThat(made.address() % 64).isZero();
        assertThat(made.segment().toArray(JAVA_BYTE)).containsOnly(0);
    }

    @Test
    void onlyNativeMemoryThatMayBeWrittenIsTaken() {
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        MemorySegment readOnly = surroundings.asReadOnly();

        assertThatThrownBy(() -> NativeMemory.of(heap)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NativeMemory.of(readOnly)).isInstanceOf(IllegalArgumentException.class);
        assertThat(NativeMemory.of(surroundings).segment()).isSameAs(surroundings);
    }

    @Test
    void aPartBeginsThereAndEndsWithTheWhole() {
        NativeMemory part = memory.from(10);

        assertThat(part.lengthBytes()).isEqualTo(SIZE - 10);
        assertThat(part.address()).isEqualTo(memory.address() + 10);
        part.setByte(0, 1);
        part.setByte(SIZE - 11, 2);
        assertThat(memory.getByte(10)).isEqualTo((byte) 1);
        assertThat(memory.getByte(SIZE - 1)).isEqualTo((byte) 2);
        assertThatThrownBy(() -> part.getByte(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.getByte(SIZE - 10)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, SIZE + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void noPartBeginsOutside(long at) {
        assertThatThrownBy(() -> memory.from(at)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aCopyTakesTheWholeOrAPart() {
        count();
        NativeMemory other = NativeMemory.allocate(SIZE);

        NativeMemory.copy(memory, 0, other, 0, SIZE);
        assertThat(other.segment().mismatch(memory.segment())).isEqualTo(-1);

        other.clear(0, SIZE);
        NativeMemory.copy(memory, SIZE - 3, other, 1, 3);
        NativeMemory.copy(memory, SIZE, other, SIZE, 0);
        assertThat(other.segment().asSlice(0, 5).toArray(JAVA_BYTE))
                .containsExactly(0, SIZE - 3, SIZE - 2, SIZE - 1, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 8, 16})
    void rangesOfACopyMayOverlap(int distance) {
        for (boolean up : new boolean[] {true, false}) {
            count();
            byte[] expected = bytes();
            int from = up ? 0 : distance;
            int to = up ? distance : 0;
            System.arraycopy(expected, from, expected, to, SIZE - distance);

            NativeMemory.copy(memory, from, memory, to, SIZE - distance);

            assertThat(bytes()).isEqualTo(expected);
        }
        assertSurroundingsUnchanged();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, SIZE - 7, SIZE + 1, 1L << 32, Long.MAX_VALUE, Long.MAX_VALUE - 8, Long.MIN_VALUE})
    void aCopyBeyondEitherEndThrowsAndCopiesNothing(long at) {
        NativeMemory other = NativeMemory.allocate(SIZE);

        assertThatThrownBy(() -> NativeMemory.copy(other, at, memory, 0, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> NativeMemory.copy(other, 0, memory, at, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -SIZE, SIZE + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void aCopyOfAnImpossibleLengthThrowsAndCopiesNothing(int lengthBytes) {
        NativeMemory other = NativeMemory.allocate(SIZE);

        for (long at : new long[] {0, 8, SIZE, SIZE + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> NativeMemory.copy(other, at, memory, at, lengthBytes))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertUnchanged();
    }

    @Test
    void rangesAreTheSameIfAllOfTheirBytesAre() {
        count();
        NativeMemory other = NativeMemory.allocate(SIZE);
        NativeMemory.copy(memory, 4, other, 0, 16);

        assertThat(memory.isSame(4, other, 0, 16)).isTrue();
        assertThat(memory.isSame(4, other, 0, 17)).isFalse();
        assertThat(memory.isSame(3, other, 0, 16)).isFalse();
        assertThat(memory.isSame(SIZE, other, SIZE, 0)).isTrue();
        other.setByte(15, -1);
        assertThat(memory.isSame(4, other, 0, 16)).isFalse();
        assertThat(memory.isSame(4, other, 0, 15)).isTrue();
        assertThatThrownBy(() -> memory.isSame(SIZE - 1, other, 0, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.isSame(0, other, SIZE - 1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.isSame(-1, other, 0, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void onlyTheRangeIsCleared() {
        memory.clear(5, 3);

        for (int i = 0; i < SIZE; i++) {
            assertThat(memory.getByte(i)).as("byte %d", i).isEqualTo(i >= 5 && i < 8 ? 0 : CANARY);
        }
        memory.clear(0, SIZE);
        assertThat(bytes()).containsOnly(0);
        assertSurroundingsUnchanged();
    }

    @Test
    void nothingIsClearedBeyondEitherEnd() {
        assertThatThrownBy(() -> memory.clear(-1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.clear(SIZE - 1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.clear(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.clear(Long.MAX_VALUE, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertUnchanged();
    }
}
