package io.urma4j.udma.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PinnedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets whose payload the kernel takes from the memory where it lies. */
class GatheredSendsTest {
    private static final int MTU = 61_440;
    private static final int SHORT = 16_384; // so that a run has room for more, and leaves with the flush

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 20, 64);
    private final PinnedMemory pinned = new PinnedMemory(memory);
    private int psn;

    GatheredSendsTest() {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(JAVA_BYTE, i, (byte) (17 * i + (i >> 8)));
        }
    }

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** A SEND of a part of the memory, copied if its place or its length demands that. */
    private void put(PortPair pair, long offset, int lengthBytes) {
        Packet packet = Objects.requireNonNull(pair.sender.begin(pair.route), "no room");
        packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn++);
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

    @ParameterizedTest
    @EnumSource(names = {"GSO", "MMSG"})
    void theyArriveAmongOthersInOrder(IoBackend backend) {
        int[] lengths = {MTU, 16_384, 16_384, 16_384, 16_381, 5, MTU, 16_384, 8192, 8192, 32_768, 20_003, 0, 16_384};
        try (PortPair pair = PortPair.open(backend)) {
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < lengths.length; i++) {
                    put(pair, 1000L * i + round, lengths[i]);
                }
                pair.sender.flush();

                List<byte[]> received = receive(pair, lengths.length);
                for (int i = 0; i < lengths.length; i++) {
                    assertThat(received.get(i)).isEqualTo(part(1000L * i + round, lengths[i]));
                }
            }
            assertThat(pair.receiver.counters().dropped()).isZero();
            assertThat(pair.sender.counters().count(Counter.SENT_GATHERED)).isEqualTo(4 * 9);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWaitsForRoomIsCopied(boolean runs) {
        Outbox outbox = new Outbox(runs, true, MTU);
        try (PortPair pair = PortPair.open(null)) {
            List<Packet> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Packet packet = outbox.begin(pair.route);
                packet.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn++);
                packet.refer(pinned, 1000L * i, SHORT);
                outbox.end(SHORT);
                waiting.add(packet);
            }
            outbox.leave();
            assertThat(outbox.referring(outbox.next())).isPositive();

            outbox.copyPayloads();

            assertThat(outbox.referring(outbox.next())).isZero();
            int first = outbox.firstSlot(outbox.next());
            for (int i = first; i < waiting.size(); i++) {
                Packet packet = waiting.get(i);
                assertThat(packet.refers()).isFalse();
                assertThat(packet.bytes()
                                .segment()
                                .asSlice(packet.payloadAt(), SHORT)
                                .toArray(JAVA_BYTE))
                        .isEqualTo(part(1000L * i, SHORT));
            }
        }
    }

    @Test
    void aRunThatTheKernelRefusesLeavesInPieces() {
        Outbox outbox = new Outbox(true, true, MTU);
        try (PortPair pair = PortPair.open(null)) {
            for (int i = 0; i < 3; i++) {
                outbox.begin(pair.route).begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x123, psn++);
                outbox.packet(i).refer(pinned, 1000L * i, SHORT);
                outbox.end(SHORT);
            }
            assertThat(outbox.referring(0)).isEqualTo(3);

            outbox.split();

            assertThat(outbox.waiting()).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(outbox.referring(i)).isOne();
                pair.route.headers().ipv4Id(0);
                assertThat(new Icrc().isRight(outbox.packet(i), pair.route.headers()))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GSO", "MMSG"})
    void bytesThatChangeBeforeTheyLeaveCountAsLost(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            put(pair, 0, SHORT);
            memory.set(JAVA_BYTE, 4711, (byte) ~memory.get(JAVA_BYTE, 4711));
            pair.sender.flush();
            put(pair, 0, SHORT);
            pair.sender.flush();

            assertThat(receive(pair, 1)).containsExactly(part(0, SHORT));
            assertThat(pair.receiver.counters().count(Drop.ICRC)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GSO", "MMSG"})
    void ofMemoryThatIsClosedBeforeTheyLeaveNothingArrives(IoBackend backend) {
        try (PortPair pair = PortPair.open(backend)) {
            put(pair, 0, SHORT);
            arena.close();
            pair.sender.flush();
            pair.put(3, 100);
            pair.sender.flush();

            assertThat(pair.receive(1)).extracting(PortPair.Received::content).containsExactly(3);
            assertThat(pair.receiver.counters().count(Drop.ICRC)).isEqualTo(1);
        }
    }

    @Test
    void aPortThatCapturesCopies(@TempDir Path folder) throws Exception {
        var here = PortOptions.of(InetAddress.ofLiteral("127.0.71.1"));
        try (PcapWriter writer =
                        PcapWriter.create(folder.resolve("a.pcap"), PcapWriter.UNLIMITED, InstantSource.system());
                PortPair pair =
                        new PortPair(UdpPort.open(here.withCapture(writer)), PortPair.port("127.0.71.2", null))) {
            Packet packet = Objects.requireNonNull(pair.sender.begin(pair.route));

            assertThat(packet.mayRefer(MTU)).isFalse();
        }
    }
}
