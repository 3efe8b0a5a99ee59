package io.urma4j.buffer;

import io.urma4j.LocalSegment;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A registered memory of a {@link RegistrationCache}, whose lock guards the fields. */
final class CachedRegion {
    private final MemorySegment memory;
    private final List<LocalSegment> registrations;

    /** Buffers that are open over it, or held by operations. */
    int users;

    /** Whether the cache finds it; else it ends with its last user. */
    boolean isCached;

    CachedRegion(MemorySegment memory, List<LocalSegment> registrations) {
        this.memory = memory;
        this.registrations = registrations;
    }

    MemorySegment memory() {
        return memory;
    }

    List<LocalSegment> registrations() {
        return registrations;
    }

    long start() {
        return memory.address();
    }

    long lengthBytes() {
        return memory.byteSize();
    }

    boolean overlaps(MemorySegment other) {
        return start() < other.address() + other.byteSize() && other.address() < start() + lengthBytes();
    }

    /** Whether that memory is a part of this one, of the same life. */
    boolean has(MemorySegment part) {
        return start() <= part.address()
                && part.byteSize() <= lengthBytes() - (part.address() - start())
                && memory.scope().equals(part.scope())
                && memory.scope().isAlive();
    }

    @Override
    public String toString() {
        return "registration of " + lengthBytes() + " bytes at 0x" + Long.toHexString(start());
    }
}
