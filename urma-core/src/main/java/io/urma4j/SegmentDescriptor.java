package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.descriptor.DescriptorCodec;
import java.util.List;

/**
 * What a home hands to peers by any side channel, so that they can import a segment: everything except the token.
 *
 * @param incarnation of the home's address space; a restarted home is another home (S1.5)
 * @param capabilities what differs from segment to segment (S3.2)
 * @param endpoints by which the home can be reached, best first; at most 32
 */
public record SegmentDescriptor(
        Eid eid,
        int uasid,
        long incarnation,
        int tokenId,
        long lengthBytes,
        Access access,
        TokenPolicy policy,
        Capabilities capabilities,
        List<Endpoint> endpoints) {

    /** Most endpoints of a descriptor. */
    static final int MAX_ENDPOINTS = 32;

    public SegmentDescriptor {
        if (eid.isZero()) {
            throw Checks.invalid("segment descriptor", "the EID is zero");
        }
        Checks.inRange("segment descriptor", "uasid", uasid, 0, JettyId.MAX);
        Checks.inRange("segment descriptor", "length", lengthBytes, 1, Long.MAX_VALUE);
        Checks.inRange("segment descriptor", "number of endpoints", endpoints.size(), 0, MAX_ENDPOINTS);
        endpoints = List.copyOf(endpoints);
    }

    /** What operations a segment allows by its nature, whatever its access. */
    public record Capabilities(boolean oneSided, boolean mappable, boolean atomics, MemoryKind memory) {}

    /** What lies behind a segment. */
    public enum MemoryKind {
        HOST,
        DEVICE
    }

    /** Its binary form: versioned, self-delimiting, checksummed. */
    public byte[] toBytes() {
        return DescriptorCodec.encode(this);
    }

    /**
     * Reads the binary form.
     *
     * @throws DescriptorException when {@code bytes} are truncated, altered, or of an unknown version
     */
    public static SegmentDescriptor fromBytes(byte[] bytes) {
        return DescriptorCodec.decodeSegment(bytes);
    }

    /** Its text form: one line without blanks. */
    public String toText() {
        return DescriptorCodec.toText(this);
    }

    /**
     * Reads the text form; blanks around it are ignored.
     *
     * @throws DescriptorException when any character is not as {@link #toText} wrote it
     */
    public static SegmentDescriptor parse(String text) {
        return DescriptorCodec.parseSegment(text);
    }
}
