package io.urma4j.tck;

/** A segment in device memory at its home. Its loads and stores are copies, not ordered with those of peers. */
public interface HomeDeviceSegment extends HomeSegment {
    /** Frees the memory although it is registered. */
    void freeByForce();
}
