package io.urma4j.buffer;

import java.util.Arrays;

/** Lengths that are acquired together, all or none. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Request(SizeClasses classes, boolean isControl, long... lengths) {
    int count() {
        return lengths.length;
    }

    long lengthBytes(int index) {
        return lengths[index];
    }

    int sizeClass(int index) {
        return classes.indexOf(lengths[index]);
    }

    long chunkBytes(int index) {
        return classes.blockBytesFor(lengths[index]);
    }

    /** Bytes of all chunks that serve it. */
    long totalBytes() {
        return Arrays.stream(lengths).map(classes::blockBytesFor).sum();
    }

    @Override
    public String toString() {
        return lengths.length == 1 ? lengths[0] + " bytes" : lengths.length + " buffers of " + totalBytes() + " bytes";
    }
}
