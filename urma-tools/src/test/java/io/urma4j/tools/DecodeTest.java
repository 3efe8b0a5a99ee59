package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.FragmentEth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code urma decode} on captures of real Linux peers. */
class DecodeTest {
    private static final Path GOLDEN = Path.of("..", "urma-udma", "src", "test", "resources", "golden");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int decode(Object... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "decode";
        Arrays.setAll(all, i -> i == 0 ? "decode" : arguments[i - 1].toString());
        return Main.commandLine(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .execute(all);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void everyPacketOfAGoodCaptureHasALineAndARightIcrc() {
        assertThat(decode(GOLDEN.resolve("sample-rxe.pcap"))).isZero();

        assertThat(lines()).hasSize(325 + 1);
        assertThat(lines().getFirst())
                .contains("10.77.0.12 > 10.77.0.11 RC SEND_ONLY")
                .contains("QP 0x000011 PSN 0xfffff0 A SE, 5 bytes  ICRC ok");
        assertThat(lines()).anyMatch(line -> line.contains("NAK remote access error MSN 0"));
        assertThat(lines()).anyMatch(line -> line.contains("RNR NAK timer 12"));
        assertThat(lines().getLast())
                .contains("325 of RoCEv2 (171 IPv4, 154 IPv6): ICRC right 325, wrong 0, malformed 0");
    }

    @Test
    void lossShowsInWhatIsSentAgain() {
        assertThat(decode("--summary", "--json", GOLDEN.resolve("sample-rxe-loss.pcap")))
                .isZero();

        String json = out.toString(StandardCharsets.UTF_8);
        assertThat(json).contains("\"icrcRight\" : 727").contains("\"icrcWrong\" : 0");
        assertThat(json).doesNotContain("\"sentAgain\" : 0,");
    }

    /** As {@code tcpdump -s 64} has them: a part of the packets is whole, and the others are counted. */
    @Test
    void whatWasCutIsCountedAndNamed() throws IOException {
        Path cut = folder.resolve("cut.pcap");
        Files.write(cut, cut(Files.readAllBytes(GOLDEN.resolve("sample-rxe.pcap")), 64));

        assertThat(decode("--summary", cut)).isZero();

        assertThat(lines().getLast()).matches("skipped: \\d+ cut by the snap length");
        int unread = Integer.parseInt(lines().getLast().replaceAll("\\D", ""));
        assertThat(unread).isBetween(100, 325);
        assertThat(lines().getFirst()).contains(" frames in ").contains(325 - unread + " of RoCEv2");
    }

    private static byte[] cut(byte[] capture, int snapBytes) {
        ByteBuffer in = ByteBuffer.wrap(capture).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer out = ByteBuffer.allocate(capture.length).order(ByteOrder.LITTLE_ENDIAN);
        out.put(capture, 0, 24);
        for (in.position(24); in.hasRemaining(); ) {
            int captured = in.getInt(in.position() + 8);
            int kept = Math.min(captured, snapBytes);
            out.put(capture, in.position(), 8).putInt(kept).putInt(captured);
            out.put(capture, in.position() + 16, kept);
            in.position(in.position() + 16 + captured);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /** Shared connections have one row of PSNs for all their queues, by whichever opcodes; each end has its own number. */
    @Test
    void onSharedConnectionsWhatIsSentAgainIsCountedByTheirContext() throws IOException {
        Path file = folder.resolve("shared.pcap");
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system())) {
            shared(writer, Opcodes.RD | Opcodes.SEND_ONLY, 7, 17, 0xFFFFFF);
            shared(writer, Opcodes.OURS_RD | Opcodes.SEND_ONLY_IMM64, 7, 18, 0);
            shared(writer, Opcodes.RD | Opcodes.SEND_ONLY, 8, 17, 0); // another connection
            shared(writer, Opcodes.RD | Opcodes.SEND_ONLY, 7, 17, 0xFFFFFF); // again
            shared(writer, Opcodes.OURS_RD | Opcodes.SEND_ONLY_IMM64, 7, 18, 0); // again
            shared(writer, Opcodes.RD | Opcodes.ACKNOWLEDGE, 7, 0, 0); // of the other direction
            shared(writer, Opcodes.OURS_RD | Opcodes.RESYNC, 7, 18, 0); // gives up, and repeats nothing
            shared(writer, Opcodes.RD | Opcodes.SEND_ONLY, 7, 19, 1);
        }

        assertThat(decode(file)).isZero();

        assertThat(lines().stream().filter(line -> line.contains("retransmitted")))
                .hasSize(2 + 1);
        assertThat(lines().getLast()).contains("8 of RoCEv2", "retransmitted 2,");
    }

    private static void shared(PcapWriter writer, int opcode, int context, int queue, int psn) {
        IpHeaders ip = IpHeaders.ipv4(0x7F00_0001, 0x7F00_0002, IpHeaders.ROCE_PORT, IpHeaders.ROCE_PORT);
        Packet packet = Packet.allocate();
        packet.begin(opcode, queue, psn);
        Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, context);
        packet.end(8, ip, new Icrc());
        writer.packet(packet, ip);
    }

    @Test
    void whatIsInABundleHasALineEach() throws IOException {
        Path file = folder.resolve("bundle.pcap");
        IpHeaders ip = IpHeaders.ipv4(0x7F00_0001, 0x7F00_0002, IpHeaders.ROCE_PORT, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system())) {
            Packet bundle = Packet.allocate();
            Packet second = Packet.allocate();
            bundle.begin(Opcodes.RC | Opcodes.SEND_ONLY, 17, 5);
            second.begin(Opcodes.RC | Opcodes.SEND_ONLY, 17, 6);
            bundle.end(Bundle.add(bundle, Bundle.begin(bundle, 8), second, 3), ip, new Icrc());
            writer.packet(bundle, ip);
            second.end(3, ip, new Icrc());
            writer.packet(second, ip);
        }

        assertThat(decode(file)).isZero();

        assertThat(lines()).hasSize(4 + 1);
        assertThat(lines().getFirst()).contains("BUNDLE of 2 packets  ICRC ok");
        assertThat(lines().get(2)).startsWith("   ").contains("RC SEND_ONLY").contains("PSN 0x000006, 3 bytes");
        assertThat(lines().get(3)).contains("retransmitted");
        assertThat(lines().getLast()).contains("2 of RoCEv2", "in bundles or fragments 2, retransmitted 1,");
    }

