package io.urma4j.udma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Token;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.tck.RecordedConversation;
import io.urma4j.tck.RecordedConversation.Said;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A conversation of control protocol 1.1 over a network, as version 0.1 of the library had it, against the library of today
 * in the place of either end. {@code -Durma.record=true} writes the file anew, which is right as long as no release has it.
 */
class RecordedControlTest {
    private static final String FILE = "udma-control-1.1.txt";
    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final long LEFT_LIFE = 11;
    private static final long RIGHT_LIFE = 22;

    /** As version 0.1 derived it from the tags in the file. */
    private static final long SECRET = 0x77EE_B8C2_FABB_D47DL;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** Less than the pause before anything is said again. */
    private static final long SOON = Duration.ofMillis(10).toNanos();

    /** What the left asks, in this order; its control plane numbers them from 1. */
    private static List<PeerMessage> requests() {
        return List.of(
                new Core(new Unimport(1)), // odd: done
                new Core(new Unimport(2)), // even: refused
                new Core(new ImportSegment(3, 0x5_4321, 17, Access.READ_WRITE_ATOMIC, Token.of(0x7E57_AB1E))),
                new BindQueue(0x12, 0x34, 1, 0x56_789A, 4096),
                new Ping(),
                new Core(new Goodbye("closed")));
    }

    private static final byte[] ECHO = "is anybody there?".getBytes(StandardCharsets.US_ASCII);

    /** The two ends of today, which draw other numbers with each seed. */
    private static final class Ends {
        final VirtualNet net;
        final Node left;
        final Node right;
        private int looked;

        Ends(long seed) {
            net = new VirtualNet(seed, 0, 0);
            left = net.node(1, LEFT_LIFE);
            right = net.node(2, RIGHT_LIFE);
        }

        /** What was said since the last look. */
        List<Said> said() {
            List<Said> said = new ArrayList<>();
            for (; looked < net.heard.size(); looked++) {
                VirtualNet.Heard one = net.heard.get(looked);
                boolean isLeft = one.source().equals(left.port().self().eid());
                ByteBuffer bytes = ByteBuffer.wrap(one.datagram());
                said.add(Said.of(isLeft ? LEFT : RIGHT, bytes, remark(one.datagram())));
            }
            return said;
        }

        /** Lets one end say what it does not say by itself, or in the place of one that is not there. */
        void say(Node as, Node to, ByteBuffer datagram) {
            net.send(as.port().self().eid(), to.port().self(), datagram);
            net.heard.removeLast(); // it is known already
        }
    }

    private static ControlDatagram read(Said said) {
        ControlDatagram datagram = ControlDatagram.decode(said.message());
        assertThat(datagram).as("%s", said).isNotNull();
        return datagram;
    }

    private static String remark(byte[] bytes) {
        ControlDatagram datagram = ControlDatagram.decode(ByteBuffer.wrap(bytes));
        return datagram == null ? "" : datagram.kind().toString();
    }

    private static ControlDatagram echo(long cookie) {
        return new ControlDatagram(Kind.ECHO, 4791, 4711, 0, 99, cookie, 0, ByteBuffer.wrap(ECHO));
    }

    private static List<Said> recorded() throws Exception {
        if (RecordedConversation.isRecording()) {
            RecordedConversation.write(FILE, "Control protocol 1.1 of udma: the left greets and asks.", spoken());
        }
        return RecordedConversation.read(RecordedControlTest.class, FILE);
    }

    /** The whole conversation between two ends of today. */
    private static List<Said> spoken() {
        Ends ends = new Ends(1);
        List<Said> all = new ArrayList<>();
        for (long cookie : new long[] {0, -1}) {
            long proof = cookie == 0 ? 0 : read(all.getLast()).tag();
            ends.net.send(
                    ends.left.port().self().eid(),
                    ends.right.port().self(),
                    echo(proof).encode());
            ends.net.runUntil(() -> false, SOON);
            all.addAll(ends.said());
        }
        var peer = ends.left.connect(ends.right);
        ends.net.runUntil(peer::isDone, SECOND);
        for (PeerMessage request : requests()) {
            ask(ends.left, request);
            ends.net.runUntil(() -> false, SOON);
        }
        all.addAll(ends.said());
        return all;
    }

    private static void ask(Node node, PeerMessage request) {
        Peer peer = node.plane().peers().iterator().next();
        long now = node.now();
        var _ = node.plane().ask(peer, _ -> request, now + SECOND, now);
    }

    /** Numbers that the recorded end drew, and those that the end of today has drawn in their place. */
    private static final class Drawn {
        private static final int NUMBER_AT = 8;
        private static final int TAG_AT = 40;
        private static final int GREETING_TAG_AT = ControlDatagram.HEADER_BYTES;
        private static final int MINOR_AT = GREETING_TAG_AT + 30 + 7;
        private static final int FEATURES_END = MINOR_AT + 2 + Long.BYTES;

        private final List<String> then = new ArrayList<>();
        private final List<String> today = new ArrayList<>();

