package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.QueueState;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.NamedCounter;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A single request on a quiet connection takes the short way, no other does, and neither way differs in anything else. */
class SendPredictionTest {
    private static final long VA = 0x10000;
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final int MEMORY_BYTES = 1 << 16;
    private static final int SEEDS = Boolean.getBoolean("urma.full") ? 10_000 : 300;

    /** Two cards with three send queues here, and one there. */
    private static final class World {
        final Hosts hosts;
        final Host.Cq cq;
        final Host.Cq cqThere;
        final Host.Receives receives;
        final Host.Receives receivesHere;
        final int key;
        final int target;
        final int connected;
        final Host.Sends plain;
        final Host.Sends byTarget;
        final Host.Sends rc;
        final Host.Sends back;
        final Host.Sends rcThere;
        final int targetHere;
        final List<String> lines = new ArrayList<>();

        World(boolean predicts) {
            hosts = new Hosts(predicts);
            cq = hosts.here.new Cq(64);
            cqThere = hosts.there.new Cq(64);
            receives = hosts.there.new Receives(cqThere);
            receivesHere = hosts.here.new Receives(cq);
            key = hosts.there.card.registerKey(new KeyConfig(hosts.there.memory(MEMORY_BYTES), VA, ALL, 5, 9, 42));
            target = hosts.here.card.createTarget(hosts.toThere, receives.number());
            targetHere = hosts.there.card.createTarget(hosts.toHere, receivesHere.number());
            plain = hosts.here.new Sends(Kind.RM, cq, config -> config);
            byTarget = hosts.here.new Sends(Kind.RM, cq, config -> config.errorByTarget(true));
            rc = hosts.here
            .new Sends(
                    Kind.RC,
                    cq,
                    config -> config.receives(receivesHere.handle, 0, 300).errorSuspend(true));
            back = hosts.there.new Sends(Kind.RM, cqThere, config -> config);
            rcThere = hosts.there.new Sends(Kind.RC, cqThere, config -> config.receives(receives.handle, 0, 400));
            connected = connect(hosts.here, hosts.there, rc, rcThere, 101, 202);
            connect(hosts.there, hosts.here, rcThere, rc, 202, 101);
            hosts.run();
            hosts.listener = (to, packet) -> lines.add(hosts.now + " to " + to.address + ": " + text(packet));
        }

        private int connect(Host of, Host peer, Host.Sends queue, Host.Sends remote, int sendPsn, int receivePsn) {
            return of.card.connectRc(
                    queue.handle,
                    CardConnectionConfig.builder(of.port(peer.address), remote.number())
                            .psns(sendPsn, receivePsn)
                            .rnrRetry(1)
                            .build(),
                    hosts.now);
        }

        private static String text(Packet packet) {
            return HexFormat.of()
                    .formatHex(packet.bytes()
                            .segment()
                            .asSlice(0, packet.lengthBytes() - 4)
                            .toArray(JAVA_BYTE));
        }

        int targetOf(Host.Sends queue) {
            return queue == rc ? 0 : target;
        }

        int memoryOf(Host.Sends queue) {
            return queue == rc ? 0 : hosts.memoryThere;
        }

        boolean hasRoomForReceives(Host.Receives receives) {
            return WqRing.produced(receives.ring) - WqRing.consumed(receives.ring) < Host.DEPTH - 1;
        }

        boolean hasRoom(Host.Sends queue) {
            return WqRing.produced(queue.ring) - WqRing.consumed(queue.ring) < Host.DEPTH;
        }

        /** How many requests of a connection here have taken the short way. */
        long sentAtOnce(int connection) {
            return counters(hosts.here, connection).stream()
                    .filter(one -> one.name().equals("sentAtOnce"))
                    .mapToLong(NamedCounter::value)
                    .sum();
        }

        private static List<NamedCounter> counters(Host host, int connection) {
            var stats = host.card.connectionStats(connection);
            return stats == null ? List.of() : stats.counters();
        }

        void note(Object line) {
            lines.add(line.toString());
        }

        /** Records, events and states. */
        void look() {
            note(cq.pollAll());
            note(cqThere.pollAll());
            note(hosts.here.events);
            note(hosts.there.events);
            for (Host.Sends queue : List.of(plain, byTarget, rc)) {
                note(queue.state() + " " + hosts.here.card.sendStats(queue.handle) + " "
                        + hosts.here.card.sendWaits(queue.handle));
            }
        }

