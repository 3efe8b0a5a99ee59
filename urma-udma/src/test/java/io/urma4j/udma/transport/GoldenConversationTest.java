package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations of two Linux machines, with us in the place of one of them. */
class GoldenConversationTest {
    private static final long MICRO = 1_000;

    /** Keeps what is sent. */
    private static final class Recorder implements Port, Route {
        final List<Packet> sent = new ArrayList<>();
        private final Packet place = Packet.allocate();
        private final Icrc icrc = new Icrc();
        private final IpHeaders ip = IpHeaders.ipv4(1, 2, 3, IpHeaders.ROCE_PORT);

        @Override
        public Packet begin(Route route) {
            return place;
        }

        @Override
        public void end(int payloadBytes) {
            place.end(payloadBytes, ip, icrc);
            sent.add(Pair.copy(place));
        }

        @Override
        public boolean flush() {
            return false;
        }

        @Override
        public int mtuBytes() {
            return 4096;
        }

        @Override
        public long eidHigh() {
            return 0;
        }

        @Override
        public long eidLow() {
            return 0;
        }

        @Override
        public int port() {
            return IpHeaders.ROCE_PORT;
        }

        List<String> bytes() {
            return sent.stream().map(Conversation::bytes).toList();
        }
    }

    private static final ConnectionOwner NOBODY = (connection, status, nowNanos) -> {};

    private static int mtu(Conversation conversation) {
        int longest = 256;
        for (Conversation.Line line : conversation.lines) {
            longest = Math.max(longest, line.packet().payloadBytes());
        }
        return longest <= 256 ? 256 : 1024;
    }

    private static ConnectionConfig.Builder config(Conversation conversation) {
        return ConnectionConfig.builder(
                        ConnectionConfig.Kind.RELIABLE_CONNECTED, conversation.queue, conversation.queue)
                .mtuBytes(mtu(conversation))
                .foreignPeer();
    }

    private static void drain(Connection connection, long now) {
        boolean isMore = true;
        while (isMore) {
            isMore = connection.step(now, FlushHint.FLUSH);
        }
    }

    // ---- in the place of the responder

    private static List<String> answers(Conversation conversation) {
        Oracle oracle = new Oracle(conversation, mtu(conversation));
        Recorder port = new Recorder();
        int first = conversation.firstPsn();
        // a queue that may not be read from answers READs as one without resources does (WIRE §4.2, §5)
        boolean noReads = conversation.answers().stream()
                .map(Conversation.Line::packet)
                .anyMatch(answer -> Opcodes.has(answer.opcode(), Header.AETH)
                        && Aeth.syndrome(answer.bytes(), answer.at(Header.AETH)) == Aeth.NAK_INVALID_REQUEST);
        Connection connection = new Connection(
                config(conversation).psns(0, first).reads(16, noReads ? 0 : 16).build(),
                port,
                port,
                oracle,
                (queue, hint, source, number) -> oracle,
                NOBODY,
                0);
        for (int i = 0; i < conversation.lines.size(); i++) {
            Conversation.Line line = conversation.lines.get(i);
            if (line.isRequest()) {
                oracle.at(i);
                connection.receive(line.packet(), i, false);
                drain(connection, i);
            }
        }
        return port.bytes();
    }

    @ParameterizedTest
    @ValueSource(strings = "sample-rxe.pcap")
    void ourResponderAnswersAsLinuxDid(String file) throws Exception {
        int compared = 0;
        for (Conversation conversation : Conversation.in(file)) {
            List<String> linux = conversation.answers().stream()
                    .map(line -> Conversation.bytes(line.packet()))
                    .toList();
            if (conversation.requests().isEmpty() || linux.isEmpty()) {
                continue; // UC has no answers
            }
            assertThat(answers(conversation)).as("answers to %s", conversation).containsExactlyElementsOf(linux);
            compared += linux.size();
        }
        System.out.println("GoldenConversationTest: " + compared + " answers are those of Linux, byte for byte");
        assertThat(compared).as("all of the capture").isEqualTo(142);
    }

