package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.NamedCounter;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Packet;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * A forger who has seen the greeting, and every packet since: what it sends has the right number and secret, and a PSN of the
 * window. It can make the peers disagree, but not wait: each work request ends once, within three timeouts of the last success
 * before it, and when the connection is made anew the next ones succeed. A message that is answered "receiver not ready" is tried anew without
 * limit, as S12.1 has it, and each try has its own three timeouts. Results come in order, so later requests wait with it.
 */
class ForgedInsideTest {
    private static final int SEEDS = Boolean.getBoolean("urma.full") ? 5_000 : 200;
    private static final int ROUNDS = 40;
    private static final long MILLIS = 1_000_000;
    private static final long ROUND_NANOS = 100 * MILLIS;
    private static final long TIMEOUT_NANOS = 600 * MILLIS;
    private static final long LONGEST_NANOS = 3 * TIMEOUT_NANOS + CardConnection.REPEAT_NANOS;
    private static final long GIVEN_UP_NANOS = 20_000 * MILLIS;
    private static final long STEPS_NANOS = MILLIS; // the clock moves with each step of the hosts
    private static final int NEAR = 8;
    private static final int POSTED_EACH_ROUND = 3;
    private static final int KEY_ACCESS = Memory.WRITE | Memory.READ | Memory.ATOMIC;

    private final long firstSeed =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    private int reconnects;
    private long oneTry;
    private long total;
    private long longestNanos;

    @Test
    void requestsEndAndTheNextConnectionWorks() {
        for (int i = 0; i < SEEDS; i++) {
            try {
                new Run(new SplittableRandom(firstSeed + i)).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Durma.seed=" + (firstSeed + i), e);
            }
        }
        System.out.printf(
                "ForgedInsideTest: %d seeds from %d on: %d connections made anew; %d of %d results after one try, the"
                        + " longest of these in %d ms%n",
                SEEDS, firstSeed, reconnects, oneTry, total, longestNanos / MILLIS);
        assertThat(reconnects).as("connections that were given up").isPositive();
    }

    private final class Run {
        private final SplittableRandom random;
        private final Hosts hosts = new Hosts();
        private final Host.Cq cq = hosts.here.new Cq(64);
        private final Host.Cq cqThere = hosts.there.new Cq(64);
        private final Host.Receives receives = hosts.there.new Receives(cqThere);
        private final int key =
                hosts.there.card.registerKey(new KeyConfig(hosts.there.memory(1 << 16), 0x10000, KEY_ACCESS, 5, 9, 42));
        private final Host.Sends queue =
                hosts.here.new Sends(SendQueueConfig.Kind.RM, cq, builder -> builder.timeoutNanos(TIMEOUT_NANOS));
        private final long[] postedAt = new long[POSTED_EACH_ROUND * ROUNDS + (int) (GIVEN_UP_NANOS / ROUND_NANOS)];
        private final long[] notReadyBefore = new long[postedAt.length];
        private final BitSet ended = new BitSet();
        private long notReadyOfEarlier;
        private int target = hosts.here.card.createTarget(hosts.toThere, receives.number());
        private int posted;
        private boolean isDrained;
        private boolean forges = true;
        private int lastStatus;
        private long lastSuccessAt;
        private long triesOfFailed;

        Run(SplittableRandom random) {
            this.random = random;
            hosts.listener = (to, packet) -> Bundle.apart(packet).forEach(one -> forge(to, one));
        }

        void run() {
            for (int round = 0; round < ROUNDS; round++) {
                receives.post(1, 64);
                for (int i = 0; i < POSTED_EACH_ROUND && posted - ended.cardinality() < Host.DEPTH / 2; i++) {
                    post();
                }
                passRound();
            }
            forges = false;
            for (int round = 0; round < 2 * LONGEST_NANOS / ROUND_NANOS && ended.cardinality() < posted; round++) {
                passRound();
            }
            assertThat(ended.cardinality()).as("work requests that have ended").isEqualTo(posted);
            if (hosts.here.events.contains("stuck")) {
                connectAnew();
            }
            lastStatus = WorkStatus.ACK_TIMEOUT_ERR;
            for (long end = hosts.now + GIVEN_UP_NANOS; lastStatus != WorkStatus.SUCCESS && hosts.now < end; ) {
                if (ended.cardinality() == posted) {
                    write();
                }
                passRound();
            }
            assertThat(lastStatus)
                    .as("status of what was posted when all was over")
                    .isEqualTo(WorkStatus.SUCCESS);
        }