        List<String> outcome() {
            look();
            for (int connection : new int[] {hosts.toThere, connected}) {
                counters(hosts.here, connection).stream()
                        .filter(one ->
                                !one.name().equals("sentAtOnce") && !one.name().equals("predicted"))
                        .forEach(this::note);
            }
            note(Arrays.hashCode(receives.buffers.toArray(JAVA_BYTE)));
            for (Host.Sends queue : List.of(plain, byTarget, rc)) {
                note(Arrays.hashCode(queue.scratch.asSlice(0, 4096).toArray(JAVA_BYTE)));
            }
            return lines;
        }
    }

    // ---- which requests take it

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSingleRequestOnAQuietConnectionTakesIt(boolean predicts) {
        World world = new World(predicts);
        world.receives.post(16, 4096);

        int posted = 0;
        for (int bytes : new int[] {0, 1, 64, Hosts.MTU_BYTES}) {
            for (int opcode : new int[] {WorkOpcode.SEND, WorkOpcode.SEND_IMM}) {
                world.plain.message(opcode, world.target, bytes, 7);
                world.hosts.run();
                posted++;
            }
            for (int opcode : new int[] {WorkOpcode.WRITE, WorkOpcode.READ}) {
                world.plain.oneSided(opcode, world.hosts.memoryThere, world.key, VA, bytes, 0);
                world.hosts.run();
                posted++;
            }
        }
        world.plain.oneSided(WorkOpcode.FADD, world.hosts.memoryThere, world.key, VA, 8, 1);
        world.hosts.run();

        assertThat(world.cq.pollAll()).hasSize(posted + 1).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        assertThat(world.sentAtOnce(world.hosts.toThere)).isEqualTo(predicts ? posted + 1 : 0);
    }

    /** The acknowledgement that waits for it leaves with it. */
    @Test
    void aReplyTakesItWithTheAcknowledgement() {
        World world = new World(true);
        world.receivesHere.post(1, 4096);
        world.receives.post(1, 4096);
        world.back.message(WorkOpcode.SEND, world.targetHere, 64, 0);
        world.hosts.there.card.step(world.hosts.now);
        world.hosts.carry(world.hosts.there, world.hosts.here);
        world.hosts.here.card.step(world.hosts.now, FlushHint.HOLD_REQUESTS_AND_ACKS);
        assertThat(world.hosts.here.leaving).isEmpty();

        world.plain.message(WorkOpcode.SEND, world.target, 64, 0);
        world.hosts.here.card.step(world.hosts.now);

        assertThat(world.hosts.here.leaving).hasSize(1);
        assertThat(world.sentAtOnce(world.hosts.toThere)).isEqualTo(1);
        world.hosts.run();
        assertThat(world.cqThere.pollAll()).hasSize(2).allMatch(told -> told.status() == WorkStatus.SUCCESS);
    }

    @Test
    void noOtherRequestTakesIt() {
        World world = new World(true);
        world.receives.post(16, 4096);

        world.plain.message(WorkOpcode.SEND, world.target, Hosts.MTU_BYTES + 1, 0); // two packets
        world.hosts.run();
        world.plain.message(WorkOpcode.SEND, world.target, 8, 0); // two at once
        world.plain.message(WorkOpcode.SEND, world.target, 8, 0);
        world.hosts.run();
        world.plain.message(WorkOpcode.SEND, world.target, 8, 0); // of two queues
        world.byTarget.message(WorkOpcode.SEND, world.target, 8, 0);
        world.hosts.run();
        world.plain.nop();
        world.hosts.run();

        assertThat(world.cq.pollAll()).hasSize(6).allMatch(told -> told.status() == WorkStatus.SUCCESS);
        assertThat(world.sentAtOnce(world.hosts.toThere)).isZero();
    }

    /** A packet that is lost is retransmitted in time, though its request took the short way. */
    @Test
    void aLostPacketIsRetransmitted() {
        World world = new World(true);
        world.receives.post(1, 4096);
        world.hosts.here.isLost = packet -> true;
        world.plain.message(WorkOpcode.SEND, world.target, 8, 0);
        world.hosts.run();
        world.hosts.here.isLost = null;

        world.hosts.run(1_000_000_000);

        assertThat(world.cq.pollAll())
                .singleElement()
                .satisfies(told -> assertThat(told.status()).isEqualTo(WorkStatus.SUCCESS));
        assertThat(world.sentAtOnce(world.hosts.toThere)).isEqualTo(1);
    }

