package io.urma4j;

import io.urma4j.internal.Checks;
import java.util.List;

/**
 * What the owner of a JFR or Jetty passes to peers by any side channel, so that they can send to it: everything except the
 * token.
 *
 * @param incarnation of the owner's address space (S1.5)
 * @param orderType the effective one
 * @param endpoints of the owner, best first; at most 32
 */
public record JettyDescriptor(
        JettyId id,
        Kind kind,
        long incarnation,
        TransportMode mode,
        OrderType orderType,
        TokenPolicy policy,
        List<Endpoint> endpoints) {

    public JettyDescriptor {
        if (id.eid().isZero()) {
            throw Checks.invalid("Jetty descriptor", "the EID is zero");
        }
        if (orderType == OrderType.DEF || !orderType.isLegalFor(mode)) {
            throw Checks.invalid("Jetty descriptor", "order type " + orderType + " is not an effective one of " + mode);
        }
        Checks.inRange("Jetty descriptor", "number of endpoints", endpoints.size(), 0, SegmentDescriptor.MAX_ENDPOINTS);
        endpoints = List.copyOf(endpoints);
    }

    /** The kind of queue that has the number. */
    public enum Kind {
        JFR,
        JETTY,
        GROUP
    }

    /** Its binary form: versioned, self-delimiting, checksummed. */
    public byte[] toBytes() {
        return DescriptorCodec.encode(this);
    }

    /**
     * Parses the binary form.
     *
     * @throws DescriptorException if {@code bytes} are truncated, altered, or of an unknown version
     */
    public static JettyDescriptor fromBytes(byte[] bytes) {
        return DescriptorCodec.decodeJetty(bytes);
    }

    /** Its text form: one line without blanks. */
    public String toText() {
        return DescriptorCodec.toText(this);
    }

    /**
     * Parses the text form; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character differs from what {@link #toText} wrote
     */
    public static JettyDescriptor parse(String text) {
        return DescriptorCodec.parseJetty(text);
    }
}
