package io.urma4j.internal.descriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.Descriptors;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.SegmentDescriptor;
import io.urma4j.TokenPolicy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** S1.4: the binary form of descriptors. */
class DescriptorCodecTest {
    private static final SegmentDescriptor SEGMENT = Descriptors.segment();
    private static final JettyDescriptor JETTY = Descriptors.jetty();

    @Test
    void theBinaryFormOfASegmentIsPinned() {
        assertThat(HexFormat.of().formatHex(SEGMENT.toBytes()))
                .isEqualTo(String.join(
                        "",
                        "55344a4401000001000000b0",
                        "8001001000000000000000000000ffff0a010203",
                        "8002000400123456",
                        "800300080102030405060708",
                        "8004000101",
                        "8010000400abcdef",
                        "801100080000010000000000",
                        "801200010e",
                        "8013000107",
                        "8014000100",
                        "8005002500112233445566778800000000000000000373686d30313233343536373839616263646566",
                        "8005002301ffffffffffffffff00007f00000010000475646d6131302e312e322e333a34373931",
                        "dec23bb7"));
    }

    @Test
    void theBinaryFormOfAJettyIsPinned() {
        assertThat(HexFormat.of().formatHex(JETTY.toBytes()))
                .isEqualTo(String.join(
                        "",
                        "55344a44010000020000007b",
                        "8001001000000000000000000000ffff0a010203",
                        "8002000400123456",
                        "80030008ffffffffffffffff",
                        "8004000101",
                        "8020000400654321",
                        "8021000101",
                        "8022000101",
                        "8023000102",
                        "8005002301ffffffffffffffff00007f00000010000475646d6131302e312e322e333a34373931",
                        "60eb9700"));
    }

    /** The mark of a windows-only segment is critical: earlier versions refuse it. */
    @Test
    void theMarkOfAWindowsOnlySegmentIsThereOnceOrNever() {
        SegmentDescriptor marked = Descriptors.windowsOnlySegment();
        byte[] fields = fieldsOf(marked.toBytes());

        assertThat(SegmentDescriptor.fromBytes(marked.toBytes())).isEqualTo(marked);
        assertThat(HexFormat.of().formatHex(fields)).contains("8015000101");
        assertThatDecoding(sealed(fields, field(DescriptorField.WINDOWS_ONLY.tag, new int[] {1})))
                .withMessageContaining("field 'windows only' occurs twice");
        assertThatDecoding(sealed(
                        without(DescriptorField.WINDOWS_ONLY, fields),
                        field(DescriptorField.WINDOWS_ONLY.tag, new int[] {0})))
                .withMessageContaining("field 'windows only' is 0, must be 1");
    }

    @Test
    void whatWasWrittenIsRead() {
        assertThat(SegmentDescriptor.fromBytes(SEGMENT.toBytes())).isEqualTo(SEGMENT);
        assertThat(SegmentDescriptor.fromBytes(Descriptors.bareSegment().toBytes()))
                .isEqualTo(Descriptors.bareSegment());
        assertThat(JettyDescriptor.fromBytes(JETTY.toBytes())).isEqualTo(JETTY);
    }

    @Test
    void extremesAreRead() {
        for (Access access : Access.values()) {
            for (TokenPolicy policy : TokenPolicy.values()) {
                SegmentDescriptor segment = Descriptors.segment(access, policy);
                assertThat(SegmentDescriptor.fromBytes(segment.toBytes())).isEqualTo(segment);
            }
        }
        String longest = "ä".repeat(Endpoint.MAX_ADDRESS_BYTES / 2);
        Endpoint endpoint = new Endpoint("a" + "-".repeat(31), longest, Long.MIN_VALUE, Long.MAX_VALUE, true);
        SegmentDescriptor largest = new SegmentDescriptor(
                new Eid(-1, -1),
                JettyId.MAX,
                Long.MIN_VALUE,
                -1,
                Long.MAX_VALUE,
                Access.READ,
                TokenPolicy.ALL_ENCRYPTED,
                SEGMENT.capabilities(),
                java.util.Collections.nCopies(Descriptors.MAX_ENDPOINTS, endpoint));
        assertThat(SegmentDescriptor.fromBytes(largest.toBytes())).isEqualTo(largest);
        assertThat(SegmentDescriptor.parse(largest.toText())).isEqualTo(largest);
    }

