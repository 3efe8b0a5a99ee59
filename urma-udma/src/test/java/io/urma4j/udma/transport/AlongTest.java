package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.wire.AckEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that is alone brings an acknowledgement along that is due, to peers of urma4j. */
class AlongTest {
    private static final int BYTES = 64;

    /** Both ends with a queue, and a request of the left one that has come to the right one, who has not answered yet. */
    private static final class Scene {
        final Pair pair;
        final Pair.End left;
        final Pair.End right;
        final Outbox leftOut;
        final Outbox rightOut;

        Scene(Kind kind, boolean isForeign) {
            pair = new Pair(kind, config -> isForeign ? config.foreignPeer() : config.selective(), Pair.Faults.NONE, 1);
            left = pair.left;
            right = pair.right;
            leftOut = left.outbox();
            rightOut = right.outbox();
            left.inbox(BYTES).post(16);
            right.inbox(BYTES).post(16);
            left.records = true;
            right.records = true;
            pair.filter = (to, packet) -> false; // packets are handed over here
        }

        Scene(Kind kind) {
            this(kind, false);
        }

        void requestArrives() {
            leftOut.send(BYTES);
            left.step();
            right.receive(left.sent.getLast());
        }

        List<Packet> answers() {
            right.sent.clear();
            right.step();
            return right.sent;
        }
    }

    private static boolean hasAlong(Packet packet) {
        return Opcodes.has(packet.opcode(), Header.ACK_ETH);
    }

    private static int operation(Packet packet) {
        return Opcodes.operation(packet.opcode());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aReplyBringsItAlong(Kind kind) {
        for (boolean isWrite : new boolean[] {false, true}) {
            Scene scene = new Scene(kind);
            scene.requestArrives();
            if (isWrite) {
                scene.rightOut.write(BYTES, 0);
            } else {
                scene.rightOut.send(BYTES);
            }

            assertThat(scene.answers()).singleElement().satisfies(packet -> {
                assertThat(hasAlong(packet)).isTrue();
                assertThat(operation(packet)).isEqualTo(isWrite ? Opcodes.WRITE_ONLY : Opcodes.SEND_ONLY);
                assertThat(AckEth.psn(packet.bytes(), packet.at(Header.ACK_ETH)))
                        .isEqualTo(Bth.psn(scene.left.sent.getLast().bytes()));
                assertThat(packet.payloadBytes()).isEqualTo(BYTES);
            });
            scene.left.receive(scene.right.sent.getLast());
            assertThat(scene.leftOut.statuses()).containsExactly(WorkStatus.SUCCESS);
            assertThat(scene.left.inboxes.values().iterator().next().arrivals).hasSize(isWrite ? 0 : 1);
            assertThat(scene.answers()).as("nothing is left to say").isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoHasNothingToSayAcknowledgesAlone(Kind kind) {
        Scene scene = new Scene(kind);
        scene.requestArrives();
        assertThat(scene.answers())
                .singleElement()
                .satisfies(packet -> assertThat(operation(packet)).isEqualTo(Opcodes.ACKNOWLEDGE));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatIsNotAloneLeavesItToAPacketOfItsOwn(Kind kind) {
        Scene scene = new Scene(kind);
        scene.rightOut.write(8, 0);
        assertThat(scene.answers()).hasSize(1);
        scene.requestArrives();
        scene.rightOut.send(BYTES); // while the WRITE is under way
        assertThat(scene.answers()).hasSize(2).noneMatch(AlongTest::hasAlong);

        Scene other = new Scene(kind);
        other.requestArrives();
        other.rightOut.write(9000, 0); // of three packets
        assertThat(other.answers()).hasSizeGreaterThan(3).noneMatch(AlongTest::hasAlong);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aRefusalHasAPacketOfItsOwn(Kind kind) {
        Scene scene = new Scene(kind);
        scene.right.inbox(BYTES); // without a receive work request
        scene.requestArrives();
        scene.rightOut.send(BYTES);
        assertThat(scene.answers())
                .hasSizeGreaterThan(1)
                .noneMatch(AlongTest::hasAlong)
                .anyMatch(packet -> operation(packet) == Opcodes.ACKNOWLEDGE);
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = "RELIABLE_CONNECTED")
    void othersThanUrma4jGetNone(Kind kind) {
        Scene scene = new Scene(kind, true);
        scene.requestArrives();
        scene.rightOut.send(BYTES);
        assertThat(scene.answers()).hasSize(2).noneMatch(AlongTest::hasAlong);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatIsLostWithItComesAgain(Kind kind) {
        Scene scene = new Scene(kind);
        scene.requestArrives();
        scene.rightOut.send(BYTES);
        assertThat(scene.answers()).hasSize(1).allMatch(AlongTest::hasAlong); // and goes nowhere

        scene.pair.filter = (to, packet) -> true;
        scene.pair.run();
        assertThat(scene.leftOut.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(scene.rightOut.statuses()).containsExactly(WorkStatus.SUCCESS);
        assertThat(scene.left.inboxes.values().iterator().next().arrivals).hasSize(1);
        assertThat(scene.right.inboxes.values().iterator().next().arrivals).hasSize(1);
    }

    /** As somebody would say it who lies: what was never sent, and what is long over. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatItCannotAcknowledgeIsNotBelieved(Kind kind) {
        Scene scene = new Scene(kind);
        scene.requestArrives();
        scene.rightOut.send(BYTES);
        Packet honest = scene.answers().getLast();
        for (int away : new int[] {-1000, -1, 1, 1000}) {
            Packet lie = Pair.copy(honest);
            int at = lie.at(Header.ACK_ETH);
            AckEth.put(lie.bytes(), at, AckEth.psn(lie.bytes(), at) + away & 0xFF_FFFF, AckEth.msn(lie.bytes(), at));
            scene.left.receive(lie);
            assertThat(scene.leftOut.statuses()).isEmpty();
        }
        scene.left.receive(honest);
        assertThat(scene.leftOut.statuses()).containsExactly(WorkStatus.SUCCESS);
    }

    /** It knows no request that brings an acknowledgement along: to wait for one would only make it late. */
    @Test
    void acknowledgementsToAForeignPeerAreNotPostponed() {
        for (boolean isForeign : new boolean[] {false, true}) {
            Scene scene = new Scene(Kind.RELIABLE_CONNECTED, isForeign);
            scene.requestArrives();
            scene.right.sent.clear();

            assertThat(scene.right.connection.merelyAcknowledges()).isEqualTo(!isForeign);
            scene.right.connection.step(scene.pair.now, FlushHint.HOLD_REQUESTS_AND_ACKS);

            assertThat(scene.right.sent)
                    .as("acknowledgements of a step that may leave them")
                    .hasSize(isForeign ? 1 : 0);
        }
    }
}