    @Test
    void whatFragmentsGiveTogetherHasALine() throws IOException {
        Path file = folder.resolve("fragments.pcap");
        IpHeaders ip = IpHeaders.ipv4(0x7F00_0001, 0x7F00_0002, IpHeaders.ROCE_PORT, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system())) {
            for (int round = 0; round < 2; round++) {
                Packet whole = Packet.allocate();
                whole.begin(Opcodes.RC | Opcodes.SEND_ONLY, 17, 5);
                int length = whole.pad(599);
                for (int at = 0; at < length; at += 256) {
                    int bytes = Math.min(256, length - at);
                    Packet fragment = Packet.allocate();
                    FragmentEth.begin(fragment, 17, round, length, at, 256);
                    NativeMemory.copy(whole.bytes(), at, fragment.bytes(), fragment.payloadAt(), bytes);
                    fragment.end(bytes, ip, new Icrc());
                    writer.packet(fragment, ip);
                }
            }
        }

        assertThat(decode(file)).isZero();

        assertThat(lines()).hasSize(3 + 1 + 3 + 1 + 1);
        assertThat(lines().get(1)).contains("FRAGMENT", "offset 256 of 612, 256 bytes  ICRC ok");
        assertThat(lines().get(3)).startsWith("   ").contains("RC SEND_ONLY").endsWith("PSN 0x000005, 599 bytes");
        assertThat(lines().get(7)).endsWith("599 bytes, retransmitted");
        assertThat(lines().getLast()).contains("6 of RoCEv2", "in bundles or fragments 2, retransmitted 1,");
    }

    /**
     * A sealed packet is right if the capture reveals the secret, and not verifiable, rather than wrong, if it does
     * not.
     */
    @Test
    void anIcrcWithASecretThatTheCaptureDoesNotTellIsNotCalledWrong() throws IOException {
        Path file = folder.resolve("sealed.pcap");
        IpHeaders ip = IpHeaders.ipv4(0x7F00_0001, 0x7F00_0002, IpHeaders.ROCE_PORT, IpHeaders.ROCE_PORT);
        try (PcapWriter writer = PcapWriter.create(file, PcapWriter.UNLIMITED, InstantSource.system())) {
            Packet packet = Packet.allocate();
            packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 17, 6);
            packet.end(3, ip.secret(0x1234_5678_9ABCL), new Icrc());
            writer.packet(packet, ip);
        }

        assertThat(decode(file)).isZero();

        assertThat(lines().getFirst()).contains("RC SEND_ONLY").endsWith("not verifiable: secret unknown");
        assertThat(lines().getLast()).contains("ICRC right 0, wrong 0, malformed 0, not verifiable 1;");
    }

    @Test
    void aDamagedPacketIsShownAndTheExitCodeTellsIt() throws IOException {
        byte[] bytes = Files.readAllBytes(GOLDEN.resolve("sample-rxe.pcap"));
        bytes[24 + 16 + 14 + 20 + 8 + 12] ^= 1; // first byte behind the BTH of the first packet
        Path damaged = Files.write(folder.resolve("damaged.pcap"), bytes);

        assertThat(decode(damaged)).isEqualTo(1);

        assertThat(lines().getFirst()).endsWith("WRONG");
        assertThat(lines().getLast()).contains("ICRC right 324, wrong 1");
    }

    @Test
    void aFileThatEndsEarlyIsDecodedToItsEnd() throws IOException {
        byte[] bytes = Files.readAllBytes(GOLDEN.resolve("sample-rxe.pcap"));
        Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(bytes, bytes.length - 1));

        assertThat(decode(cut)).isEqualTo(1);

        assertThat(lines().getLast()).contains("324 of RoCEv2");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("cut.pcap ends within frame 325");
    }

    @Test
    void whatIsNoCaptureIsRefused() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "this is no capture at all, just words");

        assertThat(decode(text)).isEqualTo(1);
        assertThat(decode(folder.resolve("missing"))).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("is no pcap file")
                .contains("does not exist");
    }

    @Test
    void aPortOutOfRangeIsRefused() {
        assertThat(decode("--port", "65536", GOLDEN.resolve("sample-rxe.pcap"))).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--port is 65536, and must be 1 to 65535");
    }
}