        /** Notes what the end of today has drawn for this datagram. */
        void learn(Said recorded, Said live) {
            switch (read(live).kind()) {
                case GREET -> {
                    learn(recorded, live, NUMBER_AT);
                    learn(recorded, live, GREETING_TAG_AT);
                }
                case CHALLENGE -> learn(recorded, live, TAG_AT);
                case WELCOME -> learn(recorded, live, GREETING_TAG_AT);
                case UNKNOWN, REQUEST, ANSWER, ECHO, ECHOED -> {}
            }
        }

        private void learn(Said recorded, Said live, int at) {
            then.add(recorded.bytes().substring(2 * at, 2 * (at + Long.BYTES)));
            today.add(live.bytes().substring(2 * at, 2 * (at + Long.BYTES)));
        }

        /** A recorded datagram with the numbers of today. */
        String today(Said recorded) {
            String bytes = recorded.bytes();
            for (int i = 0; i < then.size(); i++) {
                bytes = bytes.replace(then.get(i), today.get(i));
            }
            return bytes;
        }

        /** The same, and a greeting with the minor version and the features of today: these may grow. */
        String expected(Said recorded, Said live) throws ControlFormatException {
            Kind kind = read(live).kind();
            String bytes = today(recorded);
            if (kind != Kind.GREET && kind != Kind.WELCOME) {
                return bytes;
            }
            long features = Greeting.decode(read(recorded).body()).hello().features();
            assertThat(Greeting.decode(read(live).body()).hello().features() & features)
                    .as("no feature is given up within a major version")
                    .isEqualTo(features);
            return bytes.substring(0, 2 * MINOR_AT)
                    + live.bytes().substring(2 * MINOR_AT, 2 * FEATURES_END)
                    + bytes.substring(2 * FEATURES_END);
        }
    }

    /** Compares what an end of today says with what was recorded; its next message must come soon. */
    private static void assertSaysTheSame(Ends ends, Node end, List<Said> live, Said recorded, Drawn drawn)
            throws ControlFormatException {
        String speaker = end == ends.left ? LEFT : RIGHT;
        ends.net.runUntil(
                () -> {
                    ends.said().stream()
                            .filter(one -> one.speaker().equals(speaker))
                            .forEach(live::add);
                    return !live.isEmpty();
                },
                SOON);
        assertThat(live).as("an answer as this: %s", recorded).isNotEmpty();
        Said today = live.removeFirst();
        drawn.learn(recorded, today);
        assertThat(today.bytes()).as(recorded.remark()).isEqualTo(drawn.expected(recorded, today));
    }

    @Test
    void aRecordedCallerIsAnsweredAsItWas() throws Exception {
        Ends ends = new Ends(2);
        ends.net.cut(ends.left);
        Drawn drawn = new Drawn();
        List<Said> live = new ArrayList<>();
        for (Said said : recorded()) {
            if (said.speaker().equals(LEFT)) {
                ByteBuffer today = new Said(LEFT, drawn.today(said), "").message();
                ends.say(ends.left, ends.right, today);
            } else {
                assertSaysTheSame(ends, ends.right, live, said, drawn);
            }
        }
        assertThat(ends.right.lost).containsExactly("it said goodbye: closed");
        assertThat(ends.right.served).containsOnlyKeys(1L, 2L);
    }

    @Test
    void aRecordedHomeIsAskedAsItWas() throws Exception {
        Ends ends = new Ends(3);
        ends.net.cut(ends.right);
        Drawn drawn = new Drawn();
        List<Said> live = new ArrayList<>();
        boolean hasBegun = false;
        for (Said said : recorded()) {
            Kind kind = read(said).kind();
            if (kind == Kind.ECHO || kind == Kind.ECHOED || !hasBegun && kind == Kind.CHALLENGE) {
                continue; // by `urma ping`, from a port of its own
            }
            if (said.speaker().equals(RIGHT)) {
                ends.say(ends.right, ends.left, new Said(RIGHT, drawn.today(said), "").message());
                ends.net.runUntil(() -> false, SOON / 10);
                continue;
            }
            if (!hasBegun) {
                hasBegun = true;
                var _ = ends.left.connect(ends.right);
            } else if (kind == Kind.REQUEST) {
                ask(ends.left, MessageCodec.decode(read(said).body()));
            }
            assertSaysTheSame(ends, ends.left, live, said, drawn);
        }
        assertThat(ends.left.plane().peers()).hasSize(1).allMatch(peer -> peer.pending.isEmpty());
    }

    @Test
    void eachRecordedMessageMeansWhatItMeant() throws Exception {
        List<PeerMessage> asked = new ArrayList<>();
        List<Long> tags = new ArrayList<>();
        for (Said said : recorded()) {
            ControlDatagram datagram = read(said);
            assertThat(datagram.kind()).hasToString(said.remark());
            assertThat(Said.of(said.speaker(), datagram.encode(), said.remark()))
                    .isEqualTo(said);
            switch (datagram.kind()) {
                case REQUEST -> asked.add(MessageCodec.decode(datagram.body()));
                case WELCOME -> {
                    tags.add(datagram.tag());
                    tags.add(Greeting.decode(datagram.body()).tag());
                }
                default -> {}
            }
        }
        assertThat(asked).isEqualTo(requests());
        assertThat(PacketSecret.of(tags.getFirst(), tags.getLast()))
                .as("what both ends mix into the ICRC")
                .isEqualTo(SECRET);
    }
}