    @Test
    void everyTruncationIsRefused() {
        for (byte[] whole : samples()) {
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThatDecoding(cut).withMessageContaining("truncated");
            }
        }
    }

    @Test
    void everyFlippedBitIsRefused() {
        for (byte[] whole : samples()) {
            for (int bit = 0; bit < whole.length * 8; bit++) {
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                assertThatDecoding(flipped)
                        .withMessageMatching("(?s).*(checksum is wrong|truncated|followed by|the magic number).*");
            }
        }
    }

    @Test
    void bytesBehindItAreRefused() {
        byte[] whole = SEGMENT.toBytes();
        assertThatDecoding(Arrays.copyOf(whole, whole.length + 1))
                .withMessageContaining("followed by other bytes: " + (whole.length + 1));
    }

    @Test
    void moreThanTheLimitIsRefusedBeforeItIsLookedAt() {
        assertThatDecoding(new byte[DescriptorFrame.MAX_BYTES + 1])
                .withMessageContaining("more than the limit of " + DescriptorFrame.MAX_BYTES);
    }

    @Test
    void garbageIsRefused() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            byte[] garbage = new byte[random.nextInt(300)];
            random.nextBytes(garbage);
            assertThatExceptionOfType(DescriptorException.class)
                    .as("seed %d, round %d", seed, round)
                    .isThrownBy(() -> SegmentDescriptor.fromBytes(garbage));
        }
    }

    /** Behind a right frame and checksum: the fields themselves are garbage. */
    @Test
    void garbageInAWholeFrameIsRefused() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] fields = fieldsOf(SEGMENT.toBytes());
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                fields[random.nextInt(fields.length)] = (byte) random.nextInt();
            }
            byte[] bytes = sealed(DescriptorKind.SEGMENT, fields);
            try {
                SegmentDescriptor read = SegmentDescriptor.fromBytes(bytes); // a changed number may be a right one
                assertThat(SegmentDescriptor.fromBytes(read.toBytes())).isEqualTo(read);
            } catch (DescriptorException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
    }

    @Test
    void anUnknownMajorVersionIsNamed() {
        assertThatDecoding(resealed(SEGMENT.toBytes(), frame -> frame.put(4, (byte) 2)))
                .withMessageContaining("major version 2 is unknown, this library supports 1");
    }

    @Test
    void anUnknownMinorVersionIsRead() {
        byte[] newer = resealed(SEGMENT.toBytes(), frame -> frame.put(5, (byte) 7));
        assertThat(SegmentDescriptor.fromBytes(newer)).isEqualTo(SEGMENT);
    }

    @Test
    void anotherKindIsNamed() {
        assertThatDecoding(JETTY.toBytes()).withMessageContaining("is a descriptor of a jetty, not of a segment");
        assertThatDecoding(resealed(SEGMENT.toBytes(), frame -> frame.putShort(6, (short) 99)))
                .withMessageContaining("unknown kind 99");
    }

    @Test
    void anUnknownFieldIsSkippedUnlessItIsCritical() {
        byte[] fields = fieldsOf(SEGMENT.toBytes());
        assertThat(SegmentDescriptor.fromBytes(sealed(field(0x7FFF, 1, 2, 3), fields, field(0, new int[0]))))
                .isEqualTo(SEGMENT);
        assertThatDecoding(sealed(fields, field(0x9ABC, 1))).withMessageContaining("field 0x9abc is critical");
    }

    @Test
    void anUnknownEndpointIsKept() {
        Endpoint unknown = new Endpoint("quantum", "?", 1, 2, true);
        JettyDescriptor with = new JettyDescriptor(
                JETTY.id(), JETTY.kind(), 1, JETTY.mode(), JETTY.orderType(), JETTY.policy(), List.of(unknown));
        assertThat(JettyDescriptor.fromBytes(with.toBytes()).endpoints()).containsExactly(unknown);
    }

    @Test
    void eachFieldMustBeThereOnce() {
        byte[] fields = fieldsOf(SEGMENT.toBytes());
        for (DescriptorField field : DescriptorKind.SEGMENT.fields()) {
            if (!field.mayBeMissing()) {
                assertThatDecoding(sealed(without(field, fields)))
                        .withMessageContaining("field '" + field + "' is missing");
                assertThatDecoding(sealed(fields, field(field.tag, new int[field.lengthBytes])))
                        .withMessageContaining("field '" + field + "' occurs twice");
            }
        }
    }

    @Test
    void aFieldOfTheWrongLengthIsNamed() {
        byte[] fields = without(DescriptorField.UASID, fieldsOf(SEGMENT.toBytes()));
        assertThatDecoding(sealed(fields, field(DescriptorField.UASID.tag, 1, 2, 3)))
                .withMessageContaining("field 'uasid' has 3 bytes, must have 4");
    }

    @Test
    void aFieldLongerThanTheRestIsNamed() {
        assertThatDecoding(sealed(new byte[] {0x12, 0x34, 0, 9, 1}))
                .withMessageContaining("field 0x1234 is truncated: 1 of 9 bytes");
        assertThatDecoding(sealed(new byte[] {0x12, 0x34, 0})).withMessageContaining("3 bytes of its header");
    }

    @Test
    void valuesOutOfRangeAreNamed() {
        assertThatSegmentWith(DescriptorField.UASID, 1, 0, 0, 0).withMessageContaining("'uasid' is 16777216");
        assertThatSegmentWith(DescriptorField.EID, new int[16]).withMessageContaining("EID is zero");
        assertThatSegmentWith(DescriptorField.LENGTH, new int[8]).withMessageContaining("length is 0");
        assertThatSegmentWith(DescriptorField.LENGTH, 0x80, 0, 0, 0, 0, 0, 0, 0).withMessageContaining("length is -");
        assertThatSegmentWith(DescriptorField.ACCESS, 3).withMessageContaining("mask 3");
        assertThatSegmentWith(DescriptorField.POLICY, 4).withMessageContaining("'policy'");
        assertThatSegmentWith(DescriptorField.CAPABILITIES, 8).withMessageContaining("'capabilities' is 8");
        assertThatSegmentWith(DescriptorField.MEMORY_KIND, 2).withMessageContaining("'memory kind'");
    }

    @Test
    void valuesOfAJettyOutOfRangeAreNamed() {
        assertThatJettyWith(DescriptorField.QUEUE_ID, 1, 0, 0, 0).withMessageContaining("'queue id' is 16777216");
        assertThatJettyWith(DescriptorField.QUEUE_KIND, 3).withMessageContaining("'queue kind'");
        assertThatJettyWith(DescriptorField.MODE, 3).withMessageContaining("'mode'");
        assertThatJettyWith(DescriptorField.ORDER_TYPE, 5).withMessageContaining("'order type'");
        assertThatJettyWith(DescriptorField.ORDER_TYPE, 0).withMessageContaining("DEF is not an effective one of RM");
    }

    @Test
    void malformedEndpointsAreNamed() {
        byte[] fields = fieldsOf(Descriptors.bareSegment().toBytes());
        int tag = DescriptorField.ENDPOINT.tag;
        assertThatDecoding(sealed(fields, field(tag, 0, 1))).withMessageContaining("endpoint has 2 bytes");
        assertThatDecoding(sealed(fields, endpoint(2, 1, 'a'))).withMessageContaining("unknown flags 0x2");
        assertThatDecoding(sealed(fields, endpoint(0, 9, 'a'))).withMessageContaining("1 of 9 bytes of its kind");
        assertThatDecoding(sealed(fields, endpoint(0, 1, 'A'))).withMessageContaining("kind must be 1…32");
        assertThatDecoding(sealed(fields, endpoint(0, 1, 'a', 0xFF))).withMessageContaining("not UTF-8");
        byte[] tooMany = new byte[0];
        for (int i = 0; i <= Descriptors.MAX_ENDPOINTS; i++) {
            tooMany = joined(tooMany, endpoint(0, 1, 'a'));
        }
        assertThatDecoding(sealed(fields, tooMany)).withMessageContaining("number of endpoints is 33");
    }

    private static List<byte[]> samples() {
        return List.of(SEGMENT.toBytes(), Descriptors.bareSegment().toBytes());
    }

    private static ThrowableAssertAlternative<DescriptorException> assertThatDecoding(byte[] bytes) {
        return assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SegmentDescriptor.fromBytes(bytes));
    }

    private static ThrowableAssertAlternative<DescriptorException> assertThatSegmentWith(
            DescriptorField field, int... value) {
        byte[] others = without(field, fieldsOf(SEGMENT.toBytes()));
        return assertThatDecoding(sealed(others, field(field.tag, value)));
    }

    private static ThrowableAssertAlternative<DescriptorException> assertThatJettyWith(
            DescriptorField field, int... value) {
        byte[] others = without(field, fieldsOf(JETTY.toBytes()));
        byte[] bytes = sealed(DescriptorKind.JETTY, joined(others, field(field.tag, value)));
        return assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> JettyDescriptor.fromBytes(bytes));
    }

    private static byte[] sealed(byte[]... fields) {
        return sealed(DescriptorKind.SEGMENT, joined(fields));
    }

    /** A frame of that kind around the fields. */
    private static byte[] sealed(DescriptorKind kind, byte[] fields) {
        FrameBuffer frame = new FrameBuffer();
        frame.begin(kind);
        frame.putBytes(fields);
        var _ = frame.seal();
        return frame.toBytes();
    }

    private static byte[] resealed(byte[] bytes, Consumer<ByteBuffer> change) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        change.accept(frame);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        frame.putInt(bytes.length - 4, (int) crc.getValue());
        return bytes;
    }

    private static byte[] fieldsOf(byte[] descriptor) {
        return Arrays.copyOfRange(descriptor, 12, descriptor.length - 4);
    }

    private static byte[] without(DescriptorField field, byte[] fields) {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        ByteBuffer all = ByteBuffer.wrap(fields);
        while (all.hasRemaining()) {
            int start = all.position();
            int tag = all.getShort() & 0xFFFF;
            int end = start + 4 + (all.getShort() & 0xFFFF);
            if (tag != field.tag) {
                rest.write(fields, start, end - start);
            }
            all.position(end);
        }
        return rest.toByteArray();
    }

    private static byte[] field(int tag, int... value) {
        ByteBuffer field =
                ByteBuffer.allocate(4 + value.length).putShort((short) tag).putShort((short) value.length);
        for (int b : value) {
            field.put((byte) b);
        }
        return field.array();
    }

    /** An endpoint with zero key and base. */
    private static byte[] endpoint(int flags, int kindLength, int... text) {
        int[] value = new int[18 + text.length];
        value[0] = flags;
        value[17] = kindLength;
        System.arraycopy(text, 0, value, 18, text.length);
        return field(DescriptorField.ENDPOINT.tag, value);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
