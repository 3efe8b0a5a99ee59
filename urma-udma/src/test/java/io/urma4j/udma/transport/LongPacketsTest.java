package io.urma4j.udma.transport;

import static io.urma4j.udma.transport.ConnectionConfig.Kind.SHARED;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.RequestsByHand.Peer;
import io.urma4j.udma.wire.DatagramPlace;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Path MTUs above those of RoCE, between urma4j peers. */
class LongPacketsTest {
    private static final int QUEUE = 0x100;
    private static final int TARGET = 0x200;
    private static final int MIB = 1 << 20;
    private static final int LARGEST = 61_440;

    private static final int WRITES = 60;

    private static Pair pair(Kind kind, int mtuBytes, double loss) {
        Pair.Faults faults = new Pair.Faults(loss, loss, loss > 0 ? 30_000 : 0);
        return new Pair(kind, config -> config.mtuBytes(mtuBytes).selective(), faults, 7);
    }

    private static Outbox outbox(Pair pair) {
        return pair.left.connection.config().isShared() ? pair.left.outbox(QUEUE, TARGET) : pair.left.outbox();
    }

    private static Inbox inbox(Pair pair, int bytes) {
        return pair.left.connection.config().isShared() ? pair.right.inbox(TARGET, bytes) : pair.right.inbox(bytes);
    }

    /** A place that is exchanged, or not. */
    private static final class Place implements DatagramPlace {
        private final boolean exchanges;
        private final List<Packet> taken = new ArrayList<>();

        Place(boolean exchanges) {
            this.exchanges = exchanges;
        }

        @Override
        public Packet makeSpare() {
            return new Packet(NativeMemory.allocate(Packet.MAX_BYTES), this);
        }

        @Override
        public boolean exchange(Packet packet, Packet spare) {
            taken.add(spare);
            return exchanges;
        }
    }

    private static Packet packet(Place place, int content) {
        Packet packet = place.makeSpare();
        packet.begin(Opcodes.RC | Opcodes.WRITE_MIDDLE, 1, content);
        packet.lengthBytes(packet.payloadAt() + LARGEST + Icrc.BYTES);
        packet.bytes().setByte(packet.payloadAt(), content);
        return packet;
    }

    @Test
    void anEarlyPacketIsKeptWhereItWasReceivedAndItsMemoryIsTheNextSpare() {
        OutOfOrder kept = new OutOfOrder(LARGEST);
        Place place = new Place(true);
        Packet first = packet(place, 1);
        Packet second = packet(place, 2);
        Packet third = packet(place, 3);

        kept.keep(first, 11, 10);
        kept.keep(second, 12, 10);
        assertThat(kept.get(11)).isSameAs(first);
        assertThat(kept.get(12)).isSameAs(second);
        assertThat(place.taken).hasSize(2).doesNotContain(first, second);

        kept.remove(10, 12);
        kept.keep(third, 13, 12);
        assertThat(place.taken.get(2)).isSameAs(first);
        assertThat(kept.get(13)).isSameAs(third);
    }

    @Test
    void anEarlyPacketThatCannotBeExchangedIsCopied() {
        OutOfOrder kept = new OutOfOrder(LARGEST);
        Packet packet = packet(new Place(false), 7);
        kept.keep(packet, 11, 10);
        packet.bytes().setByte(packet.payloadAt(), 8);

        Packet copy = requireNonNull(kept.get(11));
        assertThat(copy).isNotSameAs(packet);
        assertThat(copy.lengthBytes()).isEqualTo(packet.lengthBytes());
        assertThat(copy.bytes().getByte(copy.payloadAt())).isEqualTo((byte) 7);
    }

