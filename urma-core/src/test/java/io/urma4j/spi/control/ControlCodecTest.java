package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ControlCodecTest {
    private static final int FLIPS = 50_000;

    static Stream<ControlMessage> oneOfEach() {
        return Stream.of(
                new ControlMessage.Hello(1, 2, 3, 4, new Eid(5, 6), 0xFF_FFFF, -7, 8, "0123456789abcdef"),
                new ControlMessage.Goodbye("closed: ünïcödé"),
                new ControlMessage.Refused(9, UrmaStatus.ENOPERM, "no"),
                new ControlMessage.Done(10),
                new ControlMessage.ImportSegment(11, 12, -1, Access.READ_WRITE_ATOMIC, Token.of(-13)),
                new ControlMessage.ImportSegment(11, 12, 13, Access.READ, null),
                new ControlMessage.SegmentGranted(14, 15, Access.READ, 4096, 1L << 40),
                new ControlMessage.Unimport(16),
                new ControlMessage.Revoke(17),
                new ControlMessage.Revoked(18),
                new ControlMessage.OpenWindows(37),
                new ControlMessage.OpenBounce(38),
                new ControlMessage.OpenShared(40, 41, List.of("npu", "cuda")),
                new ControlMessage.MemoryShared(
                        42, Access.READ, "npu", new ControlMessage.Handle(new byte[] {1, -2, 3})),
                new ControlMessage.WindowsOpened(38),
                new ControlMessage.ImportQueue(19, 20, JettyDescriptor.Kind.GROUP, Token.of(0)),
                new ControlMessage.QueueGranted(21, TransportMode.RC, OrderType.OL, Long.MIN_VALUE),
                new ControlMessage.OpenPath(22, 1 << 20),
                new ControlMessage.PathOpened(23),
                new ControlMessage.Bind(24, 25, 26, OrderType.NO),
                new ControlMessage.Unbind(27, 28, 29),
                new ControlMessage.Lookup(30, "orders", true),
                new ControlMessage.Named(
                        31, 32, 36, 33, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, Token.of(34), 35, List.of("a", "b")),
                new ControlMessage.Inspect(37, 200, Long.MIN_VALUE),
                new ControlMessage.Inspected(38, List.of("1\ta=b", ""), false),
                new ControlMessage.Measure(39, true));
    }

    @ParameterizedTest
    @MethodSource("oneOfEach")
    void comesBackAsItWas(ControlMessage message) throws ControlFormatException {
        assertThat(ControlCodec.decode(ControlCodec.encode(message))).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("oneOfEach")
    void truncationAtAnyByteIsRefused(ControlMessage message) {
        ByteBuffer bytes = ControlCodec.encode(message);
        for (int length = 0; length < bytes.limit(); length++) {
            ByteBuffer cut = bytes.slice(0, length);
            assertThatThrownBy(() -> ControlCodec.decode(cut)).isInstanceOf(ControlFormatException.class);
        }
    }

    static Stream<ControlMessage> oneOfEachButHello() {
        return oneOfEach().filter(message -> !(message instanceof ControlMessage.Hello));
    }

    @ParameterizedTest
    @MethodSource("oneOfEachButHello")
    void aByteTooManyIsRefused(ControlMessage message) {
        ByteBuffer longer = longerByOne(message);
        assertThatThrownBy(() -> ControlCodec.decode(longer))
                .isInstanceOf(ControlFormatException.class)
                .hasMessage("1 bytes behind the end of the message");
    }

    private static ByteBuffer longerByOne(ControlMessage message) {
        ByteBuffer bytes = ControlCodec.encode(message);
        return ByteBuffer.allocate(bytes.limit() + 1).put(bytes).rewind();
    }

    /** A later minor version may say more of itself, before it knows what the other end understands. */
    @Test
    void aGreetingMayBeLonger() throws ControlFormatException {
        var hello = new ControlMessage.Hello(1, 9, 3, 4, new Eid(5, 6), 7, 8, 9, "0123456789abcdef");

        assertThat(ControlCodec.decode(longerByOne(hello))).isEqualTo(hello);
    }

    /** The layout of what follows the versions is that of the other major version. */
    @Test
    void ofAnotherMajorVersionTheVersionsAreRead() throws ControlFormatException {
        ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 1)
                .putInt(0x414D_5255)
                .putShort((short) 7)
                .putShort((short) 3)
                .put(new byte[] {-1, -2, -3});

        assertThat(ControlCodec.decode(bytes.flip())).isEqualTo(ControlMessage.Hello.ofAnotherMajor(7, 3));
    }

    @Test
    void anUnknownTypeIsRefusedWithTheVersionThatDoesNotKnowIt() {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {(byte) 200, 1, 2, 3});

        assertThatThrownBy(() -> ControlCodec.decode(bytes))
                .isInstanceOf(ControlFormatException.class)
                .hasMessage("message type 200 is unknown to control protocol 1.1");
    }

    /** Whatever a peer sends: a message, or the one exception. */
    @Test
    void hostileBytesMakeAMessageOrTheOneException() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        Random random = new Random(seed);
        List<ControlMessage> messages = oneOfEach().toList();
        for (int i = 0; i < FLIPS; i++) {
            ByteBuffer bytes = hostile(random, messages.get(random.nextInt(messages.size())));
            try {
                ControlMessage message = ControlCodec.decode(bytes);
                assertThat(ControlCodec.decode(ControlCodec.encode(message))).isEqualTo(message);
            } catch (ControlFormatException expected) {
                assertThat(expected).hasMessageMatching("(?s).+");
            } catch (RuntimeException | Error e) {
                fail("-Durma.seed=" + seed + ": round " + i, e);
            }
        }
    }

    private static ByteBuffer hostile(Random random, ControlMessage message) {
        ByteBuffer bytes = ControlCodec.encode(message);
        int flips = 1 + random.nextInt(4);
        for (int i = 0; i < flips; i++) {
            bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
        }
        return random.nextInt(8) == 0 ? bytes.slice(0, random.nextInt(bytes.limit())) : bytes;
    }

    /** S1.3. */
    @Test
    void noTokenIsPrinted() {
        assertThat(oneOfEach().map(Object::toString)).noneMatch(text -> text.contains("-13"));
    }

    @Test
    void whatIsTooLongIsCutAtACharacter() throws ControlFormatException {
        var goodbye = new ControlMessage.Goodbye("x" + "ü".repeat(1000));
        var named = new ControlMessage.Named(
                1, 2, 4, 3, Access.READ, TokenPolicy.NONE, null, 0, Collections.nCopies(1000, "y".repeat(1000)));

        var cut = (ControlMessage.Goodbye) ControlCodec.decode(ControlCodec.encode(goodbye));
        assertThat(cut.reason()).hasSize(ControlCodec.MAX_TEXT_BYTES / 2).endsWith("ü");
        var fewer = (ControlMessage.Named) ControlCodec.decode(ControlCodec.encode(named));
        assertThat(fewer.users()).hasSize(ControlCodec.MAX_TEXTS);
    }
}
