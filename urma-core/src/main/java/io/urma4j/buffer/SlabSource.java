package io.urma4j.buffer;

import io.urma4j.UrmaException;

/** Makes the memory of slabs. Safe for any number of threads. */
@FunctionalInterface
interface SlabSource {
    /**
     * Allocates and registers. It may take milliseconds.
     *
     * @throws UrmaException if a device refuses; then nothing is left of it
     */
    SlabMemory make(long lengthBytes);
}
