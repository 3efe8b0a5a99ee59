package io.urma4j.internal.descriptor;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Binary and text forms of descriptors (S1.4): which field holds what. The layers below are {@link DescriptorFields},
 * {@link DescriptorFrame} and {@link DescriptorText}.
 *
 * <p>An endpoint is a field with this value, big-endian:
 * <pre>
 *    0  flags    u8   bit 0 critical
 *    1  key      u64
 *    9  vaBase   u64
 *   17  kind     u8   its length, then that number of ASCII characters
 *    …  address       UTF-8, up to the end of the field
 * </pre>
 */
public final class DescriptorCodec {
    private static final int CRITICAL = 1;
    private static final int ENDPOINT_MIN_BYTES = 18;

    private static final int ONE_SIDED = 1;
    private static final int MAPPABLE = 2;
    private static final int ATOMICS = 4;

    // by their numbers
    private static final List<MemoryKind> MEMORY_KINDS = List.of(MemoryKind.HOST, MemoryKind.DEVICE);
    private static final List<JettyDescriptor.Kind> QUEUE_KINDS =
            List.of(JettyDescriptor.Kind.JFR, JettyDescriptor.Kind.JETTY, JettyDescriptor.Kind.GROUP);

    private DescriptorCodec() {}

    public static byte[] encode(SegmentDescriptor descriptor) {
        return sealed(write(begun(DescriptorKind.SEGMENT), descriptor));
    }

    public static byte[] encode(JettyDescriptor descriptor) {
        return sealed(write(begun(DescriptorKind.JETTY), descriptor));
    }

    public static SegmentDescriptor decodeSegment(byte[] bytes) {
        return decode(DescriptorKind.SEGMENT, bytes, DescriptorCodec::segment);
    }

    public static JettyDescriptor decodeJetty(byte[] bytes) {
        return decode(DescriptorKind.JETTY, bytes, DescriptorCodec::jetty);
    }

    /** The fields of a segment without their frame, which has the checksum: for a descriptor inside of another. */
    public static byte[] fieldsOf(SegmentDescriptor descriptor) {
        return write(new FrameBuffer(), descriptor).toBytes();
    }

    /** The segment whose {@link #fieldsOf} are those bytes. */
    public static SegmentDescriptor segmentOf(byte[] bytes, int from, int length) {
        return decode(DescriptorKind.SEGMENT, ByteBuffer.wrap(bytes).slice(from, length), DescriptorCodec::segment);
    }

    public static String toText(SegmentDescriptor descriptor) {
        return DescriptorText.write(DescriptorKind.SEGMENT, encode(descriptor));
    }

    public static String toText(JettyDescriptor descriptor) {
        return DescriptorText.write(DescriptorKind.JETTY, encode(descriptor));
    }

    public static SegmentDescriptor parseSegment(String text) {
        return decodeSegment(DescriptorText.read(DescriptorKind.SEGMENT, text));
    }

    public static JettyDescriptor parseJetty(String text) {
        return decodeJetty(DescriptorText.read(DescriptorKind.JETTY, text));
    }

    public static String toLine(SharedSegment shared) {
        DescriptorKind kind = DescriptorKind.SHARED_SEGMENT;
        return toLine(kind, write(begun(kind), shared.descriptor()), shared.token());
    }

    public static String toLine(SharedJetty shared) {
        DescriptorKind kind = DescriptorKind.SHARED_JETTY;
        return toLine(kind, write(begun(kind), shared.descriptor()), shared.token());
    }

    private static String toLine(DescriptorKind kind, FrameBuffer fields, Token token) {
        return DescriptorText.write(kind, sealed(fields.number(DescriptorField.TOKEN, token.value())));
    }

    private static FrameBuffer begun(DescriptorKind kind) {
        FrameBuffer fields = new FrameBuffer();
        fields.begin(kind);
        return fields;
    }

    private static byte[] sealed(FrameBuffer fields) {
        var _ = fields.seal();
        return fields.toBytes();
    }

    public static SharedSegment parseSharedSegment(String line) {
        DescriptorKind kind = DescriptorKind.SHARED_SEGMENT;
        return decode(
                kind, DescriptorText.read(kind, line), fields -> new SharedSegment(segment(fields), token(fields)));
    }

    public static SharedJetty parseSharedJetty(String line) {
        DescriptorKind kind = DescriptorKind.SHARED_JETTY;
        return decode(kind, DescriptorText.read(kind, line), fields -> new SharedJetty(jetty(fields), token(fields)));
    }

