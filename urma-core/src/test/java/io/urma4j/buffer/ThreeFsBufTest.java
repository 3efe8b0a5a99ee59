package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.DescriptorException;
import io.urma4j.UrmaException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** S14.30: the layout of 3FS. */
class ThreeFsBufTest {
    private static final ThreeFsBuf VECTOR =
            new ThreeFsBuf(0x1000, 1024, List.of(new ThreeFsBuf.Key(100, 1), new ThreeFsBuf.Key(200, 2)));

    private static byte[] encoded(ThreeFsBuf buf) {
        byte[] bytes = new byte[buf.encodedBytes()];
        assertThat(buf.encode(MemorySegment.ofArray(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    private static ThreeFsBuf decoded(byte[] bytes) {
        return ThreeFsBuf.decode(MemorySegment.ofArray(bytes));
    }

    private static void assertRefused(byte[] bytes, String reason) {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> decoded(bytes))
                .withMessageContaining(reason);
    }

    @Test
    void theVectorIsThatOf3fs() {
        byte[] vector = Golden.bytes("three-fs.hex");
        assertThat(vector).hasSize(33);
        assertThat(encoded(VECTOR)).isEqualTo(vector);
        assertThat(decoded(vector)).isEqualTo(VECTOR);
    }

    /** S14.30: places that are missing between others. */
    @Test
    void missingDevicesStayMissing() {
        ThreeFsBuf holes = new ThreeFsBuf(
                -4096, 4095, List.of(new ThreeFsBuf.Key(-1, 0), new ThreeFsBuf.Key(7, 2), new ThreeFsBuf.Key(8, 15)));
        assertThat(decoded(encoded(holes))).isEqualTo(holes);
        assertThat(holes.rkey(0)).hasValue(-1);
        assertThat(holes.rkey(1)).isEmpty();
        assertThat(holes.rkey(2)).hasValue(7);
        assertThat(holes.rkey(-1)).isEmpty(); // 3FS returns the key of an unused place
        ThreeFsBuf none = new ThreeFsBuf(0, 0, List.of());
        assertThat(decoded(encoded(none))).isEqualTo(none);
    }

    /** 3FS drops keys behind an unused one, and beyond the fourth. */
    @Test
    void whatWouldBeDroppedIsRefused() {
        assertThatThrownBy(() -> new ThreeFsBuf.Key(1, -1))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("device is -1");
        List<ThreeFsBuf.Key> five = List.of(
                new ThreeFsBuf.Key(1, 0),
                new ThreeFsBuf.Key(1, 1),
                new ThreeFsBuf.Key(1, 2),
                new ThreeFsBuf.Key(1, 3),
                new ThreeFsBuf.Key(1, 4));
        assertThatThrownBy(() -> new ThreeFsBuf(0, 1, five)).hasMessageContaining("number of keys is 5");
        assertThatThrownBy(() -> new ThreeFsBuf(0, 1, List.of(new ThreeFsBuf.Key(1, 3), new ThreeFsBuf.Key(2, 3))))
                .hasMessageContaining("two keys");
        assertThatThrownBy(() -> new ThreeFsBuf(-1, 2, List.of())).hasMessageContaining("exceeds 64 bits");
        assertThatThrownBy(() -> new ThreeFsBuf(0, -1, List.of())).hasMessageContaining("lengthBytes is -1");
        assertThatThrownBy(() -> VECTOR.encode(MemorySegment.ofArray(new byte[32])))
                .hasMessageContaining("room for 32");
    }

    @Test
    void wrongCountsDevicesAndRangesAreRefused() {
        byte[] vector = encoded(VECTOR);
        for (int count : new int[] {0, 1, 3, 4, 5, 0x80, 0xFF}) {
            byte[] changed = vector.clone();
            changed[16] = (byte) count;
            assertRefused(changed, "33 bytes and " + count + " keys");
        }
        byte[] five = Arrays.copyOf(vector, 17 + 5 * 8);
        five[16] = 5;
        assertRefused(five, "5 keys, of at most 4");
        byte[] hole = vector.clone();
        Arrays.fill(hole, 21, 25, (byte) -1);
        assertRefused(hole, "device is -1");
        byte[] twice = vector.clone();
        twice[21] = 2;
        assertRefused(twice, "two keys");
        byte[] wraps = vector.clone();
        Arrays.fill(wraps, 0, 8, (byte) -1);
        assertRefused(wraps, "exceeds 64 bits");
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] vector = encoded(VECTOR);
        for (int length = 0; length < vector.length; length++) {
            assertRefused(Arrays.copyOf(vector, length), length < 17 ? "truncated" : "it must have 33 bytes");
        }
        assertRefused(Arrays.copyOf(vector, 34), "it must have 33 bytes");
    }

    @Test
    void garbageIsRefusedOrReadAsAValue() {
        Random random = new Random(3);
        for (int round = 0; round < 20_000; round++) {
            byte[] garbage = new byte[17 + 8 * random.nextInt(5)];
            random.nextBytes(garbage);
            garbage[16] = (byte) random.nextInt(6);
            try {
                assertThat(encoded(decoded(garbage))).isEqualTo(garbage);
            } catch (DescriptorException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            }
        }
    }
}
