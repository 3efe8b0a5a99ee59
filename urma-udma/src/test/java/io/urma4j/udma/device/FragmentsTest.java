package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.FragmentStats;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.FragmentEth;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A path whose MTU shrinks while connections use it. */
class FragmentsTest {
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final int NARROW = 400;
    private static final long SECOND = 1_000_000_000L;

    private final Hosts hosts = new Hosts();
    private final Host here = hosts.here;
    private final Host there = hosts.there;
    private final Host.Cq cq = here.new Cq(64);
    private final Host.Cq cqThere = there.new Cq(64);
    private final Host.Receives receives = there.new Receives(cqThere);
    private final MemorySegment memoryThere = there.memory(1 << 20);
    private final int keyThere = there.card.registerKey(new KeyConfig(memoryThere, 0x10000, ALL, 5, 9, 42));
    private final int target = here.card.createTarget(hosts.toThere, receives.number());
    private final Host.Sends queue = here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder);
    private final List<Packet> arrived = new ArrayList<>();

    /** From now on both directions take no longer packets, and lose longer ones that are in flight. */
    private void narrow(int bytes) {
        for (Host host : List.of(here, there)) {
            host.narrowedBytes = bytes;
            host.isLost = packet -> packet.lengthBytes() > bytes;
        }
        hosts.listener = (host, packet) -> arrived.add(packet);
    }

    private void fill(MemorySegment memory, int seed) {
        for (int i = 0; i < memory.byteSize(); i++) {
            memory.set(JAVA_BYTE, i, (byte) (seed + 7 * i + (i >> 8)));
        }
    }

    private void assertSuccess(int count) {
        assertThat(cq.pollAll()).hasSize(count).allMatch(told -> told.status() == WorkStatus.SUCCESS);
    }

    @Test
    void aWriteGoesOnInShorterPackets() {
        fill(queue.scratch, 1);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 300_000, 0);
        here.card.step(hosts.now); // the first packets have left, and are too long
        assertThat(here.leaving).hasSizeGreaterThan(1);
        here.leaving.removeIf(packet -> packet.lengthBytes() > NARROW);
        narrow(NARROW);

        hosts.run(SECOND);

        assertSuccess(1);
        assertThat(memoryThere.asSlice(0, 300_000).mismatch(queue.scratch.asSlice(0, 300_000)))
                .isEqualTo(-1);
        assertThat(arrived).allMatch(packet -> packet.lengthBytes() <= NARROW);
        FragmentStats sent = here.card.fragments();
        assertThat(sent.sent()).isGreaterThan(3 * 300_000 / 1024);
        assertThat(there.card.fragments().received()).isEqualTo(sent.sent());
    }

    @Test
    void aReadGoesOnInShorterPackets() {
        fill(memoryThere, 2);
        narrow(NARROW);

        queue.oneSided(WorkOpcode.READ, hosts.memoryThere, keyThere, 0x10000, 300_000, 0);
        hosts.run(SECOND);

        assertSuccess(1);
        assertThat(memoryThere.asSlice(0, 300_000).mismatch(queue.scratch.asSlice(0, 300_000)))
                .isEqualTo(-1);
        assertThat(there.card.fragments().sent()).isPositive();
        assertThat(arrived).noneMatch(packet -> packet.lengthBytes() > NARROW);
    }

    @Test
    void messagesAndAtomicsPassAndNoneTwice() {
        receives.post(8, 4096);
        narrow(NARROW);

        for (int i = 0; i < 4; i++) {
            queue.message(WorkOpcode.SEND_IMM, target, 3000 + 4 * i, i);
            queue.oneSided(WorkOpcode.FADD, hosts.memoryThere, keyThere, 0x10000, 8, 1);
        }
        hosts.run(SECOND);

        assertSuccess(8);
        assertThat(cqThere.pollAll()).extracting(Host.CqRecord::immediate).containsExactly(0L, 1L, 2L, 3L);
        assertThat(memoryThere.get(JAVA_LONG, 0)).isEqualTo(4);
    }

    @Test
    void lostAndRepeatedFragmentsAreRetransmittedAndDropped() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("FragmentsTest: seed " + seed + ", again with -Durma.seed=" + seed);
        Random random = new Random(seed);
        narrow(NARROW);
        for (Host host : List.of(here, there)) {
            host.isLost = packet -> {
                assertThat(packet.lengthBytes()).isLessThanOrEqualTo(NARROW);
                return random.nextInt(50) == 0;
            };
        }
        for (int round = 0; round < 20; round++) {
            fill(queue.scratch, random.nextInt());
            int bytes = 4 * (1 + random.nextInt(5_000));
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, bytes, 0);
            here.card.step(hosts.now);
            if (random.nextBoolean() && !here.leaving.isEmpty()) {
                here.leaving.add(here.leaving.getFirst()); // once more, and late
            }
            hosts.run(10 * SECOND);
            assertSuccess(1);
            assertThat(memoryThere.asSlice(0, bytes).mismatch(queue.scratch.asSlice(0, bytes)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void aBundleIsCutAsWell() {
        fill(queue.scratch, 3);
        narrow(NARROW);

        for (int i = 0; i < Host.DEPTH; i++) {
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000 + 256L * i, 256, 0);
        }
        hosts.run(SECOND);

        assertSuccess(Host.DEPTH);
        assertThat(here.card.fragments().sent()).isPositive();
        assertThat(arrived).noneMatch(packet -> packet.lengthBytes() > NARROW);
    }

    @Test
    void aPathThatIsAsBeforeNeedsNoFragments() {
        narrow(NARROW);
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 10_000, 0);
        hosts.run(SECOND);
        long before = here.card.fragments().sent();

        here.narrowedBytes = Route.NOT_NARROWED;
        here.isLost = null;
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 10_000, 0);
        hosts.run(SECOND);

        assertSuccess(2);
        assertThat(before).isPositive();
        assertThat(here.card.fragments().sent()).isEqualTo(before);
    }

    // ---- what peers must not do

    /** The fragments of a packet of that length, which begins with these bytes. */
    private void receive(int connection, Host.Address from, Packet whole) {
        int length = whole.lengthBytes() - Icrc.BYTES;
        int part = 256;
        for (int at = 0; at < length; at += part) {
            int bytes = Math.min(part, length - at);
            Packet fragment = Packet.allocate();
            FragmentEth.begin(fragment, connection, 1, length, at, part);
            fragment.bytes()
                    .segment()
                    .asSlice(fragment.payloadAt(), bytes)
                    .copyFrom(whole.bytes().segment().asSlice(at, bytes));
            fragment.lengthBytes(fragment.payloadAt() + bytes + Icrc.BYTES);
            there.card.receive(fragment, from, hosts.now);
        }
    }

    private static Packet packet(int opcode) {
        Packet packet = Packet.allocate();
        packet.begin(opcode, 17, 1);
        packet.lengthBytes(packet.payloadAt() + 600 + Icrc.BYTES);
        return packet;
    }

    private int numberThere() {
        queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, keyThere, 0x10000, 1024, 0);
        int[] number = new int[1];
        hosts.listener = (host, packet) -> number[0] = host == there ? packet.connectionNumber() : number[0];
        hosts.run();
        assertSuccess(1);
        return number[0];
    }

    @Test
    void whatIsNoPacketOfAConnectionIsDropped() {
        int number = numberThere();
        long before = there.card.dropped();

        receive(number, here.address, packet(Opcodes.UD | Opcodes.SEND_ONLY));
        receive(number, here.address, packet(Opcodes.FRAGMENT));
        receive(number, here.address, packet(Opcodes.BUNDLE));
        receive(number, here.address, packet(Opcodes.CNP));
        receive(number, here.address, packet(0xFF));
        Packet ofAnotherPartition = packet(Opcodes.RC | Opcodes.SEND_ONLY);
        Bth.partitionKey(ofAnotherPartition.bytes(), 1);
        receive(number, here.address, ofAnotherPartition);

        assertThat(there.card.dropped()).isEqualTo(before + 6);
    }

    @Test
    void fragmentsFromAnotherSourceAreDropped() {
        int number = numberThere();
        long before = there.card.dropped();
        long received = there.card.fragments().received();

        receive(number, new Host.Address(77, Hosts.MTU_BYTES), packet(Opcodes.RC | Opcodes.SEND_ONLY));
        receive(number + 100, here.address, packet(Opcodes.RC | Opcodes.SEND_ONLY));

        assertThat(there.card.dropped()).isEqualTo(before + 6);
        assertThat(there.card.fragments().received()).isEqualTo(received);
    }

    @Test
    void aForeignPeerSendsNoFragments() {
        Host.Sends foreign = there.new Sends(SendQueueConfig.Kind.RC, cqThere, builder -> builder);
        there.card.connectRc(
                foreign.handle,
                CardConnectionConfig.builder(there.port(here.address), 17)
                        .urma4j(false)
                        .build(),
                hosts.now);

        receive(foreign.number(), here.address, packet(Opcodes.RC | Opcodes.SEND_ONLY));

        assertThat(there.card.dropped()).isEqualTo(3);
        assertThat(there.card.fragments().received()).isZero();
    }

    @Test
    void theConnectionOfABundleIsThatOfItsFirstPacket() {
        Packet bundle = Packet.allocate();
        bundle.begin(Opcodes.RC | Opcodes.SEND_ONLY, 0x1234, 1);
        bundle.lengthBytes(Bth.BYTES + Bundle.begin(bundle, 8) + Icrc.BYTES);

        assertThat(bundle.connectionNumber()).isEqualTo(0x1234);
    }
}
