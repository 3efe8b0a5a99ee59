package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.Core;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The rule of docs/compatibility.md, with a peer of a later version at the other end of the network. */
class OtherVersionsTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** A message of a type that only a later version has. */
    private static final byte[] LATER = {99, 1, 2, 3};

    private final VirtualNet net = new VirtualNet(1, 0, 0);
    private final Node left = net.node(1, 11);
    private final Node right = net.node(2, 22);

    private Peer met() {
        var peer = left.connect(right);
        assertThat(net.runUntil(peer::isDone, MINUTE)).isTrue();
        return peer.join();
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return (UrmaException) future.exceptionNow();
    }

    /** To the right, in the name of the left or of somebody who has not been there before. */
    private void sendToRight(Kind kind, long number, long from, long tag, byte[] body) {
        var datagram = new ControlDatagram(kind, 4791, number, 22, from, tag, 0, ByteBuffer.wrap(body));
        net.send(left.port().self().eid(), right.port().self(), datagram.encode());
    }

    private ControlDatagram lastHeard() {
        return ControlDatagram.decode(ByteBuffer.wrap(net.heard.getLast().datagram()));
    }

    private static Refused refusalIn(ControlDatagram datagram) throws ControlFormatException {
        return (Refused) ((Core) MessageCodec.decode(datagram.body())).message();
    }

    /** Of the greeting of version 2 only its first thirty bytes are as we know them, and the first nine of the core's. */
    @Test
    void aCallerOfAnotherMajorVersionHearsBothVersions() throws Exception {
        ByteBuffer greeting = ByteBuffer.allocate(50).order(ByteOrder.LITTLE_ENDIAN);
        greeting.putLong(4711).putLong(1).putInt(-1).putInt(-1).putInt(-1).putShort((short) 20);
        greeting.put((byte) 1).putInt(0x414D_5255).putShort((short) 2).putShort((short) 5);

        sendToRight(Kind.GREET, 77, 33, 0, greeting.array());
        net.runUntil(() -> false, SECOND);
        assertThat(lastHeard().kind()).as("first its address is proven").isEqualTo(Kind.CHALLENGE);
        sendToRight(Kind.GREET, 77, 33, lastHeard().tag(), greeting.array());
        net.runUntil(() -> false, SECOND);

        assertThat(lastHeard().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(refusalIn(lastHeard()))
                .isEqualTo(new Refused(
                        0,
                        UrmaStatus.FAIL,
                        "speaks control protocol 1.1 and its caller 2.5: they need the same major version"));
        assertThat(right.greeted).isEmpty();
    }

    /** What a later minor version adds to its greeting is passed over, and so are features that it can do without. */
    @Test
    void aCallerOfALaterMinorVersionIsServed() {
        Node later = net.nodeWithFeatures(3, 33, -1);

        var answer = later.unimport(left, 5);

        assertThat(net.runUntil(answer::isDone, MINUTE)).isTrue();
        assertThat(answer).isCompleted();
    }

    @Test
    void aGreetingMayBeLonger() throws ControlFormatException {
        Hello hello = ControlPlane.hello(left.port().self(), 1, 11, "pid 1", 4096);
        ByteBuffer bytes = new Greeting(1, 2, new ConnectionEnd(3, 4, 1024), hello).encode();
        ByteBuffer longer = ByteBuffer.allocate(bytes.limit() + 8).order(ByteOrder.LITTLE_ENDIAN);
        longer.put(bytes).putShort(28, (short) (bytes.limit() - 30 + 8)).rewind();

        assertThat(Greeting.decode(longer).hello()).isEqualTo(hello);
    }

    @Test
    void aRequestThatWeCannotReadIsAnsweredAtOnceWithTheReason() throws Exception {
        Peer peer = met();

        sendToRight(Kind.REQUEST, 1, 11, peer.peerTag, LATER);
        net.runUntil(() -> false, SECOND);

        assertThat(lastHeard().kind()).isEqualTo(Kind.ANSWER);
        assertThat(refusalIn(lastHeard()))
                .isEqualTo(new Refused(
                        1, UrmaStatus.FAIL, "message type 99 of the network is unknown to control protocol 1.1"));
        assertThat(right.port().malformed()).isEqualTo(1);
        assertThat(right.lost).as("it stays a peer").isEmpty();
    }

    @Test
    void anAnswerThatWeCannotReadEndsTheRequestWithTheReason() {
        Peer peer = met();
        Peer back = right.greeted.getFirst();
        var asked = right.plane()
                .ask(back, number -> new Core(new Lookup(number, "x", false)), net.now() + MINUTE, net.now());
        net.runUntil(() -> false, SECOND / 100);

        sendToRight(Kind.ANSWER, 1, 11, peer.peerTag, LATER);

        assertThat(net.runUntil(asked::isDone, SECOND)).as("at once").isTrue();
        assertThat(failureOf(asked).status()).isEqualTo(UrmaStatus.FAIL);
        assertThat(failureOf(asked))
                .hasMessageContaining("answered Lookup with an unreadable message:"
                        + " message type 99 of the network is unknown to control protocol 1.1");
    }

    /** No feature of ours announces them, so no peer waits for an answer. */
    @Test
    void datagramsOfAnUnknownKindAreCountedAndPassedOver() {
        Peer peer = met();
        var datagram = new ControlDatagram(Kind.REQUEST, 4791, 1, 22, 11, peer.peerTag, 0, ByteBuffer.wrap(LATER));
        ByteBuffer later = datagram.encode().putShort(4, (short) 9);
        int before = net.heard.size();

        net.send(left.port().self().eid(), right.port().self(), later);
        net.runUntil(() -> false, SECOND);

        assertThat(net.heard).hasSize(before + 1);
        assertThat(right.port().malformed()).isEqualTo(1);
        assertThat(right.lost).isEmpty();
    }
}
