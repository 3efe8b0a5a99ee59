package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that cannot be used is a result: an exception would end the turn of whichever thread drives the card. */
class DmaTest {
    private static final int SIZE = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(SIZE, 64);
    private final MemorySegment readOnly = memory.asReadOnly();
    private final NativeMemory other = NativeMemory.allocate(SIZE);

    DmaTest() {
        other.segment().fill((byte) 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, SIZE})
    void readOnlyMemoryTakesNoBytes(int lengthBytes) {
        assertThat(Dma.write(other, 0, readOnly, 0, lengthBytes)).isFalse();
        assertThat(memory.mismatch(Arena.ofAuto().allocate(SIZE))).isEqualTo(-1);
        assertThat(Dma.read(readOnly, 0, other, 0, lengthBytes)).isTrue();
    }

    @Test
    void readOnlyMemoryTakesNoWord() {
        assertThat(Dma.store(readOnly, 0, 5)).isFalse();
        assertThat(Dma.store(memory, 0, 5)).isTrue();
    }

    @Test
    void memoryOfAnotherThreadTakesNoBytes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(SIZE);
            boolean[] isPlaced = {true};
            Thread card = Thread.ofVirtual().start(() -> isPlaced[0] = Dma.write(other, 0, confined, 0, 8));
            join(card);
            assertThat(isPlaced[0]).isFalse();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anAtomicOnReadOnlyMemoryHasNoEffect() {
        KeyTable keys = new KeyTable(connection -> connection, new Host(1, 1024), 8);
        int key = keys.register(new KeyConfig(readOnly, 0, Memory.ATOMIC, 5, 0, 0));

        assertThat(keys.atomic(0x22, key, 0, 8, 1, 0, 5)).isZero();

        assertThat(memory.mismatch(Arena.ofAuto().allocate(SIZE))).isEqualTo(-1);
    }
}