    /** The network lost, doubled and reordered answers before they were captured: each one is an answer of ours, too. */
    @ParameterizedTest
    @ValueSource(strings = "sample-rxe-loss.pcap")
    void underLossEveryAnswerOfLinuxIsAmongOurs(String file) throws Exception {
        for (Conversation conversation : Conversation.in(file)) {
            Set<String> ours = new HashSet<>(answers(conversation));
            List<String> scoreboard = new ArrayList<>();
            for (Conversation.Line line : conversation.answers()) {
                if (!ours.contains(Conversation.bytes(line.packet()))) {
                    scoreboard.add(line.frame() + " " + line.packet());
                }
            }
            assertThat(scoreboard)
                    .as("answers that only Linux gave to %s", conversation)
                    .isEmpty();
        }
    }

    // ---- in the place of the requester

    @ParameterizedTest
    @ValueSource(strings = "sample-rxe.pcap")
    void ourRequesterAsksAsLinuxDid(String file) throws Exception {
        int compared = 0;
        for (Conversation conversation : Conversation.in(file)) {
            if (conversation.requests().isEmpty() || conversation.answers().isEmpty()) {
                continue;
            }
            List<String> linux = bytes(firstTransmissions(conversation.requests()));
            Asked ours = asked(conversation);
            assertThat(bytes(ours.first())).as("what %s asks", conversation).containsExactlyElementsOf(linux);
            compared += linux.size();
        }
        System.out.println("GoldenConversationTest: " + compared + " requests are those of Linux, byte for byte");
        assertThat(compared).as("all of the capture").isEqualTo(100);
    }

    /**
     * The answers of Linux as the network let them through, many of them NAKs for what it had lost of the requests: what we
     * send again is what was sent first, and nothing that was acknowledged. Of READs a capture does not show which one was
     * asked again for the rest of its answers, so conversations of those are left out.
     */
    @ParameterizedTest
    @ValueSource(strings = "sample-rxe-loss.pcap")
    void underLossOurRequesterSendsWhatLinuxSentAndAgainOnlyWhatIsMissing(String file) throws Exception {
        int compared = 0;
        int again = 0;
        for (Conversation conversation : Conversation.in(file)) {
            if (conversation.answers().isEmpty() || conversation.hasReads()) {
                continue;
            }
            List<String> linux = bytes(firstTransmissions(conversation.requests()));
            Asked ours = asked(conversation);
            assertThat(bytes(ours.first()))
                    .as("what %s asks, in the order of the PSNs", conversation)
                    .containsExactlyElementsOf(linux);
            assertThat(linux)
                    .as("whatever %s sends, or sends again", conversation)
                    .containsAll(bytes(ours.sent));
            assertThat(ours.needless)
                    .as("sent again by %s though it was acknowledged", conversation)
                    .isEmpty();
            compared += linux.size();
            again += ours.sent.size() - linux.size();
        }
        System.out.println("GoldenConversationTest: " + compared + " requests under loss, " + again + " sent again");
        assertThat(compared).as("all of the capture but READs").isEqualTo(144);
        assertThat(again).isPositive();
    }

    /** In the order of the PSNs: when something is sent again is a matter of timers, which Linux rounds up to its jiffies. */
    private static List<Packet> firstTransmissions(List<Conversation.Line> requests) {
        int first = Conversation.firstPsn(requests);
        Set<Integer> seen = new HashSet<>();
        return requests.stream()
                .filter(line -> seen.add(line.psn()))
                .sorted(Comparator.comparingInt(line -> line.psn() - first & Bth.MAX_24))
                .map(Conversation.Line::packet)
                .toList();
    }

    private static List<String> bytes(List<Packet> packets) {
        return packets.stream().map(Conversation::bytes).toList();
    }

    /** What our requester has sent, and what of it was not needed any more. */
    private static final class Asked {
        final List<Packet> sent;
        final List<Packet> needless = new ArrayList<>();
        private int looked;

