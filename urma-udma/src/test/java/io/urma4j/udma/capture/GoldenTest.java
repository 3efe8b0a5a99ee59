package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.AtomicEth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Deth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.ImmDt;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.Reth;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real packets of Linux: every one decodes, encodes to the same bytes, and has the ICRC that we compute. */
class GoldenTest {
    private final Icrc icrc = new Icrc();

    private static List<Datagram> datagrams(String name) throws IOException, URISyntaxException {
        Path file = Path.of(Objects.requireNonNull(GoldenTest.class.getResource("/golden/" + name))
                .toURI());
        List<Datagram> found = new ArrayList<>();
        try (PcapReader reader = PcapReader.open(file)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                Datagram datagram = Datagram.of(frame, Set.of(4791));
                if (datagram != null) {
                    found.add(datagram);
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({"sample-rxe.pcap, 325, 171", "sample-rxe-loss.pcap, 727, 727"})
    void everyPacketIsGoodAndItsIcrcRight(String name, int all, int ofIpv4) throws Exception {
        List<Datagram> datagrams = datagrams(name);

        assertThat(datagrams).hasSize(all);
        assertThat(datagrams)
                .allSatisfy(datagram ->
                        assertThat(PacketCheck.of(datagram.packet())).isNull());
        assertThat(datagrams)
                .allSatisfy(datagram -> assertThat(icrc.isRight(datagram.packet(), datagram.ip()))
                        .isTrue());
        assertThat(datagrams.stream().filter(datagram -> datagram.ip().isIpv4()))
                .hasSize(ofIpv4);
    }

    @ParameterizedTest
    @CsvSource({"sample-rxe.pcap, 171", "sample-rxe-loss.pcap, 727"})
    void theIdentificationOfEveryIpv4PacketIsRecovered(String name, int count) throws Exception {
        int recovered = 0;
        for (Datagram datagram : datagrams(name)) {
            if (datagram.ip().isIpv4()) {
                assertThat(icrc.recover(datagram.packet(), datagram.ip(), 0))
                        .as("%s", datagram.packet())
                        .isEqualTo(datagram.ipv4Id());
                recovered++;
            }
        }
        assertThat(recovered).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource({"sample-rxe.pcap", "sample-rxe-loss.pcap"})
    void everyPacketEncodesToTheSameBytes(String name) throws Exception {
        for (Datagram datagram : datagrams(name)) {
            Packet original = datagram.packet();
            Packet copy = encodedAnew(original, datagram.ip());

            assertThat(copy.bytes()
                            .segment()
                            .asSlice(0, copy.lengthBytes())
                            .mismatch(original.bytes().segment()))
                    .as("first difference of %s", original)
                    .isEqualTo(-1);
        }
    }

    /** Out of its fields alone: what they do not hold is not in it. */
    private Packet encodedAnew(Packet from, IpHeaders ip) {
        NativeMemory bytes = from.bytes();
        Packet to = Packet.allocate();
        to.begin(from.opcode(), Bth.destinationQp(bytes), Bth.psn(bytes));
        Bth.partitionKey(to.bytes(), Bth.partitionKey(bytes));
        Bth.notice(to.bytes(), Bth.isForwardNotice(bytes), Bth.isBackwardNotice(bytes));
        if (Bth.isSolicited(bytes)) {
            Bth.solicit(to.bytes());
        }
        if (Bth.beginsMessage(bytes)) { // the migration bit, which some network cards set
            Bth.markFirst(to.bytes());
        }
        if (Bth.asksForAcknowledgement(bytes)) {
            Bth.addAck(to.bytes(), Bth.asks(true));
        }
        for (Header header : Header.values()) {
            if (Opcodes.has(from.opcode(), header)) {
                copy(header, bytes, to.bytes(), from.at(header));
            }
        }
        NativeMemory.copy(bytes, from.payloadAt(), to.bytes(), to.payloadAt(), from.payloadBytes());
        to.end(from.payloadBytes(), ip, icrc);
        return to;
    }

    private static void copy(Header header, NativeMemory from, NativeMemory to, int at) {
        switch (header) {
            case DETH -> Deth.put(to, at, Deth.queueKey(from, at), Deth.sourceQp(from, at));
            case RETH -> Reth.put(to, at, Reth.va(from, at), Reth.remoteKey(from, at), Reth.lengthBytes(from, at));
            case ATOMIC_ETH ->
                AtomicEth.put(
                        to,
                        at,
                        AtomicEth.va(from, at),
                        AtomicEth.remoteKey(from, at),
                        AtomicEth.operand(from, at),
                        AtomicEth.compare(from, at));
            case AETH -> Aeth.put(to, at, Aeth.syndrome(from, at), Aeth.msn(from, at));
            case ATOMIC_ACK_ETH -> AtomicAckEth.put(to, at, AtomicAckEth.original(from, at));
            case IMM_DT -> ImmDt.put(to, at, ImmDt.immediate(from, at));
            case IETH -> Ieth.put(to, at, Ieth.remoteKey(from, at));
            case RDETH, XRCETH, FETH, ATOMIC_KIND, NOTIFY_ETH, IMM_64, ACK_ETH, FRAGMENT_ETH ->
                throw new AssertionError("Linux sends no " + header);
        }
    }
}