        private void post() {
            noteStart();
            int length = random.nextInt(4) == 0 ? 3000 : 16;
            switch (random.nextInt(4)) {
                case 0 -> queue.message(WorkOpcode.SEND, target, Math.min(length, 64), 0);
                case 1 -> queue.oneSided(WorkOpcode.READ, hosts.memoryThere, key, 0x10000, length, 0);
                case 2 -> queue.oneSided(WorkOpcode.FADD, hosts.memoryThere, key, 0x10000, 8, 1);
                default -> queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, key, 0x10000, length, 0);
            }
        }

        private void write() {
            noteStart();
            queue.oneSided(WorkOpcode.WRITE, hosts.memoryThere, key, 0x10000, 16, 0);
        }

        private void noteStart() {
            postedAt[posted] = hosts.now;
            notReadyBefore[posted] = notReady();
            posted++;
        }

        /** Answers of this kind so far, forged ones included. */
        private long notReady() {
            return notReadyOfEarlier
                    + hosts.here.card.connectionStats(hosts.toThere).counters().stream()
                            .filter(counter -> counter.name().equals("rnrReceived"))
                            .mapToLong(NamedCounter::value)
                            .findFirst()
                            .orElseThrow();
        }

        private void passRound() {
            hosts.run(ROUND_NANOS);
            for (Host.CqRecord one : cq.pollAll()) {
                if (one.status() == WorkStatus.WR_FLUSH_ERR_DONE) {
                    isDrained = true;
                } else {
                    ends(one.position(), one.status());
                    isDrained |= one.has(io.urma4j.udma.ring.Cqe.FLUSH_ERR_DONE);
                }
            }
            cqThere.pollAll();
            if (isDrained) {
                isDrained = false;
                queue.flush(hosts.now)
                        .forEach(one -> ends(one.get(0), one.get(1).intValue()));
                hosts.here.card.modifySendQueue(queue.handle, QueueState.RESET, hosts.now);
                hosts.here.card.modifySendQueue(queue.handle, QueueState.READY, hosts.now);
                if (hosts.here.events.contains("stuck")) {
                    connectAnew();
                }
            }
        }

        private void ends(long position, int status) {
            assertThat(ended.get((int) position))
                    .as("whether %d has ended before", position)
                    .isFalse();
            ended.set((int) position);
            total++;
            long waitedNanos = hosts.now - Math.max(postedAt[(int) position], lastSuccessAt);
            long tries = 1 + notReady() - notReadyBefore[(int) position];
            if (status == WorkStatus.WR_FLUSH_ERR || status == WorkStatus.WR_UNHANDLED) {
                tries = Math.max(tries, triesOfFailed); // it waited for the one that failed
            } else if (status != WorkStatus.SUCCESS) {
                triesOfFailed = tries;
            }
            if (tries == 1) {
                oneTry++;
                longestNanos = Math.max(longestNanos, waitedNanos);
            }
            assertThat(waitedNanos)
                    .as("wait for %d, %d tries", position, tries)
                    .isLessThanOrEqualTo(tries * LONGEST_NANOS + ROUND_NANOS + STEPS_NANOS);
            lastStatus = status;
            if (status == WorkStatus.SUCCESS) {
                lastSuccessAt = hosts.now;
            }
        }

        private void connectAnew() {
            reconnects++;
            hosts.here.events.clear();
            hosts.here.card.destroyTarget(target);
            notReadyOfEarlier = notReady();
            hosts.connectAnew();
            target = hosts.here.card.createTarget(hosts.toThere, receives.number());
        }

        /** Says again what was just said, with a PSN near that one. */
        private void forge(Host to, Packet heard) {
            if (!forges || random.nextInt(20) > 0) {
                return;
            }
            Packet forged = new Packet(NativeMemory.allocate(heard.lengthBytes()));
            NativeMemory.copy(heard.bytes(), 0, forged.bytes(), 0, heard.lengthBytes());
            forged.lengthBytes(heard.lengthBytes());
            int psn = Bth.psn(heard.bytes()) + random.nextInt(-NEAR, NEAR) & Bth.MAX_24;
            forged.begin(heard.opcode(), Bth.destinationQp(heard.bytes()), psn);
            Host from = to == hosts.here ? hosts.there : hosts.here;
            to.card.receive(forged, from.address, hosts.now);
        }
    }
}
