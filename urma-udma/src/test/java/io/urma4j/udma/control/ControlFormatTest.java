package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.LoneContext.Neighbour;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import io.urma4j.udma.control.PeerMessage.QueueBound;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The formats of the control plane at their limits: what just fits is read, and what does not is refused. */
class ControlFormatTest {
    private static final Neighbour LEFT = Neighbour.ofHost(1);
    private static final int MAX_24 = 0xFF_FFFF;
    private static final String FIRST = "x".repeat(ControlCodec.MAX_TEXT_BYTES);

    // ---- datagram

    @Test
    void aDatagramOfTheMaximumSizeIsReadAndALongerOneIsNot() {
        ByteBuffer longest = datagramWith(ControlDatagram.MAX_BODY_BYTES);

        assertThat(longest.remaining()).isEqualTo(ControlDatagram.MAX_BYTES);
        assertThat(ControlDatagram.decode(longest)).isNotNull();
        assertThat(ControlDatagram.decode(datagramWith(ControlDatagram.MAX_BODY_BYTES + 1)))
                .isNull();
    }

    private static ByteBuffer datagramWith(int bodyBytes) {
        return new ControlDatagram(Kind.ECHO, 4791, 1, 0, 1, 1, 0, ByteBuffer.allocate(bodyBytes)).encode();
    }

    // ---- greeting

    private static Greeting read(long tag, ConnectionEnd half, Hello hello) throws ControlFormatException {
        return Greeting.decode(new Greeting(tag, 1, half, hello).encode());
    }

    /** The fields of packets have 24 bits, and RoCE has five path MTUs. */
    @Test
    void aGreetingMayOfferEachNumberAndMtuThatPacketsCanHave() throws Exception {
        for (int mtu : new int[] {256, 512, 1024, 2048, 4096}) {
            var half = new ConnectionEnd(MAX_24, MAX_24, mtu);
            assertThat(read(2, half, LEFT.hello()).half()).isEqualTo(half);
        }
    }

    /** This context would divide by such an MTU, or address packets to the queue of another. */
    @Test
    void aGreetingMustNotOfferWhatNoPacketCanHave() {
        for (ConnectionEnd half : List.of(
                new ConnectionEnd(MAX_24 + 1, 1, 1024),
                new ConnectionEnd(-1, 1, 1024),
                new ConnectionEnd(1, MAX_24 + 1, 1024),
                new ConnectionEnd(1, -1, 1024),
                new ConnectionEnd(1, 1, 0),
                new ConnectionEnd(1, 1, 128),
                new ConnectionEnd(1, 1, 8192),
                new ConnectionEnd(1, 1, 1500),
                new ConnectionEnd(1, 1, Integer.MIN_VALUE))) {
            assertThatThrownBy(() -> read(2, half, LEFT.hello()))
                    .as("%s", half)
                    .isInstanceOf(ControlFormatException.class)
                    .hasMessageContaining("offers");
        }
    }

    /** An attacker on the path could clear the feature alone, and both would go on without a secret. */
    @Test
    void aGreetingWhoseTagAndFeaturesContradictEachOtherIsRefused() {
        Hello own = LEFT.hello();
        Hello withSecret =
                new Hello(1, 0, PacketSecret.FEATURE, 0, own.eid(), 1, own.incarnation(), own.wanted(), "pid 1");
        var half = new ConnectionEnd(1, 1, 1024);

        assertThatThrownBy(() -> read(3, half, own)).hasMessageContaining("contradict");
        assertThatThrownBy(() -> read(2, half, withSecret)).hasMessageContaining("contradict");
    }

    /** Its sender must hear that the versions differ, and not that it is malformed. */
    @Test
    void aGreetingOfAnotherMajorVersionMayOfferAnything() throws Exception {
        Hello own = LEFT.hello();
        Hello later = new Hello(9, 0, 0, 0, own.eid(), 1, own.incarnation(), own.wanted(), "pid 1");

        assertThat(read(3, new ConnectionEnd(-1, -1, -1), later).hello().major())
                .isEqualTo(9);
    }

    @Test
    void aGreetingThatIsCutIsRefused() {
        ByteBuffer whole = LEFT.greeting(LEFT.hello()).encode();
        for (int bytes = 0; bytes < whole.remaining(); bytes++) {
            ByteBuffer cut = whole.slice(0, bytes);
            assertThatThrownBy(() -> Greeting.decode(cut))
                    .as("%d bytes", bytes)
                    .isInstanceOf(ControlFormatException.class);
        }
    }

