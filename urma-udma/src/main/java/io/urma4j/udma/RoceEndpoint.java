package io.urma4j.udma;

import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.List;
import java.util.Optional;

/**
 * What two RoCE peers tell each other before they connect two QPs by hand (WIRE §12.1): an endpoint of the kind
 * {@code roce} in a {@link JettyDescriptor}. An import of a descriptor without another kind makes no request; binding an
 * RC Jetty to it connects at once, and a datagram needs no more. The token of a UM Jetty is its Q_Key.
 *
 * <pre>
 * key: 0…23 QP number, 24…47 first PSN of that QP's requests, 48…55 path MTU as verbs number it (1…5), 0: any,
 *      56…63 READs and atomics that it takes at a time, 0: not told
 * </pre>
 *
 * @param gid address of the port; its UDP port is 4791
 * @param firstPsn that the QP sends first
 * @param mtuBytes 256, 512, 1024, 2048 or 4096; 0 when it was not told
 * @param readDepth READs and atomics that the QP takes before it has answered the first, 1 to 255: the {@code
 *     max_dest_rd_atomic} of verbs; 0 when it was not told, which counts as 1
 */
public record RoceEndpoint(Eid gid, int qpNumber, int firstPsn, int mtuBytes, int readDepth) {
    public static final String KIND = "roce";

    /** The UDP port of RoCEv2. */
    public static final int UDP_PORT = 4791;

    private static final int MAX_24 = 0xFF_FFFF;
    private static final int PSN_SHIFT = 24;
    private static final int MTU_SHIFT = 48;
    private static final int SMALLEST_MTU_BITS = 7; // 256 bytes are number 1
    private static final int MTU_NUMBERS = 5;
    private static final int DEPTH_SHIFT = 56;
    private static final int MAX_DEPTH = 255;

    public RoceEndpoint {
        if ((qpNumber & ~MAX_24) != 0 || (firstPsn & ~MAX_24) != 0) {
            throw invalid("QP number " + qpNumber + " and PSN " + firstPsn + " must have 24 bits");
        }
        if (mtuBytes != 0 && mtuNumber(mtuBytes) == 0) {
            throw invalid("MTU " + mtuBytes + " is none of 256, 512, 1024, 2048, 4096");
        }
        if (readDepth < 0 || readDepth > MAX_DEPTH) {
            throw invalid("READ depth " + readDepth + " is not within 0 to " + MAX_DEPTH);
        }
    }

    /** One whose READ depth was not told. */
    public RoceEndpoint(Eid gid, int qpNumber, int firstPsn, int mtuBytes) {
        this(gid, qpNumber, firstPsn, mtuBytes, 0);
    }

    /** As part of a descriptor. */
    public Endpoint toEndpoint() {
        long key = qpNumber
                | (long) firstPsn << PSN_SHIFT
                | (long) mtuNumber(mtuBytes) << MTU_SHIFT
                | (long) readDepth << DEPTH_SHIFT;
        return new Endpoint(KIND, gid.toString(), key, 0, false);
    }

    /**
     * The descriptor of an RC QP somewhere, to be imported without a token and bound.
     *
     * @param orderType that of the Jetty that is to be bound to it
     */
    public JettyDescriptor toDescriptor(OrderType orderType) {
        return new JettyDescriptor(
                new JettyId(gid, 0, qpNumber),
                JettyDescriptor.Kind.JETTY,
                0,
                TransportMode.RC,
                orderType.effective(TransportMode.RC),
                TokenPolicy.NONE,
                List.of(toEndpoint()));
    }

    /**
     * The descriptor of a UD QP somewhere, to be imported with its Q_Key as the token. Its first PSN and MTU say nothing.
     */
    public JettyDescriptor toDatagramDescriptor() {
        return new JettyDescriptor(
                new JettyId(gid, 0, qpNumber),
                JettyDescriptor.Kind.JETTY,
                0,
                TransportMode.UM,
                OrderType.NO,
                TokenPolicy.PLAIN_TEXT,
                List.of(toEndpoint()));
    }

    /** How the owner of a descriptor can be reached by hand; empty when it does not say. */
    public static Optional<RoceEndpoint> of(JettyDescriptor descriptor) {
        return descriptor.endpoints().stream()
                .filter(endpoint -> endpoint.kind().equals(KIND))
                .findFirst()
                .map(RoceEndpoint::of);
    }

    private static RoceEndpoint of(Endpoint endpoint) {
        long key = endpoint.key();
        int number = (int) (key >>> MTU_SHIFT) & 0xFF;
        if (number > MTU_NUMBERS) {
            throw invalid("the key of the descriptor's endpoint names no MTU");
        }
        int mtuBytes = number == 0 ? 0 : 1 << SMALLEST_MTU_BITS + number;
        return new RoceEndpoint(
                Eid.parse(endpoint.address()), (int) key & MAX_24, (int) (key >>> PSN_SHIFT) & MAX_24, mtuBytes, (int)
                        (key >>> DEPTH_SHIFT));
    }

    private static int mtuNumber(int mtuBytes) {
        for (int number = 1; number <= MTU_NUMBERS; number++) {
            if (mtuBytes == 1 << SMALLEST_MTU_BITS + number) {
                return number;
            }
        }
        return 0;
    }

    private static UrmaException invalid(String why) {
        return new UrmaException(UrmaStatus.EINVAL, "RoCE endpoint", why);
    }
}
