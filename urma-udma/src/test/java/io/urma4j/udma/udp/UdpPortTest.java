package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.capture.PcapReader;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.udp.PortPair.Received;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.PacketCheck;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UdpPortTest {
    private static final int LOOPBACK_OTHER = 0x7F00_4702; // 127.0.71.2
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    @ParameterizedTest
    @EnumSource
    void packetsArriveAsTheyLeft(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            pair.put(7, 5);
            pair.put(8, 0);
            pair.put(9, 4096);
            pair.sender.flush();

            assertThat(pair.receive(3))
                    .containsExactly(received(pair, 0, 5, 7), received(pair, 1, 0, -1), received(pair, 2, 4096, 9));
            assertThat(pair.sender.counters().count(Counter.SENT_PACKETS)).isEqualTo(3);
            assertThat(pair.receiver.counters().dropped()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"::1, GSO", "::1, MMSG"})
    void packetsArriveOverIpv6(String address, IoBackend backend) {
        try (PortPair pair = PortPair.open(address, address, backend)) {
            for (int i = 0; i < 20; i++) {
                pair.put(i, 1024);
            }
            pair.sender.flush();

            assertThat(pair.receive(20)).extracting(Received::content).containsExactlyElementsOf(numbers(20));
            assertThat(pair.receiver.counters().dropped()).isZero();
        }
    }

    /** Of all lengths and in any order, to two peers: the runs that they form are cut as they were put together. */
    @ParameterizedTest
    @EnumSource
    void runsOfAnyLengthsArriveInOrder(IoBackend backend) {
        long seed = 0x5EED;
        Random random = new Random(seed);
        try (PortPair pair = PortPair.open(backend);
                UdpPort other = PortPair.port("127.0.71.3", backend)) {
            UdpRoute elsewhere = pair.to(other);
            int sent = 0;
            for (int round = 0; round < 40; round++) {
                int lengthBytes = random.nextInt(4097);
                int run = 1 + random.nextInt(40);
                for (int i = 0; i < run; i++) {
                    pair.put(sent++, i == run - 1 ? random.nextInt(lengthBytes + 1) : lengthBytes);
                }
                if (random.nextInt(4) == 0) {
                    pair.put(elsewhere, 0xEE, 100);
                }
                pair.sender.flush();
                List<Received> received = pair.receive(run);
                int first = sent - run;
                assertThat(received.stream()
                                .filter(packet -> packet.payloadBytes() > 0)
                                .map(Received::content))
                        .as("seed %d, round %d", seed, round)
                        .isSubsetOf(IntStream.range(first, sent)
                                .mapToObj(i -> i & 0xFF)
                                .toList());
                assertThat(received).extracting(Received::psn).isSorted();
            }
            assertThat(pair.receiver.counters().dropped()).isZero();
        }
    }

    /** Each is alone in its call, and so has the place of the one before. */
    @ParameterizedTest
    @EnumSource
    void packetsToPeersInTurnReachTheirPeer(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend);
                UdpPort other = PortPair.port("127.0.71.3", backend)) {
            PortPair elsewhere = new PortPair(pair.sender, other);
            for (int i = 0; i < 12; i++) {
                boolean isElsewhere = i % 3 == 2;
                pair.put(isElsewhere ? elsewhere.route : pair.route, i, 64);
                pair.sender.flush();
            }

            assertThat(pair.receive(8)).extracting(Received::content).containsExactly(0, 1, 3, 4, 6, 7, 9, 10);
            assertThat(elsewhere.receive(4)).extracting(Received::content).containsExactly(2, 5, 8, 11);
        }
    }

    @Test
    void equalPacketsToOnePeerAreOneDatagramForTheKernel() {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            for (int i = 0; i < 40; i++) {
                pair.put(i, 256);
            }
            pair.put(40, 255);
            pair.put(41, 256);
            pair.sender.flush();

            assertThat(pair.receive(42)).extracting(Received::content).containsExactlyElementsOf(numbers(42));
            // 255 bytes are padded to 256, so the run goes on until the kernel's longest
            assertThat(pair.sender.counters().count(Counter.SENT_DATAGRAMS)).isEqualTo(1);
            assertThat(pair.receiver.counters().count(Counter.RECEIVED_DATAGRAMS))
                    .isEqualTo(1);
        }
    }

    @Test
    void aShorterPacketEndsARun() {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            pair.put(0, 256);
            pair.put(1, 128);
            pair.put(2, 128);
            pair.put(3, 256);
            pair.sender.flush();

            assertThat(pair.receive(4)).extracting(Received::content).containsExactlyElementsOf(numbers(4));
            assertThat(pair.sender.counters().count(Counter.SENT_DATAGRAMS)).isEqualTo(3);
        }
    }

    /** As they come from many, and in a flood: then what follows a turn, an acknowledgement perhaps, is done for all of them. */
    @ParameterizedTest
    @EnumSource
    void packetsThatComeSinglyAreTakenInByDozens(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            for (int i = 0; i < 128; i++) {
                pair.put(i, 4 * i); // each is longer than the last, so none joins it
                pair.sender.flush();
            }
            int most = 0;
            for (int came = 1; came > 0; came = pair.receiver.receive((_, _) -> {})) {
                most = Math.max(most, came);
            }

            assertThat(most).isBetween(64, 80);
            assertThat(pair.receiver.counters().count(Counter.RECEIVED_DATAGRAMS))
                    .isEqualTo(128);
        }
    }

    @Test
    void aFullRunLeavesWithoutAFlush() {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            for (int i = 0; i < 15; i++) { // 15 of them are as much as a datagram holds
                pair.put(i, 4096);
            }

            assertThat(pair.receive(15)).hasSize(15);
        }
    }

    @ParameterizedTest
    @EnumSource
    void morePacketsThanSlotsLeaveByThemselves(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            for (int i = 0; i < Outbox.SLOTS + 10; i++) {
                pair.put(i, i % 2 * 8);
            }
            pair.sender.flush();

            assertThat(pair.receive(Outbox.SLOTS + 10))
                    .extracting(Received::psn)
                    .isSorted();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoPacketIsDroppedAndCounted(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend);
                UdpSocket hostile = UdpSocket.open(false)) {
            hostile.bind(InetAddress.ofLiteral("127.0.71.9"), 0);
            for (int lengthBytes : new int[] {0, 1, 11, 12, 15, 16, 17, 4164, 4165, 9000, 60_001}) {
                send(hostile, pair.receiver.port(), lengthBytes);
            }
            pair.put(1, 8);
            pair.sender.flush();

            assertThat(pair.receive(1)).hasSize(1);
            assertThat(pair.receiver.counters().dropped()).isEqualTo(11);
        }
    }

    @Test
    void aWrongIcrcIsDropped() {
        try (PortPair pair = PortPair.open(IoBackend.MMSG)) {
            for (int i = 0; i < 10; i++) {
                pair.put(mistaken(pair), i, 64);
            }
            pair.put(77, 64);
            pair.sender.flush();

            assertThat(pair.receive(1)).extracting(Received::content).containsExactly(77);
            assertThat(pair.receiver.counters().count(Drop.ICRC)).isEqualTo(10);
        }
    }

    /** The way to the receiver, but of packets whose ICRC is for somebody else. */
    private static UdpRoute mistaken(PortPair pair) {
        UdpRoute right = pair.route;
        return new UdpRoute(
                right.eidHigh(), right.eidLow(), right.port(), 4096, 0, PathLimit.NONE, IpHeaders.ipv4(1, 2, 3, 4));
    }

    /** Who looks for the reason of a loss must see what was wrong; what is lost on purpose never came, as far as he can see. */
    @Test
    void whatArrivesDamagedIsInTheCaptureAndWhatIsLostOnPurposeIsNot(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("receiver.pcap");
        PortOptions at = PortOptions.of(InetAddress.ofLiteral("127.0.71.2")).withLoss(new PacketLoss(0.5, 7));
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system());
                PortPair pair = new PortPair(PortPair.port("127.0.71.1", null), UdpPort.open(at.withCapture(writer)));
                UdpSocket hostile = UdpSocket.open(false)) {
            hostile.bind(InetAddress.ofLiteral("127.0.71.9"), 0);
            for (int lengthBytes : new int[] {0, 1, 16, 17, 9000, 60_001}) {
                send(hostile, pair.receiver.port(), lengthBytes);
            }
            for (int i = 0; i < 10; i++) {
                pair.put(mistaken(pair), i, 64);
            }
            for (int i = 0; i < 40; i++) {
                pair.put(i, 64);
            }
            pair.sender.flush();
            long end = System.nanoTime() + DEADLINE_NANOS;
            PortCounters counters = pair.receiver.counters();
            while (counters.count(Counter.RECEIVED_PACKETS) + counters.dropped() < 56 && System.nanoTime() - end < 0) {
                pair.receiver.await(1_000_000);
                pair.receiver.receive((_, _) -> {});
            }

            writer.flush();
            List<Drop> captured = captured(file, pair.receiver.port());
            assertThat(counters.count(Counter.RECEIVED_PACKETS)).isBetween(5L, 35L);
            assertThat(counters.count(Drop.ICRC)).isGreaterThanOrEqualTo(10);
            assertThat(captured.stream().filter(Objects::isNull))
                    .hasSize((int) counters.count(Counter.RECEIVED_PACKETS));
            assertThat(captured.stream().filter(Drop.ICRC::equals)).hasSize((int) counters.count(Drop.ICRC));
            assertThat(captured)
                    .as("and those of no right form")
                    .hasSize((int) counters.count(Counter.RECEIVED_PACKETS) + 16);
        }
    }

    /** What is wrong with each packet of a capture; null for nothing. */
    private static List<Drop> captured(Path file, int port) throws IOException {
        List<Drop> all = new ArrayList<>();
        Icrc icrc = new Icrc();
        try (PcapReader reader = PcapReader.open(file)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                Datagram datagram = Objects.requireNonNull(Datagram.of(frame, Set.of(port)));
                Drop drop = PacketCheck.of(datagram.packet());
                all.add(drop == null && !icrc.isRight(datagram.packet(), datagram.ip()) ? Drop.ICRC : drop);
            }
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotLeaveIsCountedAndHoldsUpNobody(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            UdpRoute nowhere = pair.sender.route(0, 0xFFFF_0808_0808L, 4791); // from a loopback address
            pair.put(1, 8);
            pair.put(nowhere, 2, 8);
            pair.put(nowhere, 3, 8);
            pair.put(4, 8);
            pair.sender.flush();

            assertThat(pair.receive(2)).extracting(Received::content).containsExactly(1, 4);
            assertThat(pair.sender.counters().notSent()).isEqualTo(2);
            assertThat(pair.sender.trouble()).contains("8.8.8.8 port 4791");
            assertThat(pair.sender.reason()).as("runs are not to blame").isIn("as configured", "");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWaitEndsByAWakeBeforeOrDuringIt(IoBackend backend) throws InterruptedException {
        try (UdpPort port = PortPair.port("127.0.71.1", backend)) {
            port.wake();
            port.await(DEADLINE_NANOS);

            Thread waker = Thread.ofPlatform().start(port::wake);
            port.await(DEADLINE_NANOS);
            waker.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatArrivesEndsNoWaitThatIsForOtherThings(IoBackend backend) {
        long waitNanos = 30_000_000;
        try (PortPair pair = PortPair.open(backend)) {
            pair.put(1, 64);
            pair.sender.flush();
            long start = System.nanoTime();
            pair.receiver.awaitOther(waitNanos);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(waitNanos);

            pair.receiver.wake();
            pair.receiver.awaitOther(DEADLINE_NANOS);
            pair.receiver.await(DEADLINE_NANOS);
            assertThat(pair.receiver.receive((packet, origin) -> {})).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWaitEndsByItself(IoBackend backend) {
        try (UdpPort port = PortPair.port("127.0.71.1", backend)) {
            port.await(0);
            port.await(100_000);
        }
    }

    @Test
    void thePortOfRoceIsTakenWhenItIsFreeAndElseAnother() {
        try (UdpPort first = PortPair.port("127.0.71.77", null);
                UdpPort second = PortPair.port("127.0.71.77", null)) {
            assertThat(first.port()).isEqualTo(4791);
            assertThat(first.portNote()).isEmpty();
            assertThat(second.port()).isNotEqualTo(4791).isPositive();
            assertThat(second.portNote())
                    .startsWith("port 4791 of 127.0.71.77 is taken by")
                    .contains("Linux RDMA and network cards cannot reach it");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPortThatIsAskedForIsThisOneOrNone(IoBackend backend) {
        try (UdpPort first = PortPair.port("127.0.71.78", backend)) {
            PortOptions same =
                    PortOptions.of(first.address()).withPort(first.port()).withBackend(backend);

            assertThatExceptionOfType(PortException.class)
                    .isThrownBy(() -> UdpPort.open(same))
                    .withMessageStartingWith("port " + first.port() + " of 127.0.71.78 is taken by");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, no interface of this machine has the address 192.0.2.1",
        "0.0.0.0, is not the address of one interface",
        "224.0.0.1, is not the address of one interface",
        "2001:db8::1, no interface of this machine has the address 2001:db8:0:0:0:0:0:1"
    })
    void anAddressThatIsNotOursIsRefused(String address, String message) {
        assertThatExceptionOfType(PortException.class)
                .isThrownBy(() -> UdpPort.open(PortOptions.of(InetAddress.ofLiteral(address))))
                .withMessageContaining(message);
    }

    @Test
    void theChannelRefusesIpv6() {
        assertThatExceptionOfType(PortException.class)
                .isThrownBy(() -> PortPair.port("::1", IoBackend.CHANNEL))
                .withMessageContaining("DatagramChannel cannot receive Linux RDMA packets over IPv6");
    }

    /** Of all lengths that two urma4j peers may agree on, among short ones. */
    @ParameterizedTest
    @CsvSource({"127.0.71.1, 127.0.71.2, GSO", "127.0.71.1, 127.0.71.2, MMSG", "::1, ::1, GSO", "::1, ::1, MMSG"})
    void longPacketsArriveAsTheyLeft(String from, String to, IoBackend backend) {
        int[] lengths = {61_440, 61_440, 5, 8192, 8192, 8192, 61_440, 16_384, 61_437, 32_768, 32_768, 0, 61_440};
        try (PortPair pair = PortPair.open(from, to, backend)) {
            assertThat(pair.sender.mtuBytes()).isEqualTo(61_440);
            assertThat(pair.sender.roceMtuBytes()).isEqualTo(4096);
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < lengths.length; i++) {
                    pair.put(i, lengths[i]);
                }
                pair.sender.flush();

                assertThat(pair.receive(lengths.length))
                        .extracting(Received::payloadBytes)
                        .containsExactlyElementsOf(IntStream.of(lengths).boxed().toList());
            }
            assertThat(pair.receiver.counters().dropped()).isZero();
        }
    }

    @Test
    void aCaptureHasLongPacketsWithARightIcrc(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("long.pcap");
        var here = PortOptions.of(InetAddress.ofLiteral("127.0.71.1"));
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system());
                PortPair pair =
                        new PortPair(UdpPort.open(here.withCapture(writer)), PortPair.port("127.0.71.2", null))) {
            pair.put(1, 61_440);
            pair.put(2, 8192);
            pair.put(3, 8192);
            pair.put(4, 61_437);
            pair.sender.flush();
            assertThat(pair.receive(4)).extracting(Received::content).containsExactly(1, 2, 3, 4);

            writer.flush();

            assertThat(captured(file, pair.receiver.port())).hasSize(4).containsOnlyNulls();
        }
    }

    @Test
    void theChannelSendsThePacketsOfRoceAlone() {
        try (UdpPort port = PortPair.port("127.0.71.1", IoBackend.CHANNEL)) {
            assertThat(port.mtuBytes()).isEqualTo(4096);
        }
    }

    @Test
    void noPathMtuIsAboveTheLimit() {
        PortOptions options = PortOptions.of(InetAddress.ofLiteral("127.0.71.1"));
        for (int limit : new int[] {256, 4096, 8192, 32_768, 61_440}) {
            try (UdpPort port = UdpPort.open(options.withMtuLimit(limit))) {
                assertThat(port.mtuBytes()).isEqualTo(limit);
                assertThat(port.roceMtuBytes()).isEqualTo(Math.min(limit, 4096));
                assertThat(port.objection()).isEmpty();
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withMtuLimit(9000))
                .withMessage("MTU limit 9000 is none of 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 61440");
    }

    @Test
    void routesAreRememberedAndOtherFamiliesRefused() {
        try (UdpPort port = PortPair.port("127.0.71.1", null)) {
            assertThat(port.route(0, 0xFFFF_0000_0000L | LOOPBACK_OTHER, 4791))
                    .isSameAs(port.route(0, 0xFFFF_0000_0000L | LOOPBACK_OTHER, 4791));
            assertThat(port.route(0, 0xFFFF_0000_0000L | LOOPBACK_OTHER, 4791).mtuBytes())
                    .isEqualTo(port.mtuBytes());
            assertThatExceptionOfType(PortException.class)
                    .isThrownBy(() -> port.route(0xFD77_0000_0000_0000L, 1, 4791))
                    .withMessageContaining("one is of IPv4, the other of IPv6");
            assertThatExceptionOfType(PortException.class).isThrownBy(() -> port.route(0, 0xFFFF_0000_0000L, 4791));
            assertThatExceptionOfType(PortException.class).isThrownBy(() -> port.route(0, 0xFFFF_7F00_0001L, 0));
        }
    }

    @Test
    void theWayIsChosenByTryingAndTold() {
        try (UdpPort port = PortPair.port("127.0.71.1", null);
                UdpPort forced = PortPair.port("127.0.71.2", IoBackend.CHANNEL)) {
            assertThat(port.reason().isEmpty()).isEqualTo(port.backend() == IoBackend.GSO);
            assertThat(forced.backend()).isEqualTo(IoBackend.CHANNEL);
            assertThat(forced.reason()).isEqualTo("as configured");
        }
    }

    /** The kernel keeps as much again for its own. */
    @Test
    void theReceiveBufferIsAsLongAsRequested() {
        try (UdpSocket socket = SocketIo.open(InetAddress.ofLiteral("127.0.71.1"), 100_000)) {
            assertThat(socket.get(UdpOption.RECEIVE_BUFFER) / 2).isGreaterThanOrEqualTo(100_000);
        }
    }

    /** Once compiled: the interpreter boxes, so what is before that does not count. */
    @ParameterizedTest
    @EnumSource(names = {"GSO", "MMSG"})
    void sendingAndReceivingAllocateNothing(IoBackend backend) {
        int rounds = 500;
        long limit =
                rounds / 10L * 16; // the smallest object for every tenth round: the measurement itself is one or two
        long end = System.nanoTime() + 3 * DEADLINE_NANOS;
        try (PortPair pair = PortPair.open(backend)) {
            long bytes = bytesAllocatedBy(pair, rounds);
            while (bytes >= limit && System.nanoTime() - end < 0) {
                bytes = bytesAllocatedBy(pair, rounds);
            }
            assertThat(bytes).isLessThan(limit);
        }
    }

    private static long bytesAllocatedBy(PortPair pair, int rounds) {
        PacketSink sink = (_, _) -> {};
        long before = allocatedBytes();
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 8; i++) {
                var packet = pair.sender.begin(pair.route);
                if (packet != null) {
                    packet.begin(4, 0x11, round);
                    pair.sender.end(1024);
                }
            }
            pair.sender.flush();
            while (pair.receiver.receive(sink) > 0) {
                pair.receiver.await(0);
            }
        }
        return allocatedBytes() - before;
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static void send(UdpSocket socket, int port, int lengthBytes) {
        MemorySegment bytes = Arena.ofAuto().allocate(Math.max(lengthBytes, 1));
        bytes.fill((byte) 4); // an opcode that is known
        UdpMessages messages = new UdpMessages(1, bytes);
        messages.bufferLength(0, lengthBytes);
        messages.put(0, 0, 1);
        messages.toIpv4(0, LOOPBACK_OTHER, port);
        assertThat(socket.send(messages, 0, 1)).isEqualTo(1);
    }

    private static Received received(PortPair pair, int psn, int payloadBytes, int content) {
        return new Received(
                psn,
                payloadBytes,
                content,
                Addresses.high(pair.sender.address()),
                Addresses.low(pair.sender.address()),
                pair.sender.port());
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }
}