        Asked(List<Packet> sent) {
            this.sent = sent;
        }

        /** Looks at what was sent since, when everything before that PSN is acknowledged. */
        void look(int acknowledged) {
            for (; looked < sent.size(); looked++) {
                Packet packet = sent.get(looked);
                if ((Bth.psn(packet.bytes()) - acknowledged & Bth.MAX_24) > Bth.MAX_24 / 2) {
                    needless.add(packet);
                }
            }
        }

        List<Packet> first() {
            return firstTransmissions(sent.stream()
                    .map(packet -> new Conversation.Line(0, true, packet))
                    .toList());
        }
    }

    private static Asked asked(Conversation conversation) {
        Recorder port = new Recorder();
        Script script = new Script(conversation);
        int acknowledged = conversation.firstPsn();
        Connection connection = new Connection(
                config(conversation).psns(acknowledged, 0).rnrRetries(7).build(),
                port,
                port,
                new Region(8),
                (queue, hint, source, number) -> null,
                NOBODY,
                0);
        Asked asked = new Asked(port.sent);
        long started = 0; // in their order, also where the network has changed that of their packets
        long now = 0;
        for (Conversation.Line line : conversation.lines) {
            now += 1_000 * MICRO; // longer than the timer of an RNR NAK: 0.64 ms
            if (!line.isRequest()) {
                connection.receive(line.packet(), now, false);
                acknowledged = later(acknowledged, endOfAcknowledged(line));
            } else if (Script.isFirst(line.packet())) {
                for (; started <= script.position(line.psn()); started++) {
                    connection.start(script, started, conversation.queue, false);
                }
            }
            drain(connection, now);
            asked.look(acknowledged);
        }
        return asked;
    }

    private static int later(int psn, int other) {
        return (other - psn & Bth.MAX_24) > Bth.MAX_24 / 2 ? psn : other;
    }

    /** The PSN before which an answer acknowledges everything; of READs the one that they are at. */
    private static int endOfAcknowledged(Conversation.Line answer) {
        Packet packet = answer.packet();
        boolean isAck = Opcodes.operation(packet.opcode()) == Opcodes.ACKNOWLEDGE
                && Aeth.kind(Aeth.syndrome(packet.bytes(), packet.at(Header.AETH))) == Aeth.Kind.ACK;
        return isAck ? answer.psn() + 1 & Bth.MAX_24 : answer.psn();
    }

    /** The work requests that a conversation was made of. */
    private static final class Script implements SendWork {
        private final NativeMemory ring = NativeMemory.allocate(256 * SendWqe.BLOCK_BYTES);
        private final List<Integer> psns = new ArrayList<>();
        private final List<byte[]> payloads = new ArrayList<>();

        Script(Conversation conversation) {
            for (Packet packet : firstTransmissions(conversation.requests())) {
                add(packet, Bth.psn(packet.bytes()));
            }
        }

        long position(int psn) {
            return psns.indexOf(psn);
        }

        static boolean isFirst(Packet packet) {
            return switch (Opcodes.operation(packet.opcode())) {
                case Opcodes.SEND_MIDDLE,
                        Opcodes.SEND_LAST,
                        Opcodes.SEND_LAST_IMM,
                        Opcodes.SEND_LAST_INVALIDATE,
                        Opcodes.WRITE_MIDDLE,
                        Opcodes.WRITE_LAST,
                        Opcodes.WRITE_LAST_IMM -> false;
                default -> true;
            };
        }

        private void add(Packet packet, int psn) {
            if (isFirst(packet)) {
                psns.add(psn);
                payloads.add(new byte[0]);
            }
            int index = psns.size() - 1;
            byte[] before = payloads.get(index);
            byte[] all = Arrays.copyOf(before, before.length + packet.payloadBytes());
            MemorySegment.copy(
                    packet.bytes().segment(),
                    packet.payloadAt(),
                    MemorySegment.ofArray(all),
                    before.length,
                    packet.payloadBytes());
            payloads.set(index, all);
            fill(packet, at(index), all.length);
        }

