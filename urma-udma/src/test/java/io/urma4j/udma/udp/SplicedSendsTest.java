package io.urma4j.udma.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.Errno;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PinnedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packets whose payload the kernel refers to until they have arrived. */
class SplicedSendsTest {
    private static final int MTU = 61_440;
    private static final int MIN = SplicedSends.MIN_BYTES;
    private static final int PAGE = 4096;
    private static final InetAddress THIRD = InetAddress.ofLiteral("127.0.72.3");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = patterned(arena.allocate(1 << 20, PAGE));
    private final PinnedMemory pinned = new PinnedMemory(memory);
    private int psn;

    private static MemorySegment patterned(MemorySegment memory) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(JAVA_BYTE, i, (byte) (17 * i + (i >> 8)));
        }
        return memory;
    }

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private Packet begin(PortPair pair) {
        Packet packet = Objects.requireNonNull(pair.sender.begin(pair.route), "no room");
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn++);
        return packet;
    }

    /** A SEND of a part of the memory. */
    private void put(PortPair pair, long offset, int lengthBytes) {
        Packet packet = begin(pair);
        if (packet.mayRefer(lengthBytes)) {
            packet.refer(pinned, offset, lengthBytes);
        } else {
            MemorySegment.copy(memory, offset, packet.bytes().segment(), packet.payloadAt(), lengthBytes);
        }
        pair.sender.end(lengthBytes);
    }

    private static List<byte[]> receive(PortPair pair, int packets) {
        List<byte[]> received = new ArrayList<>();
        long end = System.nanoTime() + 10_000_000_000L;
        while (received.size() < packets && System.nanoTime() - end < 0) {
            pair.receiver.receive((packet, _) -> received.add(packet.bytes()
                    .segment()
                    .asSlice(packet.payloadAt(), packet.payloadBytes())
                    .toArray(JAVA_BYTE)));
        }
        assertThat(received).as("%s", pair.receiver.counters()).hasSize(packets);
        return received;
    }

    private byte[] part(long offset, int lengthBytes) {
        return memory.asSlice(offset, lengthBytes).toArray(JAVA_BYTE);
    }

    private void change(long offset) {
        memory.set(JAVA_BYTE, offset, (byte) ~memory.get(JAVA_BYTE, offset));
    }

    @ParameterizedTest
    @CsvSource({"GSO, 127.0.72.1, 127.0.72.2, 5", "GSO, ::1, ::1, 5", "MMSG, 127.0.72.1, 127.0.72.2, 0"})
    void theyArriveAmongOthersInOrder(IoBackend backend, String from, String to, int spliced) {
        int[] lengths = {MTU, 16_384, MIN, MIN + 1, 5, MTU - 3, 16_384, 8192, 8192, MIN - 1, MTU, 0};
        try (PortPair pair = PortPair.open(from, to, backend)) {
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < lengths.length; i++) {
                    put(pair, (long) PAGE * (i + round), lengths[i]);
                }
                pair.sender.flush();

                List<byte[]> received = receive(pair, lengths.length);
                for (int i = 0; i < lengths.length; i++) {
                    assertThat(received.get(i)).isEqualTo(part((long) PAGE * (i + round), lengths[i]));
                }
            }
            assertThat(pair.receiver.counters().dropped()).isZero();
            assertThat(pair.sender.counters().notSent()).isZero();
            assertThat(pair.sender.spliced()).isEqualTo(4L * spliced);
        }
    }

    /** The kernel takes 17 parts of a datagram, and the first and the last are ours. */
    @ParameterizedTest
    @CsvSource({"0, 61440, 1", "4, 61440, 0", "4, 61436, 1", "4092, 61440, 0", "4092, 57349, 0", "4092, 57348, 1"})
    void aPayloadOnTooManyPagesIsCopied(long offset, int lengthBytes, int spliced) {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            put(pair, offset, lengthBytes);
            pair.sender.flush();

            assertThat(receive(pair, 1)).containsExactly(part(offset, lengthBytes));
            assertThat(pair.sender.spliced()).isEqualTo(spliced);
        }
    }

    @Test
    void bytesThatChangeBeforeTheyArriveCountAsLost() {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            put(pair, 0, MTU);
            pair.sender.flush();
            change(4711);
            put(pair, 0, MIN);
            pair.sender.flush();

            assertThat(receive(pair, 1)).containsExactly(part(0, MIN));
            assertThat(pair.receiver.counters().count(Drop.ICRC)).isEqualTo(1);
            assertThat(pair.sender.spliced()).isEqualTo(2);
        }
    }

    @Test
    void memoryThatIsFreedBeforeTheyArriveStaysUntilThen() {
        try (PortPair pair = PortPair.open(IoBackend.GSO)) {
            byte[] left = part(0, MTU);
            put(pair, 0, MTU);
            pair.sender.flush();
            arena.close();

            assertThat(receive(pair, 1)).containsExactly(left);
            assertThat(pair.sender.spliced()).isEqualTo(1);
        }
    }

    /** The pages of a file that is cut are gone: the kernel cannot refer to them, nor copy them. */
    @Test
    void atTheFirstFailureOfTheKernelThePortGivesUp(@TempDir Path folder) throws IOException {
        Outbox outbox = new Outbox(true, true, MTU);
        try (PortPair pair = PortPair.open(IoBackend.GSO);
                SocketIo io = SocketIo.open(THIRD, 0, outbox, true, false, 1 << 20);
                FileChannel file = FileChannel.open(
                        folder.resolve("cut"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            UdpRoute route = route(pair.receiver, io.localPort());
            MemorySegment mapped = patterned(file.map(MapMode.READ_WRITE, 0, 1 << 17, arena));
            PinnedMemory cut = new PinnedMemory(mapped);

            put(outbox, route, cut);
            assertThat(io.send()).isEqualTo(1);
            outbox.leave();
            assertThat(io.spliced()).isEqualTo(1);
            assertThat(receive(pair, 1)).containsExactly(part(0, MTU));

            put(outbox, route, cut);
            file.truncate(PAGE);
            assertThat(io.send()).isEqualTo(-Errno.EFAULT);
            outbox.leave();

            for (int i = 0; i < 2; i++) {
                put(outbox, route, pinned);
                assertThat(io.send()).isEqualTo(1);
                outbox.leave();
                assertThat(receive(pair, 1)).containsExactly(part(0, MTU));
            }
            assertThat(io.spliced()).isEqualTo(1);
            assertThat(pair.receiver.counters().dropped()).as("what was begun").isEqualTo(1);
        }
    }

    /** From a loopback address no packet leaves the machine. */
    @Test
    void aNetworkThatRefusesAPacketIsNoReasonToGiveUp() throws IOException {
        Outbox outbox = new Outbox(true, true, MTU);
        try (PortPair pair = PortPair.open(IoBackend.GSO);
                SocketIo io = SocketIo.open(THIRD, 0, outbox, true, false, 1 << 20)) {
            put(outbox, route(InetAddress.ofLiteral("192.0.2.1"), 4791, io.localPort()), pinned);
            assertThat(io.send()).isIn(-Errno.EINVAL, -Errno.ENETUNREACH);
            outbox.leave();

            put(outbox, route(pair.receiver, io.localPort()), pinned);
            assertThat(io.send()).isEqualTo(1);
            assertThat(receive(pair, 1)).containsExactly(part(0, MTU));
            assertThat(io.spliced()).isEqualTo(1);
        }
    }

    private static UdpRoute route(UdpPort to, int port) {
        return route(to.address(), to.port(), port);
    }

    private static UdpRoute route(InetAddress to, int toPort, int port) {
        return new Routes(THIRD, port, LocalInterface.of(THIRD), MTU)
                .to(Addresses.high(to), Addresses.low(to), toPort, IpHeaders.NO_SECRET, false);
    }

    private void put(Outbox outbox, UdpRoute route, PinnedMemory from) {
        Packet packet = outbox.begin(route);
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn++);
        packet.refer(from, 0, MTU);
        outbox.end(MTU);
    }
}
