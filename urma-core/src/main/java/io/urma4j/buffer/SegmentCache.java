package io.urma4j.buffer;

import io.urma4j.SegmentDescriptor;
import io.urma4j.internal.descriptor.DescriptorCodec;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The last descriptors of segments and their bytes: the same few slabs stand in each message of a peer. A peer can evict
 * entries, and not add any. For one thread at a time.
 */
final class SegmentCache {
    private static final int SETS = 16; // a power of two
    private static final int WAYS = 4; // places of a set, for descriptors with the same hash
    private static final int LONGEST_BYTES = 512; // of an entry; longer ones are rare, and are not cached

    private final CRC32C crc = new CRC32C();
    private final @Nullable Entry[] byDescriptor = new Entry[SETS * WAYS];
    private final @Nullable Entry[] byBytes = new Entry[SETS * WAYS];
    private int nextWay; // to be replaced

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(SegmentDescriptor descriptor, byte[] bytes) {}

    /** The bytes of a descriptor; the caller does not write them. */
    @SuppressWarnings("ReferenceEquality") // another object with the same values has its own entry
    byte[] bytesOf(SegmentDescriptor descriptor) {
        int first = setOf(System.identityHashCode(descriptor));
        for (int place = first; place < first + WAYS; place++) {
            Entry cached = byDescriptor[place];
            if (cached != null && cached.descriptor == descriptor) {
                return cached.bytes;
            }
        }
        byte[] bytes = DescriptorCodec.fieldsOf(descriptor);
        replace(byDescriptor, first, new Entry(descriptor, bytes));
        return bytes;
    }

    /**
     * The descriptor with those bytes; the same object for the same bytes, while it is cached.
     *
     * @throws io.urma4j.DescriptorException if they are none
     */
    SegmentDescriptor descriptorOf(byte[] bytes, int from, int length) {
        int first = setOf(hash(bytes, from, length));
        for (int place = first; place < first + WAYS; place++) {
            Entry cached = byBytes[place];
            if (cached != null && Arrays.equals(cached.bytes, 0, cached.bytes.length, bytes, from, from + length)) {
                return cached.descriptor;
            }
        }
        SegmentDescriptor descriptor = DescriptorCodec.segmentOf(bytes, from, length);
        replace(byBytes, first, new Entry(descriptor, Arrays.copyOfRange(bytes, from, from + length)));
        return descriptor;
    }

    private static int setOf(int hash) {
        return (hash & SETS - 1) * WAYS;
    }

    private void replace(@Nullable Entry[] entries, int set, Entry by) {
        if (by.bytes.length <= LONGEST_BYTES) {
            entries[set + (nextWay++ & WAYS - 1)] = by;
        }
    }

    /** A checksum, because the CPU calculates it faster than a loop does. */
    private int hash(byte[] bytes, int from, int length) {
        crc.reset();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