    public static String toText(WindowKey key) {
        FrameBuffer fields = begun(DescriptorKind.WINDOW)
                .number(DescriptorField.IMPORT_NUMBER, key.importNumber())
                .number(DescriptorField.SLOT, key.slot())
                .number(DescriptorField.GENERATION, key.generation())
                .number(DescriptorField.OFFSET, key.offset())
                .number(DescriptorField.LENGTH, key.lengthBytes())
                .number(DescriptorField.ACCESS, key.access().mask());
        return DescriptorText.write(DescriptorKind.WINDOW, sealed(fields));
    }

    public static WindowKey parseWindowKey(String text) {
        return decode(
                DescriptorKind.WINDOW,
                DescriptorText.read(DescriptorKind.WINDOW, text),
                fields -> new WindowKey(
                        fields.number(DescriptorField.IMPORT_NUMBER),
                        small(fields, DescriptorField.SLOT, Integer.MAX_VALUE),
                        fields.number(DescriptorField.GENERATION),
                        fields.number(DescriptorField.OFFSET),
                        fields.number(DescriptorField.LENGTH),
                        Access.ofMask(small(fields, DescriptorField.ACCESS, 0xFF))));
    }

    private static <T> T decode(DescriptorKind kind, byte[] bytes, Function<DescriptorFields, T> record) {
        return decode(kind, DescriptorFrame.open(kind, bytes), record);
    }

    private static <T> T decode(DescriptorKind kind, ByteBuffer bytes, Function<DescriptorFields, T> record) {
        try {
            return record.apply(DescriptorFields.read(kind, bytes));
        } catch (DescriptorException e) {
            throw e;
        } catch (UrmaException e) {
            throw new DescriptorException(e.reason()); // a record refused a value
        }
    }

    private static FrameBuffer write(FrameBuffer fields, SegmentDescriptor descriptor) {
        writeHome(fields, descriptor.eid(), descriptor.uasid(), descriptor.incarnation(), descriptor.policy());
        fields.number(DescriptorField.TOKEN_ID, descriptor.tokenId())
                .number(DescriptorField.LENGTH, descriptor.lengthBytes())
                .number(DescriptorField.ACCESS, descriptor.access().mask())
                .number(DescriptorField.CAPABILITIES, bits(descriptor.capabilities()))
                .number(
                        DescriptorField.MEMORY_KIND,
                        MEMORY_KINDS.indexOf(descriptor.capabilities().memory()));
        if (descriptor.capabilities().windowsOnly()) {
            fields.number(DescriptorField.WINDOWS_ONLY, 1);
        }
        writeEndpoints(fields, descriptor.endpoints());
        return fields;
    }

    private static FrameBuffer write(FrameBuffer fields, JettyDescriptor descriptor) {
        JettyId id = descriptor.id();
        writeHome(fields, id.eid(), id.uasid(), descriptor.incarnation(), descriptor.policy());
        fields.number(DescriptorField.QUEUE_ID, id.id())
                .number(DescriptorField.QUEUE_KIND, QUEUE_KINDS.indexOf(descriptor.kind()))
                .number(DescriptorField.MODE, descriptor.mode().value())
                .number(DescriptorField.ORDER_TYPE, descriptor.orderType().value());
        writeEndpoints(fields, descriptor.endpoints());
        return fields;
    }

    private static void writeHome(FrameBuffer fields, Eid eid, int uasid, long incarnation, TokenPolicy policy) {
        int begun = fields.beginField(DescriptorField.EID);
        fields.putLong(eid.high());
        fields.putLong(eid.low());
        fields.endField(begun);
        fields.number(DescriptorField.UASID, uasid)
                .number(DescriptorField.INCARNATION, incarnation)
                .number(DescriptorField.POLICY, policy.value());
    }

    private static void writeEndpoints(FrameBuffer fields, List<Endpoint> endpoints) {
        for (Endpoint endpoint : endpoints) {
            byte[] kind = endpoint.kind().getBytes(StandardCharsets.US_ASCII);
            int begun = fields.beginField(DescriptorField.ENDPOINT);
            fields.putByte(endpoint.critical() ? CRITICAL : 0);
            fields.putLong(endpoint.key());
            fields.putLong(endpoint.vaBase());
            fields.putByte(kind.length);
            fields.putBytes(kind);
            fields.putBytes(endpoint.address().getBytes(StandardCharsets.UTF_8));
            fields.endField(begun);
        }
    }

    private static SegmentDescriptor segment(DescriptorFields fields) {
        return new SegmentDescriptor(
                eid(fields),
                small(fields, DescriptorField.UASID, JettyId.MAX),
                fields.number(DescriptorField.INCARNATION),
                (int) fields.number(DescriptorField.TOKEN_ID),
                fields.number(DescriptorField.LENGTH),
                Access.ofMask(small(fields, DescriptorField.ACCESS, 0xFF)),
                oneOf(fields, DescriptorField.POLICY, TokenPolicy::of),
                capabilities(fields),
                endpoints(fields));
    }