    /** A quarter of what READs may have in flight: no more than that of others is in the way. */
    @ParameterizedTest
    @EnumSource
    void aReadOf64KibibytesIsOneRequest(Kind kind) {
        Pair pair = pair(kind, LARGEST, 0);
        int[] requests = {0};
        pair.filter = (to, packet) -> {
            requests[0] += Opcodes.operation(packet.opcode()) == Opcodes.READ_REQUEST ? 1 : 0;
            return true;
        };
        Outbox out = outbox(pair);
        inbox(pair, 8);

        out.read(0, 64 << 10, 0);
        pair.run();
        assertThat(out.statuses()).containsExactly(0);
        assertThat(requests[0]).isEqualTo(1);

        out.read(0, (64 << 10) + 1, 0);
        pair.run();
        assertThat(requests[0]).as("one more of a packet, and one of the rest").isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "RELIABLE_CONNECTED, 8192, 0",
        "RELIABLE_CONNECTED, 61440, 0",
        "RELIABLE_CONNECTED, 32768, 0.1",
        "RELIABLE_CONNECTED, 61440, 0.1",
        "SHARED, 16384, 0",
        "SHARED, 61440, 0",
        "SHARED, 8192, 0.1",
        "SHARED, 61440, 0.1"
    })
    void aMebibyteIsWrittenReadAndSent(Kind kind, int mtuBytes, double loss) {
        Pair pair = pair(kind, mtuBytes, loss);
        Outbox out = outbox(pair);
        Inbox in = inbox(pair, MIB);
        in.post(2);
        out.fill(3);
        List<Integer> lengths = new ArrayList<>();
        pair.filter = (to, packet) -> {
            lengths.add(packet.payloadBytes());
            return true;
        };

        out.write(MIB, 0);
        out.send(MIB);
        out.read(2 * MIB, MIB - 1, 1);
        out.send(8);
        pair.run();

        assertThat(out.statuses()).hasSize(4).containsOnly(0);
        assertThat(pair.right.region.bytes.asSlice(0, MIB).mismatch(out.buffer.asSlice(0, MIB)))
                .as("what was written")
                .isEqualTo(-1);
        assertThat(out.buffer.asSlice(2 * MIB, MIB - 1).mismatch(out.buffer.asSlice(1, MIB - 1)))
                .as("what was read")
                .isEqualTo(-1);
        assertThat(in.arrivals).extracting(Inbox.Arrival::lengthBytes).containsExactly((long) MIB, 8L);
        assertThat(lengths).contains(mtuBytes).allMatch(length -> length <= mtuBytes);
    }

    /** Without a limit of bytes, 1024 long packets would overrun the buffer of the peer 15 times over. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aWindowHasNoMoreBytesThanOneOfRocePackets(Kind kind) {
        Pair pair = pair(kind, LARGEST, 0);
        pair.line = new Pair.Line(2_000_000, 0, Long.MAX_VALUE, Pair.DutyCycle.ALWAYS);
        Outbox out = outbox(pair);
        long[] sent = new long[1];
        pair.filter = (to, packet) -> {
            sent[0] += to == pair.right ? packet.payloadBytes() : 0;
            return true;
        };
        long most = 0;
        for (int i = 0; i < WRITES; i++) {
            out.write(16 * LARGEST, 0);
        }
        for (int i = 0; i < 1000; i++) {
            pair.runFor(200_000);
            most = Math.max(most, inFlight(pair));
        }
        pair.run();

        assertThat(out.statuses()).hasSize(WRITES).containsOnly(0);
        assertThat(sent[0]).as("none was sent twice").isEqualTo(WRITES * 16L * LARGEST);
        assertThat(most).as("long packets in flight").isBetween(34L, 69L);
    }

    private static long value(Pair pair, String name) {
        long[] found = {-1};
        pair.left.connection.forEachCounter((counter, value) -> found[0] = counter.equals(name) ? value : found[0]);
        return found[0];
    }

    private static long inFlight(Pair pair) {
        return value(pair, "inFlight");
    }

    /** They have few bytes: a peer with long packets gets as many at once as any other. */
    @Test
    void shortMessagesFillAWindowOfPackets() {
        Pair pair = pair(SHARED, LARGEST, 0);
        pair.line = new Pair.Line(1_000_000, 0, Long.MAX_VALUE, Pair.DutyCycle.ALWAYS);
        Outbox out = outbox(pair);
        long most = 0;
        for (int i = 0; i < 200; i++) {
            for (int k = 0; k < 32; k++) {
                out.write(8, 8L * k);
            }
            pair.runFor(20_000);
            most = Math.max(most, inFlight(pair));
        }
        pair.run();

        assertThat(most).as("with a window of 68 long packets").isBetween(200L, 1024L);
        assertThat(out.statuses()).containsOnly(0);
    }

    /** WIRE §3.3: FIRST and MIDDLE have one MTU, LAST and ONLY no more. The agreed one counts, not what a port takes. */
    @ParameterizedTest
    @EnumSource(
            value = Peer.class,
            names = {"URMA4J", "SHARED"})
    void aPacketLongerThanAgreedIsRefused(Peer peer) {
        for (int mtuBytes : new int[] {4096, 8192}) {
            var hand =
                    new RequestsByHand(peer, config -> config.mtuBytes(mtuBytes).selective());
            hand.inbox.post(1);

            Packet tooLong = hand.packet(0, Opcodes.SEND_ONLY, 2 * mtuBytes);

            assertThat(hand.answers(tooLong)).contains("0 invalid");
            assertThat(hand.inbox.arrivals).isEmpty();
        }
    }

    @Nested
    class OfEarlyPackets {
        private static final long EXPECTED = 50;

        private final OutOfOrder kept = new OutOfOrder(LARGEST);

        private Packet packet(int payloadBytes) {
            Packet packet = new Packet(NativeMemory.allocate(payloadBytes + 100));
            packet.begin(Opcodes.RC | Opcodes.SEND_MIDDLE, 1, 1);
            packet.lengthBytes(packet.payloadAt() + payloadBytes + 4);
            return packet;
        }

        private boolean isKept(long psn, int payloadBytes) {
            kept.keep(packet(payloadBytes), psn, EXPECTED);
            return kept.get(psn) != null;
        }

        @Test
        void asManyLongOnesAreKeptAsAWindowHas() {
            for (int i = 1; i <= 68; i++) {
                assertThat(isKept(EXPECTED + i, LARGEST))
                        .as("long packet %d", i)
                        .isTrue();
            }
            assertThat(isKept(EXPECTED + 69, LARGEST)).isFalse();
            assertThat(isKept(EXPECTED + 69, 4096)).as("a short one").isTrue();

            kept.remove(EXPECTED, EXPECTED + 3);
            kept.drop(EXPECTED + 5);

            assertThat(isKept(EXPECTED + 70, LARGEST)).isTrue();
            assertThat(isKept(EXPECTED + 71, LARGEST)).isTrue();
            assertThat(isKept(EXPECTED + 72, LARGEST)).isTrue();
            assertThat(isKept(EXPECTED + 73, LARGEST)).isFalse();
            kept.clear();
            assertThat(kept.isEmpty()).isTrue();
            for (int i = 1; i <= 68; i++) {
                assertThat(isKept(EXPECTED + i, LARGEST)).as("again %d", i).isTrue();
            }
        }

        @Test
        void oneThatIsLongerThanAgreedIsNotKept() {
            OutOfOrder ofRoce = new OutOfOrder(1024);

            ofRoce.keep(packet(1025), EXPECTED + 1, EXPECTED);
            ofRoce.keep(packet(LARGEST), EXPECTED + 2, EXPECTED);
            ofRoce.keep(packet(1024), EXPECTED + 3, EXPECTED);

            assertThat(ofRoce.get(EXPECTED + 1)).isNull();
            assertThat(ofRoce.get(EXPECTED + 2)).isNull();
            assertThat(ofRoce.get(EXPECTED + 3)).isNotNull();
        }
    }
}
