package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.libc.NativeMemory;
import io.urma4j.libc.Poll;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.capture.PcapReader;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Marks of congestion in the IP headers of this kernel: what a port asks for, and what it makes of them. */
class EcnTest {
    private static final long DEADLINE_NANOS = 10_000_000_000L;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int ETHERNET_BYTES = 14;
    private static final int PAYLOAD_BYTES = 64;
    private static final int PACKET_BYTES = Bth.BYTES + PAYLOAD_BYTES + Icrc.BYTES;
    private static final int CONNECTION = Opcodes.RC | Opcodes.SEND_ONLY;
    private static final int DATAGRAM = Opcodes.UD | Opcodes.SEND_ONLY;

    private static UdpPort port(String address, IoBackend backend, Ecn ecn) {
        return UdpPort.open(PortOptions.of(InetAddress.ofLiteral(address))
                .withBackend(backend)
                .withEcn(ecn));
    }

    // ---- what leaves

    @ParameterizedTest
    @CsvSource({
        "127.0.75.1, GSO, ON, 2",
        "127.0.75.1, MMSG, ON, 2",
        "127.0.75.1, GSO, OFF, 0",
        "127.0.75.1, CHANNEL, AUTO, 0",
        "::1, GSO, ON, 2",
        "::1, MMSG, ON, 2",
        "::1, MMSG, OFF, 0"
    })
    void whatSomebodySlowsDownForMayBeMarkedAndNothingElse(String address, IoBackend backend, Ecn ecn, int capable) {
        InetAddress at = InetAddress.ofLiteral(address);
        try (UdpPort port = port(address, backend, ecn);
                UdpSocket far = SocketIo.open(at, BUFFER_BYTES)) {
            far.bind(at, 0);
            Ecn.enable(far, at);
            put(port, far, CONNECTION, 3);
            put(port, far, DATAGRAM, 2);
            put(port, far, CONNECTION, 1);
            port.flush();

            assertThat(trafficClasses(far, 6)).containsExactly(capable, capable, capable, 0, 0, capable);
        }
    }

    private static void put(UdpPort from, UdpSocket to, int opcode, int packets) {
        InetAddress at = from.address();
        UdpRoute route = from.route(Addresses.high(at), Addresses.low(at), to.localPort());
        for (int i = 0; i < packets; i++) {
            Packet packet = Objects.requireNonNull(from.begin(route), "no room");
            packet.begin(opcode, 1, i);
            from.end(PAYLOAD_BYTES);
        }
    }

    private static List<Integer> trafficClasses(UdpSocket socket, int datagrams) {
        UdpMessages messages = new UdpMessages(1, Arena.ofAuto().allocate(BUFFER_BYTES));
        List<Integer> classes = new ArrayList<>();
        while (classes.size() < datagrams && Poll.await(socket.fd(), Poll.IN, 10_000) != 0) {
            assertThat(socket.receive(messages, 1)).isEqualTo(1);
            classes.add(messages.trafficClass(0));
        }
        return classes;
    }

    // ---- what comes

    /** Of what came: whether the port says that it was marked. */
    private final List<Boolean> marks = new ArrayList<>();

    private final PacketSink sink = (packet, _) -> marks.add(Bth.isForwardNotice(packet.bytes()));

    @ParameterizedTest
    @CsvSource({"127.0.75.1, GSO", "127.0.75.1, MMSG", "::1, GSO", "::1, MMSG"})
    void whatWasMarkedIsHandedOnAsMarkedAndNothingElse(String address, IoBackend backend) {
        try (UdpPort port = port(address, backend, Ecn.ON)) {
            send(port, UdpOption.ECN_CAPABLE, 2, false);
            send(port, UdpOption.ECN_MARKED, 3, false);
            send(port, UdpOption.NOT_ECN_CAPABLE, 1, false);
            receive(port, 6);

            assertThat(marks).containsExactly(false, false, true, true, true, false);
            assertThat(port.counters().count(Counter.RECEIVED_MARKED)).isEqualTo(3);
            assertThat(port.counters().dropped()).isZero();
        }
    }

    /** RoCEv2 does not use the bit, and nothing covers it. */
    @ParameterizedTest
    @CsvSource({"GSO, ON", "GSO, OFF", "MMSG, ON", "CHANNEL, OFF"})
    void whatTheSenderSaysInsteadOfTheIpHeaderCountsForNothing(IoBackend backend, Ecn ecn) {
        try (UdpPort port = port("127.0.75.1", backend, ecn)) {
            send(port, UdpOption.ECN_CAPABLE, 1, true);
            receive(port, 1);

            assertThat(marks).containsExactly(false);
            assertThat(port.counters().count(Counter.RECEIVED_MARKED)).isZero();
        }
    }

    @Test
    void whoDoesNotLookSeesNoMarks() {
        try (UdpPort port = port("127.0.75.1", null, Ecn.OFF)) {
            send(port, UdpOption.ECN_MARKED, 1, false);
            receive(port, 1);

            assertThat(marks).containsExactly(false);
        }
    }

