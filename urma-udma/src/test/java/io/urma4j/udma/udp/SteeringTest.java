package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.SocketProgram;
import io.urma4j.udma.udp.KnownSources.Source;
import io.urma4j.udma.wire.Opcodes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The program that sorts datagrams, run as the kernel runs it. A random test prints its seed when it fails. */
class SteeringTest {
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    private static final String REPLAY = "-Durma.seed=" + SEED;

    private static final long IPV4 = 0xFFFF_0000_0000L;
    private static final int WRITE = Opcodes.RC | Opcodes.WRITE_ONLY;
    private static final int DATAGRAM = Opcodes.UD | Opcodes.SEND_ONLY;
    private static final int PAYLOAD_BYTES = 64;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void whoIsKnownNeedsTheRightAddressAndPort() {
        Steering steering = new Steering(false, random);
        SocketProgram program = steering.program(ipv4(0x0A00_0001, 4791), ipv4(0x0A00_0002, 5000));

        assertThat(answer(program, ipv4(0x0A00_0001, 4791), WRITE)).isEqualTo(Steering.KNOWN);
        assertThat(answer(program, ipv4(0x0A00_0002, 5000), DATAGRAM)).isEqualTo(Steering.KNOWN);
        assertThat(answer(program, ipv4(0x0A00_0001, 5000), WRITE)).isEqualTo(Steering.OTHER);
        assertThat(answer(program, ipv4(0x0A00_0003, 4791), WRITE)).isEqualTo(Steering.OTHER);
    }

    @Test
    void whoseWayOfSendingIsUnknownIsKnownByTheAddress() {
        Steering steering = new Steering(false, random);
        SocketProgram program = steering.program(ipv4(0x0A00_0001, 0), ipv4(0x0A00_0002, 5000));

        assertThat(answer(program, ipv4(0x0A00_0001, 49_152), WRITE)).isEqualTo(Steering.KNOWN);
        assertThat(answer(program, ipv4(0x0A00_0002, 49_152), WRITE)).isEqualTo(Steering.OTHER);
        assertThat(answer(program, ipv4(0x0A00_0002, 5000), WRITE)).isEqualTo(Steering.KNOWN);
    }

    @Test
    void greetingsAndDatagramsOfStrangersGoTogether() {
        SocketProgram program = new Steering(false, random).program();
        Source stranger = ipv4(0x0A00_0001, 4791);

        assertThat(answer(program, stranger, DATAGRAM)).isEqualTo(Steering.NEWCOMER);
        assertThat(answer(program, stranger, Opcodes.UD | Opcodes.SEND_ONLY_IMM))
                .isEqualTo(Steering.NEWCOMER);
        assertThat(answer(program, stranger, Opcodes.UD_SEND_ONLY_IMM64)).isEqualTo(Steering.NEWCOMER);
        assertThat(answer(program, stranger, WRITE)).isEqualTo(Steering.OTHER);
        assertThat(answer(program, stranger, Opcodes.CNP)).isEqualTo(Steering.OTHER);
    }

    /** The kernel takes a load from where nothing is for the first socket: nobody may get there so. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsTooShortOrOddIsNobodys(boolean ipv6) {
        Source known = ipv6 ? source() : ipv4(0x0A00_0001, 4791);
        SocketProgram program = new Steering(ipv6, random).program(known);
        for (int length = 0; length < 12; length++) {
            assertThat(run(ipv6, known, DATAGRAM, length).answer(program)).isEqualTo(Steering.OTHER);
        }
        byte[] odd = packet(ipv6, known, DATAGRAM, PAYLOAD_BYTES);
        odd[ipv6 ? 6 : 0] ^= 2; // options, or a header between
        assertThat(new ProgramRun(odd, headerBytes(ipv6)).answer(program)).isEqualTo(Steering.OTHER);
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 8", "false, 9", "false, 700", "false, 1200", "true, 1", "true, 9", "true, 1200"})
    void peersAndStrangersAreToldApart(boolean ipv6, int peers) {
        Source[] known = new Source[peers];
        Arrays.setAll(known, i -> ipv6 ? source() : ipv4(random.nextInt(), 1 + random.nextInt(0xFFFF)));
        SocketProgram program = new Steering(ipv6, random).program(known);

        for (Source peer : known) {
            assertThat(answer(ipv6, program, peer, anyOpcode())).as(REPLAY).isEqualTo(Steering.KNOWN);
        }
        Set<Source> all = Set.of(known);
        int passed = 0;
        for (int i = 0; i < 20_000; i++) {
            Source stranger = neighbour(known[random.nextInt(peers)]);
            if (!all.contains(stranger) && answer(ipv6, program, stranger, anyOpcode()) == Steering.KNOWN) {
                passed++;
            }
        }
        assertThat(passed).as("strangers taken for peers, " + REPLAY).isLessThanOrEqualTo(1);
    }

    /** Of very many, too, and by port and by address: whoever is known is always known. */
    @ParameterizedTest
    @CsvSource({"false, 20000, 3000", "true, 20000, 3000", "true, 1201, 201"})
    void whoIsOneOfVeryManyIsKnownAllTheSame(boolean ipv6, int ports, int addresses) {
        Source[] known = new Source[ports + addresses];
        Arrays.setAll(known, i -> {
            int port = i < ports ? 1 + random.nextInt(0xFFFF) : 0;
            return ipv6 ? new Source(random.nextLong(), random.nextLong(), port) : ipv4(random.nextInt(), port);
        });
        SocketProgram program = new Steering(ipv6, random).program(known);

        assertThat(program.length()).isLessThanOrEqualTo(SocketProgram.MAX_INSTRUCTIONS);
        for (Source peer : known) {
            Source seen = peer.port() == 0 ? new Source(peer.eidHigh(), peer.eidLow(), random.nextInt(0xFFFF)) : peer;
            assertThat(answer(ipv6, program, seen, anyOpcode())).as(REPLAY).isEqualTo(Steering.KNOWN);
        }
    }