    // ---- messages

    /** A longer one is of a later version, whose meaning would be lost without a word. */
    @Test
    void aMessageWithMoreOrFewerBytesThanItsTypeHasIsRefused() throws Exception {
        for (PeerMessage message : List.of(new Ping(), new BindQueue(1, 2, 3, 4, 1024), new QueueBound(1, 1024))) {
            ByteBuffer bytes = MessageCodec.encode(message);
            assertThat(MessageCodec.decode(bytes)).isEqualTo(message);
            ByteBuffer longer = ByteBuffer.allocate(bytes.remaining() + 1).put(bytes.duplicate());
            ByteBuffer shorter = bytes.slice(0, bytes.remaining() - 1);

            for (ByteBuffer other : List.of(longer.rewind(), shorter)) {
                assertThatThrownBy(() -> MessageCodec.decode(other))
                        .as("%s with %d bytes", message, other.remaining())
                        .isInstanceOf(ControlFormatException.class);
            }
        }
    }

    private static Inspected inspected(int lastChars) {
        return new Inspected(1, List.of(FIRST, "x".repeat(lastChars)), true);
    }

    /** A list that is cut says so, so that the caller asks for the rest; one that fits must not be asked for again. */
    @Test
    void aListIsCutWhereTheDatagramEndsAndNotBefore() throws Exception {
        int room = ControlDatagram.MAX_BODY_BYTES - 1;
        int exact = room - ControlCodec.encode(inspected(0)).remaining();

        assertThat(MessageCodec.encode(new Core(inspected(exact))).remaining())
                .isEqualTo(ControlDatagram.MAX_BODY_BYTES);
        assertThat(read(inspected(exact))).isEqualTo(inspected(exact));
        assertThat(read(inspected(exact + 1))).isEqualTo(new Inspected(1, List.of(FIRST), false));
    }

    @Test
    void aListOfManyResourcesIsCutUntilItFits() throws Exception {
        var many = new Inspected(1, Collections.nCopies(ControlCodec.MAX_TEXTS, "x".repeat(100)), true);

        var received = (Inspected) read(many);

        assertThat(received.complete()).isFalse();
        assertThat(received.resources()).hasSize(9);
    }

    private static ControlMessage read(ControlMessage message) throws ControlFormatException {
        return ((Core) MessageCodec.decode(MessageCodec.encode(new Core(message)))).message();
    }

    // ---- cookies

    private static final long PERIOD = 30 * LoneContext.SECOND;

    /** A greeting that arrives just after the change of period is as good as before; an old cookie proves nothing any more. */
    @Test
    void aCookieIsGoodInItsPeriodAndInTheNextAndNoLonger() {
        Cookies cookies = new Cookies(new byte[32]);
        for (long issued : new long[] {100 * PERIOD, 101 * PERIOD - 1}) {
            long cookie = cookies.cookie(LEFT.at(), 1, 1, issued);

            assertThat(cookies.isGood(cookie, LEFT.at(), 1, 1, issued)).isTrue();
            assertThat(cookies.isGood(cookie, LEFT.at(), 1, 1, 102 * PERIOD - 1))
                    .isTrue();
            assertThat(cookies.isGood(cookie, LEFT.at(), 1, 1, 102 * PERIOD)).isFalse();
            assertThat(cookies.isGood(cookie, LEFT.at(), 1, 1, 100 * PERIOD - 1))
                    .as("of a period that has not begun")
                    .isFalse();
        }
    }

    @Test
    void aCookieProvesOneAddressOnePortOneContextAndOneLife() {
        Cookies cookies = new Cookies(new byte[32]);
        PortAddress at = LEFT.at();
        long cookie = cookies.cookie(at, 1, 1, 0);

        assertThat(cookies.isGood(cookie, VirtualNet.address(3), 1, 1, 0)).isFalse();
        assertThat(cookies.isGood(cookie, LEFT.atPort(4792).at(), 1, 1, 0)).isFalse();
        assertThat(cookies.isGood(cookie, at, 2, 1, 0)).isFalse();
        assertThat(cookies.isGood(cookie, at, 1, 2, 0)).isFalse();
        assertThat(cookies.isGood(0, at, 1, 1, 0)).as("no cookie").isFalse();
        assertThat(cookies.isGood(cookie, at, 1, 1, 0)).isTrue();
    }
}
