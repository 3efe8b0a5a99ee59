package io.urma4j.buffer;

/**
 * What each lease of a {@link Block} changes, in cache lines of its own. Blocks of one slab lie side by side on the Java heap, and
 * different threads lease them: a word of one in a line of another would cost each lease several misses. HotSpot lays out the fields
 * of a superclass before those of its subclasses.
 */
abstract class LeaseWords {
    // with the object's header a cache line
    long before0;
    long before1;
    long before2;
    long before3;
    long before4;
    long before5;

    abstract static class Changing extends LeaseWords {
        volatile long state;
        long leaseBytes; // written before the lease, read after it
    }

    /** So the fields of the block itself begin in another cache line. */
    abstract static class After extends Changing {
        long after0;
        long after1;
        long after2;
        long after3;
        long after4;
        long after5;
    }
}
