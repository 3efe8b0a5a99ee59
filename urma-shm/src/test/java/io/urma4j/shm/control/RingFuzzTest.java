package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Completion;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingScribbler;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A peer that scribbles over the two rings that it shares with a victim: commit words, lengths, offsets, results, wake
 * flags, payloads, in the middle of traffic. The victim lives, has one result for each of its work requests, is written to
 * nowhere but in its buffers, serves a bystander meanwhile, and leaks nothing.
 *
 * <p>{@code -Durma.seed=…} repeats the choices, {@code -Durma.full=true} goes on for a minute, {@code -Durma.inputs=N} until
 * N slots and scribbles were tried, however long that takes.
 */
@Timeout(180)
class RingFuzzTest {
    private static final Duration BUDGET =
            Boolean.getBoolean("urma.full") ? Duration.ofSeconds(60) : Duration.ofSeconds(4);

    /** When not 0, this many decide in place of the budget. */
    private static final long INPUTS = Long.getLong("urma.inputs", 0);

    private static final int[] OPCODES = {
        Opcode.SEND.value(), Opcode.SEND_IMM.value(), Opcode.SEND_INVALIDATE.value(), Opcode.WRITE_IMM.value()
    };

    private final SplittableRandom random = Seed.randomFor("rings");
    private final Tally tally = new Tally();

    @TempDir
    Path temporary;

    /** What was done, for the summary. */
    private static final class Tally {
        int peers;
        int cutOff;
        long slots;
        long scribbles;
        long answers;
        long sends;
        long records;

        @Override
        public String toString() {
            return peers + " hostile peers, " + cutOff + " of them cut off; " + slots + " slots, " + answers
                    + " answers, " + scribbles + " scribbles; the victim posted " + sends + " and polled " + records;
        }
    }

