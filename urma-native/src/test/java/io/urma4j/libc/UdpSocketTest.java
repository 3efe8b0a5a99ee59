package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UdpSocketTest {
    private static final int LOOPBACK = 0x7F00_0001;
    private static final int BUFFERS = 4;
    private static final int BUFFER_BYTES = 8192;
    private static final int DEADLINE_MILLIS = 10_000;

    private final MemorySegment[] outgoing = buffers();
    private final MemorySegment[] incoming = buffers();
    private final UdpMessages out = new UdpMessages(BUFFERS, outgoing);
    private final UdpMessages in = new UdpMessages(BUFFERS, incoming);
    private final UdpSocket sender = bound();
    private final UdpSocket receiver = bound();

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
    }

    @Test
    void severalDatagramsPassInOneCall() {
        message(0, "first");
        message(1, "second");

        assertThat(sender.send(out, 0, 2)).isEqualTo(2);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(2);
        assertThat(received(0)).isEqualTo("first");
        assertThat(received(1)).isEqualTo("second");
        assertThat(in.isFromIpv4(0)).isTrue();
        assertThat(in.fromIpv4(1)).isEqualTo(LOOPBACK);
        assertThat(in.fromPort(1)).isEqualTo(sender.localPort());
        assertThat(in.receivedSegmentBytes(0)).isEqualTo(5);
    }

    @Test
    void whatIsReceivedNextComesToTheBufferThatReplacedOne() {
        message(0, "first");
        sender.send(out, 0, 1);
        awaitInput();
        assertThat(receiver.receive(in, 1)).isEqualTo(1);

        MemorySegment other = Arena.ofAuto().allocate(BUFFER_BYTES);
        in.replaceBuffer(0, other);
        message(0, "second");
        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, 1)).isEqualTo(1);
        assertThat(received(0)).as("the old buffer").startsWith("first");
        assertThat(other.get(JAVA_BYTE, 0)).isEqualTo((byte) 's');
        assertThatIllegalArgumentException()
                .isThrownBy(() -> in.replaceBuffer(0, other.asSlice(1)))
                .withMessageContaining(BUFFER_BYTES + " bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> in.replaceBuffer(0, MemorySegment.ofArray(new byte[BUFFER_BYTES])));
    }

    @Test
    void aCallMayBeginWithinTheTable() {
        message(2, "third");

        assertThat(sender.send(out, 2, 1)).isEqualTo(1);
        awaitInput();

        assertThat(receiver.receive(in, 1)).isEqualTo(1);
        assertThat(received(0)).isEqualTo("third");
    }

    @Test
    void theMtuOfARouteIsThatOfItsInterface() throws Exception {
        InetAddress own = InetAddress.ofLiteral("127.0.0.1");
        int loopback =
                Math.min(NetworkInterface.getByInetAddress(own).getMTU(), 0xFFFF); // IPv4 has none that are longer

        assertThat(UdpSocket.routeMtuBytes(own, InetAddress.ofLiteral("127.0.0.2")))
                .isEqualTo(loopback);
        InetAddress notOurs = InetAddress.ofLiteral("203.0.113.7");
        assertThat(catchThrowableOfType(LibcException.class, () -> UdpSocket.routeMtuBytes(notOurs, own))
                        .errno())
                .isEqualTo(Errno.EADDRNOTAVAIL);
    }

    @Test
    void emptySocketTellsEagain() {
        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(-Errno.EAGAIN);
    }

    @Test
    void emptySocketTellsEagainWhenItIsAskedForTheReasonToo() {
        for (int i = 0; i < 2 * UdpMessages.LOOKS_PER_QUESTION; i++) {
            assertThat(receiver.receive(in, BUFFERS)).isEqualTo(-Errno.EAGAIN);
        }
    }

    @Test
    void aMessageOfSeveralBuffersIsOneDatagram() {
        MemorySegment.copy(bytes("one "), 0, outgoing[0], 0, 4);
        MemorySegment.copy(bytes("datagram"), 0, outgoing[1], 0, 8);
        out.bufferLength(0, 4);
        out.bufferLength(1, 8);
        out.put(0, 0, 2);
        out.toIpv4(0, LOOPBACK, receiver.localPort());

        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(received(0)).isEqualTo("one datagram");
    }

    @Test
    void aGatheredMessageHasThePiecesOfAnyMemoryInOrder() {
        UdpMessages gathered = new UdpMessages(2, 5, outgoing);
        for (int round = 0; round < 3; round++) {
            gathered.clearPieces();
            gathered.gather(0);
            gathered.addPiece(0, piece("head"), 0, 4);
            gathered.addPiece(0, piece("the body "), 3, 6);
            gathered.toIpv4(0, LOOPBACK, receiver.localPort());
            gathered.gather(1);
            gathered.addPiece(1, piece("one"), 0, 3);
            gathered.addPiece(1, piece(" more"), 0, 0);
            gathered.addPiece(1, piece(" more"), 0, 5);
            gathered.toIpv4(1, LOOPBACK, receiver.localPort());

            assertThat(sender.send(gathered, 0, 2)).isEqualTo(2);
            awaitInput();

            assertThat(receiver.receive(in, BUFFERS)).isEqualTo(2);
            assertThat(received(0)).isEqualTo("head body ");
            assertThat(received(1)).isEqualTo("one more");
        }
    }

    private static MemorySegment piece(String text) {
        return Arena.ofAuto().allocate(text.length()).copyFrom(bytes(text));
    }

    @Test
    void aPieceOfTheHeapIsRefused() {
        UdpMessages gathered = new UdpMessages(1, 1, outgoing);
        gathered.gather(0);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> gathered.addPiece(0, bytes("heap"), 0, 4))
                .withMessageContaining("native");
    }

    @Test
    void theKernelCutsAGatheredRun() {
        assumeTrue(sender.trySet(UdpOption.SEGMENT, 0), "kernel has no GSO");
        UdpMessages gathered = new UdpMessages(1, 4, outgoing);
        gathered.gather(0);
        for (String piece : new String[] {"ab", "cd", "e", "fgh"}) {
            gathered.addPiece(0, piece(piece), 0, piece.length());
        }
        gathered.toIpv4(0, LOOPBACK, receiver.localPort());
        gathered.segment(0, 3);

        assertThat(sender.send(gathered, 0, 1)).isEqualTo(1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(3);
        assertThat(received(0)).isEqualTo("abc");
        assertThat(received(1)).isEqualTo("def");
        assertThat(received(2)).isEqualTo("gh");
    }

    @Test
    void whatComesAfterPollsThatFoundNothingIsWhole() {
        receiver.set(UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
        for (int round = 0; round < 3; round++) {
            assertThat(receiver.receive(in, 1)).isEqualTo(-Errno.EAGAIN);
            assertThat(receiver.receive(in, BUFFERS)).isEqualTo(-Errno.EAGAIN);
            message(0, "first");
            message(1, "second");
            out.trafficClass(1, UdpOption.ECN_CAPABLE);
            assertThat(sender.send(out, 0, 2)).isEqualTo(2);
            awaitInput();

            assertThat(receiver.receive(in, BUFFERS)).isEqualTo(2);
            assertThat(received(0)).isEqualTo("first");
            assertThat(received(1)).isEqualTo("second");
            assertThat(in.fromPort(1)).isEqualTo(sender.localPort());
            assertThat(in.trafficClass(0)).isZero();
            assertThat(in.trafficClass(1)).isEqualTo(UdpOption.ECN_CAPABLE);
        }
    }

    @Test
    void theKernelCutsARunAndPutsItTogether() {
        assumeTrue(receiver.trySet(UdpOption.COALESCE, 1) && sender.trySet(UdpOption.SEGMENT, 0), "kernel has no GSO");
        run(2 * 1000 + 500, 1000);

        assertThat(sender.send(out, 0, 1)).isEqualTo(1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(in.receivedBytes(0)).isEqualTo(2500);
        assertThat(in.receivedSegmentBytes(0)).isEqualTo(1000);
    }

    @Test
    void theKernelCutsARunForWhoeverTakesThePiecesSingly() {
        assumeTrue(sender.trySet(UdpOption.SEGMENT, 0), "kernel has no GSO");
        run(2 * 1000 + 500, 1000);

        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(3);
        assertThat(in.receivedBytes(1)).isEqualTo(1000);
        assertThat(in.receivedBytes(2)).isEqualTo(500);
    }

    @Test
    void aRunDoesNotStickToTheNextMessageOfItsPlace() {
        assumeTrue(sender.trySet(UdpOption.SEGMENT, 0), "kernel has no GSO");
        run(100, 50);
        message(0, "whole");

        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(received(0)).isEqualTo("whole");
    }

    @Test
    void theTrafficClassComesToWhoAsksForIt() {
        receiver.set(UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
        sender.set(UdpOption.IPV4_TRAFFIC_CLASS, 0xB8 | UdpOption.ECN_MARKED);
        message(0, "of the socket");
        message(1, "its own");
        out.trafficClass(1, UdpOption.ECN_CAPABLE);

        sender.send(out, 0, 2);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(2);
        assertThat(in.trafficClass(0)).isEqualTo(0xBB);
        assertThat(in.trafficClass(1)).isEqualTo(UdpOption.ECN_CAPABLE);
        assertThat(in.receivedSegmentBytes(0)).isEqualTo("of the socket".length());
    }

    @Test
    void whoDoesNotAskForTheTrafficClassHearsOfNone() {
        sender.set(UdpOption.IPV4_TRAFFIC_CLASS, UdpOption.ECN_MARKED);
        message(0, "marked");

        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(in.trafficClass(0)).isZero();
    }

    /** Two control messages with one datagram; and neither sticks to what comes to its place next. */
    @Test
    void aRunThatWasPutTogetherHasItsTrafficClassToo() {
        assumeTrue(receiver.trySet(UdpOption.COALESCE, 1) && sender.trySet(UdpOption.SEGMENT, 0), "kernel has no GSO");
        receiver.set(UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
        run(2500, 1000);
        out.trafficClass(0, UdpOption.ECN_MARKED);
        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(in.receivedSegmentBytes(0)).isEqualTo(1000);
        assertThat(in.trafficClass(0)).isEqualTo(UdpOption.ECN_MARKED);

        message(0, "plain");
        sender.send(out, 0, 1);
        awaitInput();
        assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
        assertThat(in.receivedSegmentBytes(0)).isEqualTo(5);
        assertThat(in.trafficClass(0)).isZero();
    }

    @Test
    void aDatagramLongerThanItsBufferIsTruncated() {
        UdpMessages small = new UdpMessages(1, Arena.ofAuto().allocate(4));
        message(0, "longer");

        sender.send(out, 0, 1);
        awaitInput();

        assertThat(receiver.receive(small, 1)).isEqualTo(1);
        assertThat(small.isTruncated(0)).isTrue();
        assertThat(small.receivedBytes(0)).isEqualTo(4);
    }

    @Test
    void aDatagramThatWouldNeedFragmentsIsRefused() {
        sender.set(UdpOption.IPV4_MTU_DISCOVER, UdpOption.NEVER_FRAGMENT);
        MemorySegment huge = Arena.ofAuto().allocate(65_530);
        UdpMessages messages = new UdpMessages(1, huge);
        messages.put(0, 0, 1);
        messages.toIpv4(0, LOOPBACK, receiver.localPort());

        assertThat(sender.send(messages, 0, 1)).isEqualTo(-Errno.EMSGSIZE);
    }

    @Test
    void aDatagramToNowhereIsRefused() {
        message(0, "x");
        out.toIpv4(0, 0x0808_0808, 9); // from a loopback address

        assertThat(sender.send(out, 0, 1)).isNegative();
    }

    @Test
    void aTakenPortAndAForeignAddressAreToldApart() {
        try (UdpSocket third = UdpSocket.open(false)) {
            var taken = catchThrowableOfType(LibcException.class, () -> third.bind(loopback(), receiver.localPort()));
            var foreign =
                    catchThrowableOfType(LibcException.class, () -> third.bind(InetAddress.ofLiteral("192.0.2.1"), 0));

            assertThat(taken.errno()).isEqualTo(Errno.EADDRINUSE);
            assertThat(taken).hasMessageContaining("127.0.0.1 port " + receiver.localPort());
            assertThat(foreign.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
        }
    }

    @Test
    void datagramsPassOverIpv6() {
        try (UdpSocket from = boundIpv6();
                UdpSocket to = boundIpv6()) {
            to.set(UdpOption.NO_CHECKSUM_IPV6_RECEIVE, 1);
            to.set(UdpOption.IPV6_TELL_TRAFFIC_CLASS, 1);
            message(0, "six");
            out.toIpv6(0, 0, 1, 0, to.localPort());
            out.trafficClass(0, UdpOption.ECN_MARKED);

            assertThat(from.send(out, 0, 1)).isEqualTo(1);
            assertThat(Poll.await(to.fd(), Poll.IN, DEADLINE_MILLIS)).isEqualTo(Poll.IN);

            assertThat(to.receive(in, BUFFERS)).isEqualTo(1);
            assertThat(received(0)).isEqualTo("six");
            assertThat(in.isFromIpv4(0)).isFalse();
            assertThat(in.fromIpv6High(0)).isZero();
            assertThat(in.fromIpv6Low(0)).isEqualTo(1);
            assertThat(in.fromPort(0)).isEqualTo(from.localPort());
            assertThat(in.trafficClass(0)).isEqualTo(UdpOption.ECN_MARKED);
        }
    }

    @Test
    void aProgramChoosesAmongTheSocketsOfAPort() {
        receiver.set(UdpOption.SHARE_PORT, 1); // after it has the port
        try (UdpSocket second = UdpSocket.open(false)) {
            second.set(UdpOption.SHARE_PORT, 1);
            second.bind(loopback(), receiver.localPort());
            SocketProgram shortOnesFirst = new SocketProgram();
            shortOnesFirst.loadLength();
            shortOnesFirst.ifAbove(5, 0, 1);
            shortOnesFirst.answer(1);
            shortOnesFirst.answer(0);
            receiver.steer(shortOnesFirst);
            message(0, "short");
            message(1, "longer");

            assertThat(sender.send(out, 0, 2)).isEqualTo(2);
            awaitInput();
            assertThat(Poll.await(second.fd(), Poll.IN, DEADLINE_MILLIS)).isEqualTo(Poll.IN);

            assertThat(receiver.receive(in, BUFFERS)).isEqualTo(1);
            assertThat(received(0)).isEqualTo("short");
            assertThat(second.receive(in, BUFFERS)).isEqualTo(1);
            assertThat(received(0)).isEqualTo("longer");
        }
    }

    @Test
    void aSocketThatSharesItsPortWithNobodyIsNotSteered() {
        SocketProgram program = new SocketProgram();
        program.answer(0);

        LibcException refusal = catchThrowableOfType(LibcException.class, () -> receiver.steer(program));

        assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whatFindsNoRoomIsCounted() {
        receiver.set(UdpOption.RECEIVE_BUFFER, 1);
        message(0, "x".repeat(4000));
        for (int i = 0; i < 100; i++) {
            sender.send(out, 0, 1);
        }

        assertThat(receiver.drops()).isBetween(1L, 100L);
        assertThat(sender.drops()).isZero();
    }

    @Test
    void buffersAreAsLargeAsTheMachineGives() {
        receiver.set(UdpOption.RECEIVE_BUFFER, 1 << 16);

        assertThat(receiver.get(UdpOption.RECEIVE_BUFFER)).isGreaterThanOrEqualTo(1 << 16);
    }

    @Test
    void aClosedSocketRefuses() {
        receiver.close();
        receiver.close();

        assertThatIllegalStateException().isThrownBy(() -> receiver.receive(in, 1));
    }

    /** Once compiled: the interpreter boxes, so what is before that does not count. */
    @Test
    void sendingAndReceivingAllocateNothing() {
        int calls = 2_000;
        long limit =
                calls / 10L * 16; // the smallest object for every tenth call: the measurement makes some of its own
        long end = System.nanoTime() + 3_000_000L * DEADLINE_MILLIS;
        receiver.set(UdpOption.IPV4_TELL_TRAFFIC_CLASS, 1);
        message(0, "again and again");

        long bytes = bytesAllocatedBy(calls);
        while (bytes >= limit && System.nanoTime() - end < 0) {
            bytes = bytesAllocatedBy(calls);
        }

        assertThat(bytes).isLessThan(limit);
    }

    private long bytesAllocatedBy(int calls) {
        int port = receiver.localPort();
        long before = allocatedBytes();
        int came = 0;
        for (int i = 0; i < calls; i++) {
            out.put(0, 0, 1);
            out.toIpv4(0, LOOPBACK, port);
            sender.send(out, 0, 1);
            came += Math.max(receiver.receive(in, BUFFERS), 0) > 0
                    ? in.receivedSegmentBytes(0) + in.trafficClass(0)
                    : 0;
        }
        long allocated = allocatedBytes() - before;
        assertThat(came).isPositive();
        return allocated;
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private void message(int index, String text) {
        MemorySegment.copy(bytes(text), 0, outgoing[index], 0, text.length());
        out.bufferLength(index, text.length());
        out.put(index, index, 1);
        out.toIpv4(index, LOOPBACK, receiver.localPort());
    }

    private void run(int lengthBytes, int segmentBytes) {
        out.bufferLength(0, lengthBytes);
        out.put(0, 0, 1);
        out.segment(0, segmentBytes);
        out.toIpv4(0, LOOPBACK, receiver.localPort());
    }

    private void awaitInput() {
        assertThat(Poll.await(receiver.fd(), Poll.IN, DEADLINE_MILLIS)).isEqualTo(Poll.IN);
    }

    private String received(int index) {
        byte[] bytes = incoming[index].asSlice(0, in.receivedBytes(index)).toArray(JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MemorySegment[] buffers() {
        MemorySegment[] buffers = new MemorySegment[BUFFERS];
        for (int i = 0; i < BUFFERS; i++) {
            buffers[i] = Arena.ofAuto().allocate(BUFFER_BYTES);
        }
        return buffers;
    }

    private static UdpSocket bound() {
        UdpSocket socket = UdpSocket.open(false);
        socket.bind(loopback(), 0);
        return socket;
    }

    private static UdpSocket boundIpv6() {
        UdpSocket socket = UdpSocket.open(true);
        try {
            socket.bind(InetAddress.ofLiteral("::1"), 0);
        } catch (LibcException e) {
            socket.close();
            assumeTrue(false, "no IPv6 here: " + e.getMessage());
        }
        return socket;
    }

    private static InetAddress loopback() {
        return InetAddress.ofLiteral("127.0.0.1");
    }
}