    /** Who is new is taken for one until the kernel has heard of him. */
    @Test
    void strangersMayBeMarkedAsWell() {
        PortOptions options = PortOptions.of(InetAddress.ofLiteral("127.0.75.1"));
        try (UdpPort port = UdpPort.open(options.withStrangersApart(true).withEcn(Ecn.ON))) {
            assumeTrue(port.strangersNote().isEmpty(), port.strangersNote());
            send(port, UdpOption.ECN_MARKED, 1, false);
            long end = System.nanoTime() + DEADLINE_NANOS;
            while (marks.isEmpty() && System.nanoTime() - end < 0) {
                port.await(1_000_000);
                port.receiveFromStrangers(sink);
            }

            assertThat(marks).containsExactly(true);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.75.1", "::1"})
    void aCaptureHasTheTrafficClassOfWhatLeftAndOfWhatCame(String address, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("port.pcap");
        InetAddress at = InetAddress.ofLiteral(address);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system());
                UdpPort port = UdpPort.open(PortOptions.of(at).withEcn(Ecn.ON).withCapture(writer));
                UdpSocket far = SocketIo.open(at, BUFFER_BYTES)) {
            far.bind(at, 0);
            put(port, far, CONNECTION, 1);
            put(port, far, DATAGRAM, 1);
            port.flush();
            send(port, UdpOption.ECN_MARKED, 1, false);
            receive(port, 1);
        }

        assertThat(trafficClasses(file)).containsExactly(2, 0, 3);
    }

    private static List<Integer> trafficClasses(Path capture) throws Exception {
        List<Integer> classes = new ArrayList<>();
        try (PcapReader reader = PcapReader.open(capture)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                int start = frame.bytes().getShort(ETHERNET_BYTES);
                boolean ipv4 = start >>> 12 == 4;
                classes.add((ipv4 ? start : start >>> 4) & 0xFF);
            }
        }
        return classes;
    }

    private void receive(UdpPort port, int packets) {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (marks.size() < packets && System.nanoTime() - end < 0) {
            if (port.receive(sink) == 0) {
                port.await(1_000_000);
            }
        }
        assertThat(marks).as("%s", port.counters()).hasSize(packets);
    }

    /**
     * Packets in one datagram that the kernel cuts, from the port's own address.
     *
     * @param trafficClass as it is when they arrive
     * @param forwardNotice what they say themselves of the way
     */
    private static void send(UdpPort to, int trafficClass, int packets, boolean forwardNotice) {
        InetAddress at = to.address();
        Icrc icrc = new Icrc();
        MemorySegment run = Arena.ofAuto().allocate((long) packets * PACKET_BYTES, Long.BYTES);
        try (UdpSocket from = SocketIo.open(at, BUFFER_BYTES)) {
            from.bind(at, 0);
            for (int i = 0; i < packets; i++) {
                Packet packet = new Packet(NativeMemory.of(run.asSlice((long) i * PACKET_BYTES, PACKET_BYTES)));
                packet.begin(CONNECTION, 1, i);
                Bth.notice(packet.bytes(), forwardNotice, false);
                packet.end(PAYLOAD_BYTES, headers(at, from.localPort(), to.port(), i), icrc);
            }
            UdpMessages messages = new UdpMessages(1, run);
            messages.put(0, 0, 1);
            IoProbe.address(messages, at, to.port());
            messages.segment(0, PACKET_BYTES);
            messages.trafficClass(0, trafficClass);
            assertThat(from.send(messages, 0, 1)).isEqualTo(1);
        }
    }

    private static IpHeaders headers(InetAddress at, int from, int to, int id) {
        long high = Addresses.high(at);
        long low = Addresses.low(at);
        if (at instanceof Inet6Address) {
            return IpHeaders.ipv6(high, low, high, low, from, to);
        }
        IpHeaders headers = IpHeaders.ipv4((int) low, (int) low, from, to);
        headers.ipv4Id(id);
        return headers;
    }

    // ---- the choice

    @ParameterizedTest
    @EnumSource
    void eachChoiceIsReadByItsNameInAnyCase(Ecn choice) {
        assertThat(Ecn.parse(choice.name())).isEqualTo(choice);
        assertThat(Ecn.parse(choice.name().toLowerCase(Locale.ROOT))).isEqualTo(choice);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "")
    void theChoiceIsLeftToThePort(String text) {
        assertThat(Ecn.parse(text)).isEqualTo(Ecn.AUTO);
    }

    @Test
    void anythingElseIsRefusedWithWhatThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ecn.parse("yes"))
                .withMessage("'yes' is none of auto, on, off");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.75.1", "::1"})
    void byItselfAPortThatOnlyThisMachineReachesDoesWithout(String address) {
        try (UdpPort port = port(address, null, Ecn.AUTO)) {
            assertThat(port.ecnNote()).startsWith("loopback addresses have no switches");
        }
    }

    /** An address that is not ours stands for a kernel that refuses. */
    @ParameterizedTest
    @CsvSource({"GSO, bind", "CHANNEL, DatagramChannel does not report marks"})
    void byItselfAPortGoesOnWithoutWhereItDoesNotWorkAndSaysWhy(IoBackend backend, String why) {
        InetAddress address = InetAddress.ofLiteral("192.0.2.1");

        assertThat(Ecn.AUTO.objection(address, backend)).contains(why);
        assertThatExceptionOfType(PortException.class)
                .isThrownBy(() -> Ecn.ON.objection(address, backend))
                .withMessageStartingWith("ECN was requested, but does not work here: ")
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.75.1", "::1"})
    void thisKernelTellsOfMarks(String address) {
        assertThat(Ecn.refusal(InetAddress.ofLiteral(address))).isEmpty();
    }
}