    /** A peer that never answers is reported, though the request took the short way. */
    @Test
    void aSilentPeerIsReported() {
        World world = new World(true);
        world.hosts.here.isLost = packet -> true;
        world.plain.message(WorkOpcode.SEND, world.target, 8, 0);

        world.hosts.run(120_000_000_000L);

        assertThat(world.hosts.here.events).contains("silent");
        assertThat(world.cq.pollAll()).extracting(Host.CqRecord::status).contains(WorkStatus.ACK_TIMEOUT_ERR);
        assertThat(world.sentAtOnce(world.hosts.toThere)).isEqualTo(1);
    }

    /** Its next message is the one whose rounds count, should the receiver not be ready. */
    @Test
    void aFlowThatStartsAnewDoesNotTakeIt() {
        World world = new World(true);
        Host here = world.hosts.here;
        Host.Sends queue = here.new Sends(Kind.RM, world.cq, config -> config.rnrRetry(1));
        queue.message(WorkOpcode.SEND, world.target, 8, 0);
        world.hosts.run();
        here.card.modifySendQueue(queue.handle, QueueState.ERROR, world.hosts.now);
        world.hosts.run();
        queue.flush(world.hosts.now);
        here.card.modifySendQueue(queue.handle, QueueState.RESET, world.hosts.now);
        here.card.modifySendQueue(queue.handle, QueueState.READY, world.hosts.now);
        world.hosts.run();
        world.cq.pollAll();
        long before = world.sentAtOnce(world.hosts.toThere);

        queue.message(WorkOpcode.SEND, world.target, 8, 0);
        world.hosts.run(1_000_000_000);

        assertThat(world.sentAtOnce(world.hosts.toThere)).isEqualTo(before);
        assertThat(world.cq.pollAll()).extracting(Host.CqRecord::status).startsWith(WorkStatus.RNR_RETRY_CNT_EXC_ERR);
    }

    /** The peer must first know where the connection goes on. */
    @Test
    void aConnectionThatResumesDoesNotTakeIt() {
        World world = new World(true);
        Host here = world.hosts.here;
        world.rc.message(WorkOpcode.SEND, 0, 8, 0);
        world.hosts.run(1_000_000_000);
        assertThat(world.rc.state()).isEqualTo(QueueState.SUSPENDED);
        world.cq.pollAll();
        world.receives.post(2, 4096);

        here.card.modifySendQueue(world.rc.handle, QueueState.READY, world.hosts.now);
        world.rc.message(WorkOpcode.SEND, 0, 8, 0);
        here.card.step(world.hosts.now);

        assertThat(here.leaving.getFirst().opcode()).isEqualTo(Opcodes.OURS_RC | Opcodes.RESYNC);
        world.hosts.run(1_000_000_000);
        assertThat(world.cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
    }

    // ---- the same as without it

    @Test
    void nothingElseIsDifferentWithAndWithoutIt() {
        long first = Long.getLong("urma.seed", 1);
        long sentAtOnce = LongStream.range(first, first + SEEDS)
                .parallel()
                .map(SendPredictionTest::sentAtOnceWithTheSameOutcome)
                .sum();
        assertThat(sentAtOnce).isGreaterThan(3L * SEEDS);
    }

    private static long sentAtOnceWithTheSameOutcome(long seed) {
        World with = new World(true);
        World without = new World(false);

        List<String> one = outcome(with, new Random(seed));
        List<String> other = outcome(without, new Random(seed));

        assertThat(one).as("outcome of -Durma.seed=%d", seed).isEqualTo(other);
        return with.sentAtOnce(with.hosts.toThere);
    }

    private static List<String> outcome(World world, Random random) {
        boolean isLossy = random.nextBoolean();
        if (isLossy) {
            world.hosts.here.isLost = packet -> random.nextInt(12) == 0;
            world.hosts.there.isLost = packet -> random.nextInt(12) == 0;
        }
        for (int i = 0; i < 40; i++) {
            if (random.nextInt(4) == 0) {
                arrives(world, random);
            }
            if (world.rc.state() == QueueState.SUSPENDED && random.nextInt(3) == 0) {
                world.note(world.hosts.here.card.modifySendQueue(world.rc.handle, QueueState.READY, world.hosts.now));
            }
            world.receives.post(world.hasRoomForReceives(world.receives) ? random.nextInt(2) : 0, 2000);
            for (int posts = random.nextInt(8) == 0 ? random.nextInt(5) : 1; posts > 0; posts--) {
                Host.Sends queue = queue(world, random);
                if (world.hasRoom(queue)) {
                    any(world, queue, random);
                }
            }
            goOn(world, random);
            world.look();
        }
        world.hosts.here.isLost = null;
        world.hosts.there.isLost = null;
        world.hosts.run(2_000_000_000L);
        return world.outcome();
    }

    private static Host.Sends queue(World world, Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> world.rc;
            case 1 -> world.byTarget;
            default -> world.plain;
        };
    }