    @Test
    void aCoarseProgramIsShortAndKnowsAll() {
        Source[] known = new Source[1000];
        Arrays.setAll(known, i -> ipv4(random.nextInt(), 4791));
        SocketProgram program = new Steering(false, random).program(16, known);

        assertThat(program.length()).isLessThan(400);
        for (Source peer : known) {
            assertThat(answer(program, peer, WRITE)).as(REPLAY).isEqualTo(Steering.KNOWN);
        }
    }

    @Test
    void theLargestProgramFits() {
        Source[] known = new Source[Steering.MAX_KNOWN * 3 + Steering.MAX_KNOWN_BY_ADDRESS * 3];
        Arrays.setAll(known, i -> new Source(random.nextLong(), i, i < Steering.MAX_KNOWN * 3 ? 4791 : 0));

        assertThat(new Steering(true, random).program(known).length())
                .as(REPLAY)
                .isLessThanOrEqualTo(SocketProgram.MAX_INSTRUCTIONS);
    }

    // ---- packets

    private static Source ipv4(int address, int port) {
        return new Source(0, IPV4 | Integer.toUnsignedLong(address), port);
    }

    private Source source() {
        return new Source(0xFD00_0000_0000_0000L, random.nextLong(), 1 + random.nextInt(0xFFFF));
    }

    /** Another, who differs in a bit of the address or of the port. */
    private Source neighbour(Source one) {
        return random.nextBoolean()
                ? new Source(one.eidHigh(), one.eidLow() ^ 1L << random.nextInt(32), one.port())
                : new Source(one.eidHigh(), one.eidLow(), one.port() ^ 1 << random.nextInt(16));
    }

    private int anyOpcode() {
        return random.nextInt(256);
    }

    private static int answer(SocketProgram program, Source from, int opcode) {
        return answer(false, program, from, opcode);
    }

    private static int answer(boolean ipv6, SocketProgram program, Source from, int opcode) {
        return run(ipv6, from, opcode, PAYLOAD_BYTES).answer(program);
    }

    private static ProgramRun run(boolean ipv6, Source from, int opcode, int payloadBytes) {
        return new ProgramRun(packet(ipv6, from, opcode, payloadBytes), headerBytes(ipv6));
    }

    private static int headerBytes(boolean ipv6) {
        return ipv6 ? 48 : 28;
    }

    private static byte[] packet(boolean ipv6, Source from, int opcode, int payloadBytes) {
        ByteBuffer packet = ByteBuffer.allocate(headerBytes(ipv6) + payloadBytes);
        if (ipv6) {
            packet.putInt(0x6000_0000).putShort((short) (8 + payloadBytes)).put((byte) 17);
            packet.put((byte) 64).putLong(from.eidHigh()).putLong(from.eidLow()).putLong(0);
            packet.putLong(1);
        } else {
            packet.putInt(0x4500_0000 | packet.capacity()).putInt(0).putInt(0x4011_0000);
            packet.putInt((int) from.eidLow()).putInt(0x7F00_0001);
        }
        packet.putShort((short) from.port()).putShort((short) 4791);
        packet.putShort((short) (8 + payloadBytes)).putShort((short) 0);
        if (payloadBytes > 0) {
            packet.put((byte) opcode);
        }
        return packet.array();
    }
}
