package io.urma4j.examples.kvcache;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestTest {
    private static final CacheShape SHAPE = new CacheShape(2, 100, 64);

    private final MemorySegment message = MemorySegment.ofArray(new byte[Request.MAX_BYTES]);

    private static Request request(int number, int... blocks) {
        Request request = new Request();
        request.number = number;
        request.count = blocks.length;
        for (int i = 0; i < blocks.length; i++) {
            request.blocks[i] = blocks[i];
            request.generations[i] = 1000L * blocks[i];
        }
        return request;
    }

    @Test
    void whatIsStoredIsLoaded() {
        long length = request(7, 12, 0, 99).store(message);

        Request loaded = new Request();
        assertThat(loaded.load(message.asSlice(0, length), SHAPE)).isTrue();
        assertThat(loaded.number).isEqualTo(7);
        assertThat(loaded.count).isEqualTo(3);
        assertThat(loaded.blocks).startsWith(12, 0, 99);
        assertThat(loaded.generations).startsWith(12_000, 0, 99_000);
    }

    @ParameterizedTest
    @CsvSource({"0, 8", "4, 8", "23, 8", "25, 8", "39, 8", "41, 8"})
    void lengthThatDoesNotFitItsCountIsRefused(long length, int block) {
        request(1, block).store(message);

        assertThat(new Request().load(message.asSlice(0, length), SHAPE)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"4, 0", "4, -1", "4, 65", "4, 2147483647", "16, 100", "16, -1"})
    void countAndBlocksHaveLimits(long at, int value) {
        long length = request(1, 8).store(message);
        assertThat(new Request().load(message.asSlice(0, length), SHAPE)).isTrue();

        message.set(JAVA_INT_UNALIGNED, at, value);

        assertThat(new Request().load(message.asSlice(0, length), SHAPE)).isFalse();
    }
}