    @Test
    void whoeverScribblesOverTheRingsHarmsHimselfAlone() throws Exception {
        Path directory = temporary.resolve("runtime");
        try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory))) {
            UrmaContext context = urma.device("shm0").openContext();
            UrmaContext friend = urma.device("shm0").openContext();
            try (var bystander = new Bystander(friend, context)) {
                attack(directory, context, bystander); // warms up: what is opened once stays
                List<String> before = OpenDescriptors.ofContexts(directory);
                long end = System.nanoTime() + BUDGET.toNanos();
                while (INPUTS > 0 ? tally.slots + tally.scribbles < INPUTS : System.nanoTime() - end < 0) {
                    attack(directory, context, bystander);
                }
                Patience.until(Patience.LIMIT, () -> leaked(directory, before).isEmpty());
                assertThat(leaked(directory, before)).as(Seed.replayLine()).isEmpty();
                System.out.println("RingFuzzTest: " + tally + "; the bystander made " + bystander.trips()
                        + " round trips; seed " + Seed.OF_RUN);
            }
        }
        assertThat(tally.cutOff).as(Seed.replayLine()).isPositive();
    }

    private static List<String> leaked(Path directory, List<String> before) {
        try {
            List<String> now = new ArrayList<>(OpenDescriptors.ofContexts(directory));
            before.forEach(now::remove);
            return now;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void attack(Path directory, UrmaContext context, Bystander bystander) throws Exception {
        tally.peers++;
        try (var victim = new RingVictim(context)) {
            int sent;
            boolean lost;
            try (var hostile = new HostileRing(directory, context)) {
                sent = harass(victim, hostile);
                lost = isCutOff(victim);
            }
            String why = lost ? "impossible" : victim.awaitLoss();
            if (why.contains("impossible")) {
                tally.cutOff++;
            }
            assertEachHasOneResult(victim, sent);
            assertThat(victim.spoiltGuards()).as(Seed.replayLine()).isZero();
        }
        bystander.assertServed();
    }

    private static boolean isCutOff(RingVictim victim) {
        return victim.events.stream().anyMatch(event -> event.detail().contains("impossible"));
    }

    /** Some steps of traffic and trouble; how many sends the victim has posted. */
    private int harass(RingVictim victim, HostileRing hostile) {
        int sent = 0;
        int steps = random.nextInt(10, 2000);
        int malice = 1 << random.nextInt(8); // how often it is honest in between
        for (int step = 0; step < steps && !isCutOff(victim); step++) {
            switch (random.nextInt(6)) {
                case 0 -> victim.tryReceive(random.nextInt(RingVictim.PLACES)); // a message in progress holds its place
                case 1 -> sent += send(victim, hostile, sent);
                case 2, 3 -> publish(victim, hostile, random.nextInt(malice) == 0);
                case 4 -> answer(hostile);
                default -> {
                    if (random.nextInt(malice) == 0) {
                        scribble(hostile);
                    }
                }
            }
            if (random.nextInt(3) == 0) {
                hostile.wakeVictim();
            }
            if (random.nextInt(3) > 0) {
                victim.poll();
            }
        }
        return sent;
    }

    private int send(RingVictim victim, HostileRing hostile, long number) {
        if (victim.jfs.state() != QueueState.READY) {
            revive(victim);
            return 0;
        }
        long lengthBytes = random.nextInt(4) == 0 ? random.nextInt(RingVictim.BUFFER) : random.nextInt(100);
        boolean accepted =
                victim.jfs.send(hostile.target, victim.buffers, RingVictim.bufferAt(0), lengthBytes, 1_000 + number);
        tally.sends += accepted ? 1 : 0;
        return accepted ? 1 : 0;
    }

    /** Takes out what was flushed, and brings the queue back when it has drained. */
    private static void revive(RingVictim victim) {
        victim.records.addAll(victim.jfs.flushAll());
        try {
            victim.jfs.modify(QueueState.RESET);
            victim.jfs.modify(QueueState.READY);
        } catch (UrmaException e) {
            victim.poll(); // not drained yet
        }
    }

    private void publish(RingVictim victim, HostileRing hostile, boolean spoilt) {
        tally.slots++;
        int chunk = random.nextInt(5) == 0 ? random.nextInt(RingVictim.BUFFER) : random.nextInt(81);
        int flags = SlotFlags.FIRST | SlotFlags.LAST | SlotFlags.RESTART;
        if (chunk > RingLayout.SLOT_PAYLOAD_BYTES) {
            flags |= SlotFlags.IN_DATA;
        }
        int opcode = OPCODES[random.nextInt(OPCODES.length)];
        if (!spoilt) {
            hostile.toVictim.publish(opcode, flags, random.nextInt(4), victim.jfr.id(), chunk, 9, chunk, 0);
            return;
        }
        hostile.toVictim.publish(
                random.nextInt(3) == 0 ? random.nextInt(256) : opcode,
                random.nextBoolean() ? random.nextInt(256) : flags & ~(1 << random.nextInt(5)),
                random.nextInt(4) == 0 ? RingScribbler.number(random) : random.nextInt(3),
                random.nextInt(4) == 0 ? RingScribbler.number(random) : victim.jfr.id(),
                random.nextInt(3) == 0 ? RingScribbler.number(random) : chunk,
                random.nextLong(),
                random.nextInt(3) == 0 ? RingScribbler.number(random) : chunk * random.nextLong(1, 4),
                random.nextInt(3) == 0 ? RingScribbler.number(random) : 0);
    }

    private void answer(HostileRing hostile) {
        tally.answers++;
        int argument = random.nextInt(4) == 0 ? random.nextInt(1 << 24) : random.nextInt(200);
        hostile.fromVictim.answer(random.nextInt(40), random.nextInt(9), argument);
    }

    private void scribble(HostileRing hostile) {
        tally.scribbles++;
        if (random.nextBoolean()) {
            hostile.toVictim.scribble(random, hostile.toVictim.position());
        } else {
            hostile.fromVictim.scribble(random, random.nextInt(40));
        }
    }

    /** In the JFC, or from flush: exactly one for each. */
    private void assertEachHasOneResult(RingVictim victim, int sent) {
        BitSet told = new BitSet();
        Patience.until(Patience.LIMIT, () -> {
            victim.poll();
            take(victim, told);
            return told.cardinality() == sent;
        });
        assertThat(told.cardinality())
                .as("results of %d sends on a queue in %s, %s", sent, victim.jfs.state(), Seed.replayLine())
                .isEqualTo(sent);
    }

    private void take(RingVictim victim, BitSet told) {
        if (victim.jfs.state() == QueueState.ERROR) {
            victim.records.addAll(victim.jfs.flushAll());
        }
        for (Completion record : victim.records) {
            tally.records++;
            int number = (int) record.userContext() - 1_000;
            if (number >= 0) {
                assertThat(told.get(number))
                        .as("a second result, %s", Seed.replayLine())
                        .isFalse();
                told.set(number);
            } else {
                assertThat(record.lengthBytes()).as(Seed.replayLine()).isNotNegative();
            }
        }
        victim.records.clear();
    }
}
