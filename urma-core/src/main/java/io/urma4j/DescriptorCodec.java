package io.urma4j;

/** Binary and text forms of descriptors (S1.4). */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable"})
final class DescriptorCodec {
    private DescriptorCodec() {}

    static byte[] encode(SegmentDescriptor descriptor) {
        throw new UnsupportedOperationException();
    }

    static byte[] encode(JettyDescriptor descriptor) {
        throw new UnsupportedOperationException();
    }

    static SegmentDescriptor decodeSegment(byte[] bytes) {
        throw new UnsupportedOperationException();
    }

    static JettyDescriptor decodeJetty(byte[] bytes) {
        throw new UnsupportedOperationException();
    }

    static String toText(SegmentDescriptor descriptor) {
        throw new UnsupportedOperationException();
    }

    static String toText(JettyDescriptor descriptor) {
        throw new UnsupportedOperationException();
    }

    static SegmentDescriptor parseSegment(String text) {
        throw new UnsupportedOperationException();
    }

    static JettyDescriptor parseJetty(String text) {
        throw new UnsupportedOperationException();
    }

    static String toLine(SharedSegment shared) {
        throw new UnsupportedOperationException();
    }

    static String toLine(SharedJetty shared) {
        throw new UnsupportedOperationException();
    }

    static SharedSegment parseSharedSegment(String line) {
        throw new UnsupportedOperationException();
    }

    static SharedJetty parseSharedJetty(String line) {
        throw new UnsupportedOperationException();
    }
}
