package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.descriptor.DescriptorCodec;
import java.util.List;

/**
 * What a home passes to peers by any side channel, so that they can import a segment: everything except the token.
 *
 * @param incarnation of the home's address space; a restarted home is another home (S1.5)
 * @param capabilities that differ between segments (S3.2)
 * @param endpoints of the home, best first; at most 32
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

    /** Maximum endpoints of a descriptor. */
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

    /**
     * The operations that a segment supports, independent of its access.
     *
     * @param windowsOnly an import opens nothing by itself, only windows (S14.31)
     */
    public record Capabilities(
            boolean oneSided, boolean mappable, boolean atomics, boolean windowsOnly, MemoryKind memory) {
        /** Of a segment that an import opens as a whole. */
        public Capabilities(boolean oneSided, boolean mappable, boolean atomics, MemoryKind memory) {
            this(oneSided, mappable, atomics, false, memory);
        }
    }

    /** The kind of memory of a segment. */
    public enum MemoryKind {
        HOST,
        DEVICE
    }

    /** Of what tells segments apart; the other fields hardly ever differ alone, and would cost a caller of maps more. */
    @Override
    public int hashCode() {
        return 31 * Long.hashCode(incarnation) + tokenId;
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
    public static SegmentDescriptor fromBytes(byte[] bytes) {
        return DescriptorCodec.decodeSegment(bytes);
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
    public static SegmentDescriptor parse(String text) {
        return DescriptorCodec.parseSegment(text);
    }
}