        /** From each packet of a message what it knows: the first one the place, the last one what comes with it. */
        private void fill(Packet packet, long at, int length) {
            NativeMemory bytes = packet.bytes();
            int opcode = packet.opcode();
            boolean isRead = Opcodes.operation(opcode) == Opcodes.READ_REQUEST;
            int lengthBytes = length;
            if (isRead) {
                lengthBytes = (int) Reth.lengthBytes(bytes, packet.at(Header.RETH));
            } else if (Opcodes.has(opcode, Header.ATOMIC_ETH)) {
                lengthBytes = Long.BYTES;
            }
            SendWqe.put(ring, at, opcode(packet), Bth.isSolicited(bytes) ? WorkOpcode.SOLICITED : 0, 0, 0, lengthBytes);
            if (Opcodes.has(opcode, Header.RETH)) {
                int reth = packet.at(Header.RETH);
                SendWqe.remote(ring, at, Reth.remoteKey(bytes, reth), Reth.va(bytes, reth));
            }
            if (Opcodes.has(opcode, Header.ATOMIC_ETH)) {
                int eth = packet.at(Header.ATOMIC_ETH);
                SendWqe.remote(ring, at, AtomicEth.remoteKey(bytes, eth), AtomicEth.va(bytes, eth));
                SendWqe.operands(ring, at, AtomicEth.operand(bytes, eth), AtomicEth.compare(bytes, eth));
            }
            if (Opcodes.has(opcode, Header.IMM_DT)) {
                SendWqe.operands(ring, at, ImmDt.immediate(bytes, packet.at(Header.IMM_DT)) & 0xFFFF_FFFFL, 0);
            }
            if (Opcodes.has(opcode, Header.IETH)) {
                SendWqe.operands(ring, at, Ieth.remoteKey(bytes, packet.at(Header.IETH)), 0);
            }
        }

        private static int opcode(Packet packet) {
            int operation = Opcodes.operation(packet.opcode());
            boolean hasImmediate = Opcodes.has(packet.opcode(), Header.IMM_DT);
            return switch (operation) {
                case Opcodes.READ_REQUEST -> WorkOpcode.READ;
                case Opcodes.COMPARE_SWAP -> WorkOpcode.CAS;
                case Opcodes.FETCH_ADD -> WorkOpcode.FADD;
                case Opcodes.SEND_LAST_INVALIDATE, Opcodes.SEND_ONLY_INVALIDATE -> WorkOpcode.SEND_INVALIDATE;
                case Opcodes.SEND_FIRST,
                        Opcodes.SEND_MIDDLE,
                        Opcodes.SEND_LAST,
                        Opcodes.SEND_LAST_IMM,
                        Opcodes.SEND_ONLY,
                        Opcodes.SEND_ONLY_IMM -> hasImmediate ? WorkOpcode.SEND_IMM : WorkOpcode.SEND;
                default -> hasImmediate ? WorkOpcode.WRITE_IMM : WorkOpcode.WRITE;
            };
        }

        @Override
        public int queueId() {
            return 0;
        }

        @Override
        public NativeMemory ring() {
            return ring;
        }

        @Override
        public long at(long position) {
            return position * SendWqe.BLOCK_BYTES;
        }

        @Override
        public boolean gather(long position, long from, Packet to, int lengthBytes) {
            MemorySegment.copy(
                    MemorySegment.ofArray(payloads.get((int) position)),
                    from,
                    to.bytes().segment(),
                    to.payloadAt(),
                    lengthBytes);
            return true;
        }

        @Override
        public boolean scatter(long position, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
            return true;
        }

        @Override
        public void done(long position, int status) {}

        @Override
        public void notReady(long position, long waitNanos) {
            throw new AssertionError("of shared connections only");
        }
    }
}
