package io.urma4j.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 64, 1001})
    void everyByteIsCompared(int size) {
        var memory = MemorySegment.ofArray(new byte[size]);
        Pattern.fill(memory, 7);
        assertThat(Pattern.mismatch(memory, 7)).isEqualTo(-1);

        for (int i = 0; i < size; i++) {
            byte right = memory.get(JAVA_BYTE, i);
            memory.set(JAVA_BYTE, i, (byte) (right ^ 2));
            assertThat(Pattern.mismatch(memory, 7)).as("byte %s", i).isBetween(i - 7L, (long) i);
            memory.set(JAVA_BYTE, i, right);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 42, Long.MIN_VALUE})
    void clearedMemoryIsNoPattern(long seed) {
        assertThat(Pattern.mismatch(MemorySegment.ofArray(new byte[1]), seed)).isZero();
        assertThat(Pattern.mismatch(MemorySegment.ofArray(new byte[64]), seed)).isZero();

        var memory = MemorySegment.ofArray(new byte[64]);
        Pattern.fill(memory, seed);
        assertThat(memory.get(JAVA_BYTE, 0)).isNotZero();
    }
}
