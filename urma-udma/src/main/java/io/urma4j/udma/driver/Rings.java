package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.NativeMemory;
import java.lang.foreign.Arena;

/** Memory of rings: zeroed, on its own pages, which the kernel allocates at first use, freed with its last user. */
final class Rings {
    private Rings() {}

    static NativeMemory allocate(Object what, long lengthBytes) {
        try {
            return NativeMemory.of(Mapping.anonymous(lengthBytes, Arena.ofAuto()));
        } catch (LibcException e) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, what, "no memory for a ring of " + lengthBytes + " bytes: " + e.getMessage(), e);
        }
    }

    static int ceilingPowerOfTwo(int value) {
        return value <= 1 ? 1 : Integer.highestOneBit(value - 1) << 1;
    }
}
