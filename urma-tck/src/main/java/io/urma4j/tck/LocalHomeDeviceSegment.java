package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.LocalSegment;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A segment in device memory of a home in this process. */
final class LocalHomeDeviceSegment extends LocalHomeRegistration implements HomeDeviceSegment {
    private final DeviceMemory memory;

    LocalHomeDeviceSegment(DeviceMemory memory, LocalSegment segment) {
        super(segment);
        this.memory = memory;
    }

    @Override
    public void fill(Payload payload) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment bytes = arena.allocate(lengthBytes());
            payload.fill(bytes, 0, 0, lengthBytes());
            memory.copyFrom(0, bytes);
        }
    }

    @Override
    public void put(long offset, byte[] bytes) {
        try (Arena arena = Arena.ofShared()) {
            memory.copyFrom(offset, arena.allocateFrom(JAVA_BYTE, bytes));
        }
    }

    @Override
    public byte[] get(long offset, int lengthBytes) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment bytes = arena.allocate(Math.max(1, lengthBytes));
            if (lengthBytes > 0) {
                memory.copyTo(offset, bytes);
            }
            return bytes.asSlice(0, lengthBytes).toArray(JAVA_BYTE);
        }
    }

    @Override
    public long firstDifference(Payload payload, long offset, long from, long lengthBytes) {
        MemorySegment bytes = MemorySegment.ofArray(get(offset, Math.toIntExact(lengthBytes)));
        return payload.firstDifference(bytes, 0, from, lengthBytes);
    }

    @Override
    public boolean isZero(long offset, long lengthBytes) {
        for (byte one : get(offset, Math.toIntExact(lengthBytes))) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long word(long offset) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(JAVA_LONG);
            memory.copyTo(offset, word);
            return word.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void setWord(long offset, long value) {
        try (Arena arena = Arena.ofShared()) {
            memory.copyFrom(offset, arena.allocateFrom(JAVA_LONG, value));
        }
    }

    @Override
    public void freeByForce() {
        memory.closeByForce();
    }
}
