package io.urma4j;

import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import java.util.List;

/** Descriptors for tests. */
public final class Descriptors {
    /** For tests outside of this package. */
    public static final int MAX_ENDPOINTS = SegmentDescriptor.MAX_ENDPOINTS;

    public static final Eid EID = Eid.parse("::ffff:10.1.2.3");

    private static final Endpoint SHM = new Endpoint("shm", "0123456789abcdef", 0x1122334455667788L, 0, false);
    private static final Endpoint UDMA = new Endpoint("udma", "10.1.2.3:4791", -1, 0x7f00_0000_1000L, true);

    private Descriptors() {}

    /** With no endpoint: the least that there is. */
    public static SegmentDescriptor bareSegment() {
        return new SegmentDescriptor(
                EID,
                1,
                2,
                3,
                1,
                Access.READ,
                TokenPolicy.NONE,
                new Capabilities(false, false, false, MemoryKind.DEVICE),
                List.of());
    }

    /** One whose import opens nothing but windows. */
    public static SegmentDescriptor windowsOnlySegment() {
        return new SegmentDescriptor(
                EID,
                1,
                2,
                3,
                4096,
                Access.READ_WRITE,
                TokenPolicy.NONE,
                new Capabilities(true, true, true, true, MemoryKind.HOST),
                List.of(SHM));
    }

    public static SegmentDescriptor segment() {
        return segment(Access.READ_WRITE_ATOMIC, TokenPolicy.PLAIN_TEXT);
    }

    public static SegmentDescriptor segment(Access access, TokenPolicy policy) {
        return new SegmentDescriptor(
                EID,
                0x123456,
                0x0102030405060708L,
                0x00ABCDEF,
                1L << 40,
                access,
                policy,
                new Capabilities(true, true, true, MemoryKind.HOST),
                List.of(SHM, UDMA));
    }

    public static JettyDescriptor jetty() {
        return new JettyDescriptor(
                new JettyId(EID, 0x123456, 0x654321),
                JettyDescriptor.Kind.JETTY,
                -1,
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.PLAIN_TEXT,
                List.of(UDMA));
    }
}
