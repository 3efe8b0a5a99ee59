package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A segment of a home in this process. It names its interface itself, as {@link Wire#interfaceOf} needs it. */
final class LocalHomeSegment extends LocalHomeRegistration implements HomeSegment {
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final MemorySegment memory;

    LocalHomeSegment(SharedMemory memory, LocalSegment segment) {
        super(segment);
        this.memory = memory.segment();
    }

    @Override
    public void fill(Payload payload) {
        payload.fill(memory, 0, 0, memory.byteSize());
    }

    @Override
    public void put(long offset, byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, offset, bytes.length);
    }

    @Override
    public byte[] get(long offset, int lengthBytes) {
        return memory.asSlice(offset, lengthBytes).toArray(JAVA_BYTE);
    }

    @Override
    public long firstDifference(Payload payload, long offset, long from, long lengthBytes) {
        return payload.firstDifference(memory, offset, from, lengthBytes);
    }

    @Override
    public boolean isZero(long offset, long lengthBytes) {
        for (long i = offset; i < offset + lengthBytes; i++) {
            if (memory.get(JAVA_BYTE, i) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long word(long offset) {
        return (long) WORD.getAcquire(memory, offset);
    }

    @Override
    public void setWord(long offset, long value) {
        WORD.setRelease(memory, offset, value);
    }
}
