package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.TokenPolicy;
import io.urma4j.WindowKey;
import java.util.ArrayList;
import java.util.List;

/** Remote buffers for tests: what a pool of {@code shm0} and {@code udma0} exports. */
final class RemoteBufs {
    static final long BASE = 0x7f00_0000_0000L;
    static final long SLAB_BYTES = 4 << 20;
    static final long IMPORT_NUMBER = 0x8877_6655_4433_2211L;

    private RemoteBufs() {}

    /** A slab on {@code shm0}. */
    static SegmentDescriptor shmSlab() {
        return slab(new Endpoint("shm", "c8a3f09e51b7d264", 0x1122_3344_5566_7788L, BASE, false));
    }

    /** The same slab on {@code udma0}, with the longest address. */
    static SegmentDescriptor udmaSlab() {
        return slab(new Endpoint("udma", "2001:db8:1111:2222:3333:4444:5555:6666", 0x12b7_0000_0001L, BASE, false));
    }

    private static SegmentDescriptor slab(Endpoint endpoint) {
        return new SegmentDescriptor(
                Eid.parse("2001:db8::1"),
                7,
                42,
                0x1001,
                SLAB_BYTES,
                Access.READ_WRITE_ATOMIC,
                TokenPolicy.NONE,
                new Capabilities(true, true, true, true, MemoryKind.HOST),
                List.of(endpoint));
    }

    static RemoteBuf.Window window(int device, SegmentDescriptor slab, int slot, long offset, long lengthBytes) {
        WindowKey key = new WindowKey(IMPORT_NUMBER, slot, 1000 + slot, offset, lengthBytes, Access.READ_WRITE);
        return new RemoteBuf.Window(device, device == 0 ? 0 : 1, slab, key);
    }

    /** On one device. */
    static RemoteBuf one(long offset, long lengthBytes) {
        return RemoteBuf.of(List.of(window(0, udmaSlab(), 5, offset, lengthBytes)));
    }

    /** On the devices 0 and 2. */
    static RemoteBuf two(long offset, long lengthBytes) {
        return RemoteBuf.of(
                List.of(window(0, shmSlab(), 5, offset, lengthBytes), window(2, udmaSlab(), 9, offset, lengthBytes)));
    }

    /** Neighbours on one device. */
    static List<RemoteBuf> neighbours(int count) {
        SegmentDescriptor slab = shmSlab();
        List<RemoteBuf> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(RemoteBuf.of(List.of(window(0, slab, i, 4096L * (i % 1024), 4096))));
        }
        return all;
    }
}