    private static JettyDescriptor jetty(DescriptorFields fields) {
        JettyId id = new JettyId(
                eid(fields),
                small(fields, DescriptorField.UASID, JettyId.MAX),
                small(fields, DescriptorField.QUEUE_ID, JettyId.MAX));
        return new JettyDescriptor(
                id,
                oneOf(fields, DescriptorField.QUEUE_KIND, number -> numbered(QUEUE_KINDS, "queue", number)),
                fields.number(DescriptorField.INCARNATION),
                oneOf(fields, DescriptorField.MODE, TransportMode::of),
                oneOf(fields, DescriptorField.ORDER_TYPE, OrderType::of),
                oneOf(fields, DescriptorField.POLICY, TokenPolicy::of),
                endpoints(fields));
    }

    private static Token token(DescriptorFields fields) {
        return Token.of((int) fields.number(DescriptorField.TOKEN));
    }

    private static Eid eid(DescriptorFields fields) {
        ByteBuffer bytes = fields.bytes(DescriptorField.EID);
        return new Eid(bytes.getLong(0), bytes.getLong(8));
    }

    private static int small(DescriptorFields fields, DescriptorField field, int max) {
        long value = fields.number(field);
        if (value > max) {
            throw new DescriptorException("field '" + field + "' is " + value + ", must lie in 0…" + max);
        }
        return (int) value;
    }

    private static <T> T oneOf(DescriptorFields fields, DescriptorField field, IntFunction<T> byNumber) {
        try {
            return byNumber.apply((int) fields.number(field));
        } catch (IllegalArgumentException e) {
            throw new DescriptorException("field '" + field + "': " + e.getMessage());
        }
    }

    private static int bits(Capabilities capabilities) {
        return (capabilities.oneSided() ? ONE_SIDED : 0)
                | (capabilities.mappable() ? MAPPABLE : 0)
                | (capabilities.atomics() ? ATOMICS : 0);
    }

    private static Capabilities capabilities(DescriptorFields fields) {
        int bits = small(fields, DescriptorField.CAPABILITIES, ONE_SIDED | MAPPABLE | ATOMICS);
        return new Capabilities(
                (bits & ONE_SIDED) != 0,
                (bits & MAPPABLE) != 0,
                (bits & ATOMICS) != 0,
                isWindowsOnly(fields),
                oneOf(fields, DescriptorField.MEMORY_KIND, number -> numbered(MEMORY_KINDS, "memory", number)));
    }

    private static boolean isWindowsOnly(DescriptorFields fields) {
        if (fields.all(DescriptorField.WINDOWS_ONLY).isEmpty()) {
            return false;
        }
        long value = fields.number(DescriptorField.WINDOWS_ONLY);
        if (value != 1) {
            throw new DescriptorException("field '" + DescriptorField.WINDOWS_ONLY + "' is " + value + ", must be 1");
        }
        return true;
    }

    private static <T> T numbered(List<T> all, String what, int number) {
        if (number >= all.size()) {
            throw new IllegalArgumentException("no kind of " + what + " has the number " + number);
        }
        return all.get(number);
    }

    private static List<Endpoint> endpoints(DescriptorFields fields) {
        return fields.all(DescriptorField.ENDPOINT).stream()
                .map(DescriptorCodec::endpoint)
                .toList();
    }

    private static Endpoint endpoint(ByteBuffer value) {
        if (value.remaining() < ENDPOINT_MIN_BYTES) {
            throw new DescriptorException(
                    "an endpoint has " + value.remaining() + " bytes, must have at least " + ENDPOINT_MIN_BYTES);
        }
        int flags = value.get() & 0xFF;
        if ((flags & ~CRITICAL) != 0) {
            throw new DescriptorException("an endpoint has the unknown flags 0x" + Integer.toHexString(flags));
        }
        long key = value.getLong();
        long vaBase = value.getLong();
        int kindLength = value.get() & 0xFF;
        if (kindLength > value.remaining()) {
            throw new DescriptorException(
                    "an endpoint is truncated: " + value.remaining() + " of " + kindLength + " bytes of its kind");
        }
        String kind = text(value.slice(value.position(), kindLength));
        String address = text(value.position(value.position() + kindLength));
        return new Endpoint(kind, address, key, vaBase, (flags & CRITICAL) != 0);
    }

    private static String text(ByteBuffer utf8) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new DescriptorException("an endpoint holds text that is not UTF-8");
        }
    }
}
