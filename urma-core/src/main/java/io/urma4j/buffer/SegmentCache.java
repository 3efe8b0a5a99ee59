package io.urma4j.buffer;

import io.urma4j.SegmentDescriptor;
import io.urma4j.internal.descriptor.DescriptorCodec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last descriptors of segments and their bytes: the same few slabs stand in each message of a peer. A peer can evict
 * entries, and not add any. For one thread at a time.
 */
final class SegmentCache {
    private static final int PLACES = 64; // a power of two
    private static final int LONGEST_BYTES = 512; // of an entry; longer ones are rare, and are not cached

    private final @Nullable Entry[] byDescriptor = new Entry[PLACES];
    private final @Nullable Entry[] byBytes = new Entry[PLACES];

    private static final class Entry {
        final SegmentDescriptor descriptor;
        final byte[] bytes;

        Entry(SegmentDescriptor descriptor, byte[] bytes) {
            this.descriptor = descriptor;
            this.bytes = bytes;
        }
    }

    /** The bytes of a descriptor; the caller does not write them. */
    @SuppressWarnings("ReferenceEquality") // another object with the same values has its own entry
    byte[] bytesOf(SegmentDescriptor descriptor) {
        int place = System.identityHashCode(descriptor) & PLACES - 1;
        Entry cached = byDescriptor[place];
        if (cached != null && cached.descriptor == descriptor) {
            return cached.bytes;
        }
        byte[] bytes = DescriptorCodec.fieldsOf(descriptor);
        if (bytes.length <= LONGEST_BYTES) {
            byDescriptor[place] = new Entry(descriptor, bytes);
        }
        return bytes;
    }

    /**
     * The descriptor with those bytes; the same object for the same bytes, while it is cached.
     *
     * @throws io.urma4j.DescriptorException if they are none
     */
    SegmentDescriptor descriptorOf(byte[] bytes, int from, int length) {
        int place = hash(bytes, from, length) & PLACES - 1;
        Entry cached = byBytes[place];
        if (cached != null && Arrays.equals(cached.bytes, 0, cached.bytes.length, bytes, from, from + length)) {
            return cached.descriptor;
        }
        SegmentDescriptor descriptor = DescriptorCodec.segmentOf(bytes, from, length);
        if (length <= LONGEST_BYTES) {
            byBytes[place] = new Entry(descriptor, Arrays.copyOfRange(bytes, from, from + length));
        }
        return descriptor;
    }

    private static int hash(byte[] bytes, int from, int length) {
        int hash = 0;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash ^ hash >>> 16;
    }
}
