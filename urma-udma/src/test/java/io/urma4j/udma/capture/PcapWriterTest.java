package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapWriterTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000, 123_456_789));
    private static final int FRAME_BYTES = 16 + 14 + 20 + 8 + 12 + 8 + 4; // of a SEND of 8 bytes over IPv4

    private final Icrc icrc = new Icrc();

    @TempDir
    Path folder;

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        IpHeaders ipv4 = IpHeaders.ipv4(0x0A4D_0001, 0x0A4D_000B, 0xC001, IpHeaders.ROCE_PORT);
        ipv4.ipv4Id(0xBEEF);
        IpHeaders ipv6 = IpHeaders.ipv6(0xFD77L << 48, 1, 0xFD77L << 48, 0xB, 0xC002, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(folder.resolve("f.pcap"), PcapWriter.UNLIMITED, CLOCK)) {
            writer.packet(packet(ipv4, 5), ipv4);
            writer.packet(packet(ipv6, 1024), ipv6);
            assertThat(writer.packets()).isEqualTo(2);
        }

        List<Frame> frames = frames(folder.resolve("f.pcap"));
        Datagram first = datagram(frames.get(0));
        Datagram second = datagram(frames.get(1));

        assertThat(frames).hasSize(2).allMatch(frame -> frame.timeNanos() == 1_700_000_000_123_456_789L);
        assertThat(first.source()).isEqualTo(InetAddress.ofLiteral("10.77.0.1"));
        assertThat(first.destination()).isEqualTo(InetAddress.ofLiteral("10.77.0.11"));
        assertThat(first.sourcePort()).isEqualTo(0xC001);
        assertThat(first.ipv4Id()).isEqualTo(0xBEEF | Icrc.DONT_FRAGMENT);
        assertThat(first.packet().payloadBytes()).isEqualTo(5);
        assertThat(second.destination()).isEqualTo(InetAddress.ofLiteral("fd77::b"));
        assertThat(second.packet().payloadBytes()).isEqualTo(1024);
        for (Datagram datagram : List.of(first, second)) {
            assertThat(icrc.isRight(datagram.packet(), datagram.ip())).isTrue();
        }
    }

    @Test
    void headersAreThoseThatARouterAccepts() throws IOException {
        IpHeaders headers = IpHeaders.ipv4(0x0A4D_0001, 0x0A4D_000B, 0xC001, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(folder.resolve("f.pcap"), PcapWriter.UNLIMITED, CLOCK)) {
            writer.packet(packet(headers, 8), headers);
        }

        ByteBuffer frame = frames(folder.resolve("f.pcap")).getFirst().bytes();

        int sum = 0;
        for (int at = 14; at < 34; at += 2) {
            sum += Short.toUnsignedInt(frame.getShort(at));
        }
        assertThat((sum & 0xFFFF) + (sum >>> 16))
                .as("checksum of the IPv4 header")
                .isEqualTo(0xFFFF);
        assertThat(frame.get(14 + 8)).as("hop limit").isEqualTo((byte) 64);
        assertThat(Short.toUnsignedInt(frame.getShort(14 + 2))).as("length").isEqualTo(20 + 8 + 24);
        assertThat(frame.getShort(14 + 20 + 6)).as("no UDP checksum").isZero();
        assertThat(frame.getInt(2))
                .as("end of the destination in its address of Ethernet")
                .isEqualTo(0x0A4D_000B);
    }

    @Test
    void theFileDoesNotGetLongerThanItsLimit() throws IOException {
        Path file = folder.resolve("f.pcap");
        IpHeaders headers = IpHeaders.ipv4(1, 2, 3, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, 24 + 3 * FRAME_BYTES + 5, CLOCK)) {
            for (int i = 0; i < 10; i++) {
                writer.packet(packet(headers, 8), headers);
            }
            assertThat(writer.packets()).isEqualTo(3);
            assertThat(writer.leftOut()).isEqualTo(7);
            assertThat(writer.toString()).contains("3 packets written, 7 left out");
        }

        assertThat(Files.size(file)).isEqualTo(24 + 3 * FRAME_BYTES);
        assertThat(frames(file)).hasSize(3);
    }

    @Test
    void moreThanTheBufferHoldsIsWrittenAsItComes() throws IOException {
        Path file = folder.resolve("f.pcap");
        IpHeaders headers = IpHeaders.ipv4(1, 2, 3, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK)) {
            for (int i = 0; i < 200; i++) {
                writer.packet(packet(headers, 4096), headers);
            }
        }

        assertThat(frames(file)).hasSize(200);
    }

    @Test
    void whatWasFlushedIsInTheFile() throws IOException {
        Path file = folder.resolve("f.pcap");
        IpHeaders headers = IpHeaders.ipv4(1, 2, 3, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK)) {
            writer.packet(packet(headers, 8), headers);
            writer.flush();

            assertThat(frames(file)).hasSize(1);
        }
    }

    @Test
    void anOldFileIsOverwritten() throws IOException {
        Path file = folder.resolve("f.pcap");
        Files.write(file, new byte[100_000]);

        PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK).close();

        assertThat(frames(file)).isEmpty();
    }

    @Test
    void aFileThatSomebodyWritesIsLeftAlone() throws IOException {
        Path file = folder.resolve("f.pcap");
        try (PcapWriter first = PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK);
                PcapWriter second = PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK);
                PcapWriter third = PcapWriter.create(file, PcapWriter.UNLIMITED, CLOCK)) {
            long pid = ProcessHandle.current().pid();
            assertThat(first.file()).isEqualTo(file);
            assertThat(second.file()).isEqualTo(folder.resolve("f." + pid + ".pcap"));
            assertThat(third.file()).isEqualTo(folder.resolve("f." + pid + "-2.pcap"));
        }
    }

    private Packet packet(IpHeaders headers, int payloadBytes) {
        Packet packet = Packet.allocate();
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x11, 0);
        packet.end(payloadBytes, headers, icrc);
        return packet;
    }

    private static Datagram datagram(Frame frame) {
        return Objects.requireNonNull(Datagram.of(frame, Set.of(4791)));
    }

    private static List<Frame> frames(Path file) {
        List<Frame> frames = new ArrayList<>();
        try (PcapReader reader = PcapReader.open(file)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return frames;
    }

    /** A capture tells secrets: whoever reads it could forge packets. */
    @Test
    void aNewFileIsForItsOwnerAlone() throws Exception {
        Path made = folder.resolve("secret.pcap");

        PcapWriter.create(made, PcapWriter.UNLIMITED, InstantSource.system()).close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rw-------");
    }
}