    private static void goOn(World world, Random random) {
        Hosts hosts = world.hosts;
        switch (random.nextInt(12)) {
            case 0 -> hosts.here.card.step(hosts.now);
            case 1 -> hosts.run(50_000_000);
            case 2 -> {
                hosts.here.card.step(hosts.now);
                hosts.carry(hosts.here, hosts.there);
                hosts.there.card.step(hosts.now);
                hosts.carry(hosts.there, hosts.here);
                hosts.here.card.step(hosts.now, FlushHint.HOLD_REQUESTS_AND_ACKS);
            }
            case 3 -> {
                if (random.nextInt(10) == 0) {
                    hosts.here.card.peerLost(hosts.toThere, hosts.now);
                }
            }
            case 4 -> modify(world, queue(world, random), random);
            default -> hosts.run(random.nextInt(3) * 100_000L);
        }
    }

    /** Something arrives here, of which the card has not made a step yet. */
    private static void arrives(World world, Random random) {
        Host.Sends from = random.nextBoolean() ? world.back : world.rcThere;
        if (world.hasRoom(from) && world.hasRoomForReceives(world.receivesHere)) {
            world.receivesHere.post(1, 2000);
            from.message(WorkOpcode.SEND, from == world.back ? world.targetHere : 0, random.nextInt(100), 0);
            world.hosts.there.card.step(world.hosts.now);
            world.hosts.carry(world.hosts.there, world.hosts.here);
        }
    }

    private static void modify(World world, Host.Sends queue, Random random) {
        QueueState[] states = {QueueState.SUSPENDED, QueueState.READY, QueueState.ERROR};
        QueueState next = states[random.nextInt(states.length)];
        world.note(world.hosts.here.card.modifySendQueue(queue.handle, next, world.hosts.now));
        world.hosts.run(1);
        if (next == QueueState.ERROR) {
            world.note(queue.flush(world.hosts.now));
            world.note(world.hosts.here.card.modifySendQueue(queue.handle, QueueState.RESET, world.hosts.now));
        }
        if (random.nextInt(3) > 0) {
            world.note(world.hosts.here.card.modifySendQueue(queue.handle, QueueState.READY, world.hosts.now));
        }
    }

    private static void any(World world, Host.Sends queue, Random random) {
        int bytes = random.nextInt(4) > 0 ? random.nextInt(200) : random.nextInt(3000);
        int flags = (random.nextInt(4) > 0 ? WorkOpcode.SIGNALLED : 0)
                | (random.nextInt(6) == 0 ? WorkOpcode.FENCE : 0)
                | (random.nextInt(6) == 0 ? WorkOpcode.SOLICITED : 0);
        int gone = random.nextInt(25) == 0 ? SendWqe.REMOTE_GONE : 0;
        int memory = random.nextInt(40) == 0 && queue != world.rc ? 12345 : world.memoryOf(queue);
        int key = random.nextInt(25) == 0 ? world.key + 1 : world.key;
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> queue.message(WorkOpcode.SEND, world.targetOf(queue), bytes, 0, flags);
            case 3 -> queue.message(WorkOpcode.SEND_IMM, world.targetOf(queue), bytes, random.nextInt(), flags);
            case 4 -> queue.oneSided(WorkOpcode.WRITE, memory, key, VA + 64, bytes, 0, flags | gone);
            case 5 -> queue.oneSided(WorkOpcode.READ, memory, key, VA + 64, bytes, 0, flags | gone);
            case 6 -> queue.oneSided(WorkOpcode.FADD, memory, key, VA, 8, 1, flags | gone);
            default -> queue.nop();
        }
    }
}
